//! How the ladder's bots stand: what each made in its matches, and how sure that is.

use std::cmp::Ordering;

use mighty_rules::{BySeat, Seat};

use super::rating::{self, Rating};
use crate::matches::{PlayerId, SeatReport};

/// How a player stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// The player.
    pub player: PlayerId,
    /// Its rating, for pairing.
    pub rating: Rating,
    /// What its matches add up to.
    pub tally: Tally,
}

/// What the matches of a player add up to, in whole numbers, so that the order of adding does not matter.
///
/// A match in which another seat was given up counts as played, but its points and hands do not: they were made
/// against a stand-in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Finished matches.
    pub matches: u64,
    /// Matches whose points count.
    pub counted: u64,
    /// Settled hands in the counted matches; twice as many where it held two seats.
    pub hands: u64,
    /// Points in the counted matches, in half points.
    pub half_points: i64,
    /// The squares of the half points of each counted match, added up.
    pub squared_half_points: u64,
    /// Half points times hands of each counted match, added up.
    pub half_points_by_hands: i64,
    /// The squares of the hands of each counted match, added up.
    pub squared_hands: u64,
    /// Matches won; a shared first place counts whole.
    pub wins: u64,
    /// Default moves made for it.
    pub defaults: u64,
    /// Answers of it that were refused.
    pub refusals: u64,
    /// Matches in which it gave its seat up.
    pub given_up: u64,
}

impl Standing {
    /// A newcomer.
    pub fn new(player: PlayerId) -> Standing {
        Standing { player, rating: Rating::default(), tally: Tally::default() }
    }

    /// Orders standings as they are listed: the highest points per 100 hands first, who has no hand yet last.
    pub fn listed_before(&self, other: &Standing) -> Ordering {
        let key =
            |standing: &Standing| (standing.tally.hands > 0, standing.tally.points_per_100_hands());
        let ((played, points), (other_played, other_points)) = (key(self), key(other));
        other_played
            .cmp(&played)
            .then(other_points.total_cmp(&points))
            .then(other.rating.mu.total_cmp(&self.rating.mu))
            .then_with(|| name_of(self).cmp(&name_of(other)))
    }
}

fn name_of(standing: &Standing) -> (&str, &str, bool) {
    let PlayerId { name, version, house } = &standing.player;
    (name, version, *house)
}

impl Tally {
    /// Points per 100 hands: all points over all hands, so that a long match weighs more than a short one; 0 before
    /// the first hand.
    pub fn points_per_100_hands(&self) -> f64 {
        if self.hands == 0 { 0.0 } else { 50.0 * self.half_points as f64 / self.hands as f64 }
    }

    /// Half the width of the 95 % interval of the points per 100 hands; 0 with fewer than two counted matches.
    ///
    /// The match is the sample, since hands of one match share their players and their fines. Points over hands is a
    /// ratio r of two sums over n matches, whose variance is that of the residuals, points − r · hands, of the
    /// matches: n / (n − 1) · Σ residual² / (Σ hands)². Student's t with n − 1 degrees makes the width honest for few matches.
    pub fn points_interval(&self) -> f64 {
        if self.counted < 2 || self.hands == 0 {
            return 0.0;
        }
        let matches = self.counted as f64;
        let hands = self.hands as f64;
        let ratio = self.half_points as f64 / hands;
        let residuals = self.squared_half_points as f64
            - 2.0 * ratio * self.half_points_by_hands as f64
            + ratio * ratio * self.squared_hands as f64;
        let variance = matches / (matches - 1.0) * residuals.max(0.0) / (hands * hands);
        50.0 * t_quantile(self.counted - 1) * variance.sqrt()
    }

    fn add(&mut self, made: &Made) {
        self.matches += 1;
        if made.counts {
            self.counted += 1;
            self.hands += made.hands;
            self.half_points += made.half_points;
            self.squared_half_points += made.half_points.unsigned_abs().pow(2);
            self.half_points_by_hands += made.half_points * made.hands as i64;
            self.squared_hands += made.hands.pow(2);
        }
        self.wins += u64::from(made.won);
        self.defaults += made.defaults;
        self.refusals += made.refusals;
        self.given_up += u64::from(made.gave_up);
    }
}

/// What a player made in one match, at all the seats that it held.
#[derive(Default)]
struct Made {
    counts: bool,
    hands: u64,
    half_points: i64,
    won: bool,
    defaults: u64,
    refusals: u64,
    gave_up: bool,
}

/// How the players of a match stand after it, each of them once.
///
/// A house bot that filled several seats has played one match: its points and hands there are added up, and its
/// rating becomes the mean of what its seats would have.
pub fn after_match(
    before: &BySeat<Standing>,
    seats: &BySeat<SeatReport>,
    hands: u32,
    rated: BySeat<bool>,
) -> Vec<Standing> {
    let ratings = BySeat::from_fn(|seat| before[seat].rating);
    let places = BySeat::from_fn(|seat| seats[seat].place);
    let ratings = rating::rate(ratings, places, rated);
    let counts = rating::counting_seats(seats);
    let seats_of = |player: &PlayerId| -> Vec<Seat> {
        seats.iter().filter(|(_, report)| report.player == *player).map(|(seat, _)| seat).collect()
    };

    let mut after = Vec::new();
    for (seat, standing) in before.iter() {
        let held = seats_of(&standing.player);
        if held.first() != Some(&seat) {
            continue;
        }
        let mut made = Made::default();
        for &seat in &held {
            let report = &seats[seat];
            made.counts |= counts[seat];
            made.hands += u64::from(hands);
            made.half_points += report.total.in_halves();
            made.won |= report.place == 1;
            made.defaults += u64::from(report.defaults);
            made.refusals += u64::from(report.refusals);
            made.gave_up |= report.given_up;
        }
        let mean = |of: fn(&Rating) -> f64| {
            held.iter().map(|&seat| of(&ratings[seat])).sum::<f64>() / held.len() as f64
        };
        let mut standing = standing.clone();
        standing.rating =
            Rating { mu: mean(|rating| rating.mu), sigma: mean(|rating| rating.sigma) };
        standing.tally.add(&made);
        after.push(standing);
    }
    after
}

/// The 97.5 % quantile of Student's t with so many degrees of freedom, 1 at least.
pub fn t_quantile(degrees: u64) -> f64 {
    const FEW: [f64; 10] =
        [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281];
    match FEW.get(degrees.saturating_sub(1) as usize) {
        Some(quantile) => *quantile,
        None => {
            // Fisher's expansion around the normal quantile, within a thousandth of itself from 11 degrees on.
            let z: f64 = 1.959_964;
            let n = degrees as f64;
            z + (z.powi(3) + z) / (4.0 * n)
                + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
        }
    }
}

#[cfg(test)]
mod tests {
    use mighty_rules::Score;

    use super::*;

    fn bot(name: &str) -> PlayerId {
        PlayerId { name: name.to_owned(), version: String::new(), house: false }
    }

    fn reports(of: [(&str, i64, u8); 5]) -> BySeat<SeatReport> {
        BySeat(of).map(|(name, points, place)| SeatReport {
            player: bot(name),
            total: Score::points(points),
            place,
            defaults: 0,
            refusals: 0,
            given_up: false,
        })
    }

    fn newcomers(seats: &BySeat<SeatReport>) -> BySeat<Standing> {
        BySeat::from_fn(|seat| Standing::new(seats[seat].player.clone()))
    }

    /// A tally of counted matches, each points and hands.
    fn tally(matches: &[(i64, u64)]) -> Tally {
        let mut tally = Tally::default();
        for &(points, hands) in matches {
            tally.add(&Made { counts: true, hands, half_points: 2 * points, ..Made::default() });
        }
        tally
    }

    #[test]
    fn points_are_weighted_by_hands() {
        let tally = tally(&[(30, 10), (-10, 30)]);
        assert_eq!(tally.points_per_100_hands(), 50.0);
        assert_eq!(Tally::default().points_per_100_hands(), 0.0);
    }

    #[test]
    fn the_interval_is_that_of_the_matches() {
        // With equal hands it is the textbook interval of a mean: 10, 20, 60 have the mean 30 and the deviation 26.4575,
        // so 4.3027 · 26.4575 / √3 = 65.725 a match of 10 hands.
        let three = tally(&[(10, 10), (20, 10), (60, 10)]);
        assert!((three.points_interval() - 657.25).abs() < 0.01, "{}", three.points_interval());
        // Unequal hands: r = 20 / 40, residuals 30 − 5 and −10 − 15, 2 / 1 · 1250 / 1600 = 1.25² , t = 12.7062.
        let two = tally(&[(30, 10), (-10, 30)]);
        assert!((two.points_interval() - 1588.275).abs() < 0.01, "{}", two.points_interval());
        assert_eq!(tally(&[(30, 10)]).points_interval(), 0.0, "one match tells no width");
        assert_eq!(tally(&[(7, 10); 50]).points_interval(), 0.0, "no match differs");
    }

    #[test]
    fn quantiles_agree_with_the_tables_of_students_t() {
        for (degrees, wanted) in [
            (1, 12.7062),
            (2, 4.3027),
            (10, 2.2281),
            (11, 2.2010),
            (12, 2.1788),
            (20, 2.0860),
            (30, 2.0423),
            (100, 1.9840),
            (1_000_000, 1.9600),
        ] {
            let got = t_quantile(degrees);
            assert!((got / wanted - 1.0).abs() < 0.001, "{degrees} degrees: {got}, not {wanted}");
        }
    }

    #[test]
    fn a_match_adds_to_every_player_once() {
        let mut seats = reports([
            ("ada", 40, 1),
            ("ben", 40, 1),
            ("cat", -20, 3),
            ("dan", -30, 4),
            ("dan", -30, 4),
        ]);
        seats.0[2].defaults = 2;
        seats.0[3].refusals = 1;
        seats.0[4].refusals = 3;
        let after = after_match(&newcomers(&seats), &seats, 10, BySeat([true; 5]));

        let names: Vec<&str> = after.iter().map(|standing| &*standing.player.name).collect();
        assert_eq!(names, ["ada", "ben", "cat", "dan"]);
        let wins: Vec<u64> = after.iter().map(|standing| standing.tally.wins).collect();
        assert_eq!(wins, [1, 1, 0, 0], "a shared first place counts whole");
        assert_eq!(after[2].tally.defaults, 2);
        let dan = after[3].tally;
        assert_eq!((dan.matches, dan.hands, dan.half_points, dan.refusals), (1, 20, -120, 4));
        assert_eq!(dan.points_per_100_hands(), -300.0);
        assert!(after[0].rating.mu > 25.0 && after[3].rating.mu < 25.0);
    }

    #[test]
    fn nothing_is_counted_against_a_stand_in() {
        let mut seats = reports([
            ("ada", 40, 1),
            ("ben", 10, 2),
            ("cat", 0, 3),
            ("dan", -20, 4),
            ("eve", -30, 5),
        ]);
        seats.0[4].given_up = true;
        let rated = rating::rated_seats(&seats, rating::RatingRules::default());
        let after = after_match(&newcomers(&seats), &seats, 10, rated);

        for standing in &after[..4] {
            let Tally { matches, counted, hands, half_points, .. } = standing.tally;
            assert_eq!((matches, counted, hands, half_points), (1, 0, 0, 0), "{standing:?}");
            assert_eq!(standing.rating, Rating::default());
        }
        assert_eq!(after[0].tally.wins, 1);
        let eve = &after[4];
        assert_eq!((eve.tally.hands, eve.tally.half_points, eve.tally.given_up), (10, -60, 1));
        assert!(eve.rating.mu < 25.0);
    }

    #[test]
    fn the_list_begins_with_the_most_points_per_100_hands() {
        let standing = |name: &str, matches: &[(i64, u64)], mu: f64| Standing {
            player: bot(name),
            rating: Rating { mu, sigma: 1.0 },
            tally: tally(matches),
        };
        let mut list = [
            standing("no hand yet", &[], 40.0),
            standing("loser", &[(-50, 10)], 30.0),
            standing("even, weaker", &[(5, 10)], 20.0),
            standing("even, b", &[(5, 10)], 25.0),
            standing("even, a", &[(10, 20)], 25.0),
            standing("winner", &[(70, 10)], 10.0),
        ];
        list.sort_by(Standing::listed_before);
        let names = list.map(|standing| standing.player.name);
        assert_eq!(names, ["winner", "even, a", "even, b", "even, weaker", "loser", "no hand yet"]);
    }
}
