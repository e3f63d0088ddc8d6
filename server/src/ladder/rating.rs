//! Ratings by Weng and Lin's method, from the order of the five totals of a match.

use mighty_rules::BySeat;
use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use crate::matches::SeatReport;

/// What is believed of a player's strength: a normal distribution.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// Its mean; a newcomer has 25.
    pub mu: f64,
    /// Its standard deviation, above 0; a newcomer has 25/3.
    pub sigma: f64,
}

impl Default for Rating {
    fn default() -> Rating {
        Rating { mu: 25.0, sigma: 25.0 / 3.0 }
    }
}

/// Whose rating a match may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RatingRules {
    /// Whether house bots keep the rating that they have, as fixed anchors; otherwise they are rated like everybody.
    pub pin_house_bots: bool,
}

/// The seats for which a match counts: all of them, or only those that were given up, since the others played
/// against a stand-in.
pub fn counting_seats(seats: &BySeat<SeatReport>) -> BySeat<bool> {
    let somebody_left = seats.0.iter().any(|seat| seat.given_up);
    BySeat::from_fn(|seat| seats[seat].given_up || !somebody_left)
}

/// The seats whose rating a match changes.
pub fn rated_seats(seats: &BySeat<SeatReport>, rules: RatingRules) -> BySeat<bool> {
    let counting = counting_seats(seats);
    BySeat::from_fn(|seat| {
        let pinned = rules.pin_house_bots && seats[seat].player.house;
        counting[seat] && !pinned
    })
}

/// The ratings after a match: each rated seat is measured against the other four, the others stay as they are.
///
/// Places count from 1, equals share one.
pub fn rate(before: BySeat<Rating>, places: BySeat<u8>, rated: BySeat<bool>) -> BySeat<Rating> {
    let teams =
        before.map(|Rating { mu, sigma }| [WengLinRating { rating: mu, uncertainty: sigma }]);
    let outcomes = places.map(|place| MultiTeamOutcome::new(usize::from(place)));
    let teams_and_ranks: Vec<(&[WengLinRating], MultiTeamOutcome)> =
        teams.0.iter().map(|team| &team[..]).zip(outcomes.0).collect();
    let after = weng_lin_multi_team(&teams_and_ranks, &WengLinConfig::new());
    BySeat::from_fn(|seat| {
        let WengLinRating { rating, uncertainty } = after[seat.number()][0];
        if rated[seat] { Rating { mu: rating, sigma: uncertainty } } else { before[seat] }
    })
}

#[cfg(test)]
mod tests {
    use mighty_rules::{Score, Seat};

    use super::*;
    use crate::matches::PlayerId;

    const NEW: (f64, f64) = (25.0, 25.0 / 3.0);
    const MIXED: [(f64, f64); 5] =
        [(31.2, 2.1), (25.0, 25.0 / 3.0), (18.75, 4.5), (28.4, 1.3), (22.0, 6.0)];
    const EVERYBODY: BySeat<bool> = BySeat([true; 5]);

    fn ratings(of: [(f64, f64); 5]) -> BySeat<Rating> {
        BySeat(of).map(|(mu, sigma)| Rating { mu, sigma })
    }

    #[track_caller]
    fn check(got: BySeat<Rating>, wanted: [(f64, f64); 5]) {
        for (seat, (mu, sigma)) in Seat::ALL.into_iter().zip(wanted) {
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            let got = got[seat];
            assert!(
                near(got.mu, mu) && near(got.sigma, sigma),
                "seat {seat}: {got:?}, not {mu} ± {sigma}"
            );
        }
    }

    // The golden numbers are those of Python's openskill 6.2.0, BradleyTerryFull(tau=0), each player a team.

    #[test]
    fn newcomers_are_spread_by_their_places() {
        let after = rate(ratings([NEW; 5]), BySeat([3, 1, 5, 2, 4]), EVERYBODY);
        check(
            after,
            [
                (25.000000000000, 7.202515895247),
                (35.540925533895, 7.202515895247),
                (14.459074466105, 7.202515895247),
                (30.270462766947, 7.202515895247),
                (19.729537233053, 7.202515895247),
            ],
        );
    }

    #[test]
    fn equals_share_what_their_place_is_worth() {
        let after = rate(ratings([NEW; 5]), BySeat([1, 1, 3, 3, 5]), EVERYBODY);
        check(
            after,
            [
                (32.905694150421, 7.202515895247),
                (32.905694150421, 7.202515895247),
                (22.364768616526, 7.202515895247),
                (22.364768616526, 7.202515895247),
                (14.459074466105, 7.202515895247),
            ],
        );
    }

    #[test]
    fn who_is_known_well_moves_little() {
        let after = rate(ratings(MIXED), BySeat([5, 2, 1, 4, 3]), EVERYBODY);
        check(
            after,
            [
                (29.652291001902, 2.083286477249),
                (31.823068990278, 6.298449854764),
                (25.444199011296, 4.258222112232),
                (28.154479712485, 1.297299174030),
                (24.426499920181, 5.257621727606),
            ],
        );
        let after = rate(ratings(MIXED), BySeat([2, 1, 2, 2, 5]), EVERYBODY);
        check(
            after,
            [
                (30.792319014499, 2.083286477249),
                (38.048912884656, 6.298449854764),
                (20.969748971944, 4.258222112232),
                (28.333082628284, 1.297299174030),
                (16.042690016711, 5.257621727606),
            ],
        );
    }

    #[test]
    fn three_matches_in_a_row() {
        let season = [[1, 2, 3, 4, 5], [2, 1, 3, 3, 5], [5, 4, 1, 1, 3]];
        let after = season
            .into_iter()
            .fold(ratings([NEW; 5]), |before, places| rate(before, BySeat(places), EVERYBODY));
        check(
            after,
            [
                (24.000290706023, 6.082021212859),
                (28.945238922762, 6.025099062729),
                (29.302702974516, 5.893888589138),
                (27.401799099520, 5.941601132040),
                (15.064278164251, 6.177110859206),
            ],
        );
    }

    #[test]
    fn who_is_not_rated_stays_and_still_measures_the_others() {
        let before = ratings(MIXED);
        let places = BySeat([5, 2, 1, 4, 3]);
        let all = rate(before, places, EVERYBODY);
        let only_seat_1 = rate(before, places, BySeat([false, true, false, false, false]));
        for seat in Seat::ALL {
            let wanted = if seat.number() == 1 { all[seat] } else { before[seat] };
            assert_eq!(only_seat_1[seat], wanted, "seat {seat}");
        }
    }

    /// The seats by letters: `b` a bot, `h` a house bot, `B` a bot that gave its seat up.
    fn seats(letters: &str) -> BySeat<SeatReport> {
        let letters: Vec<char> = letters.chars().collect();
        BySeat::from_fn(|seat| SeatReport {
            player: PlayerId {
                name: format!("player {seat}"),
                version: String::new(),
                house: letters[seat.number()] == 'h',
            },
            total: Score::ZERO,
            place: 1,
            defaults: 0,
            refusals: 0,
            given_up: letters[seat.number()] == 'B',
        })
    }

    #[test]
    fn whose_rating_a_match_changes() {
        let pinned = RatingRules { pin_house_bots: true };
        let table = [
            ("bbbhh", RatingRules::default(), "yyyyy", "everybody is rated, house bots too"),
            ("bbbhh", pinned, "yyynn", "pinned house bots are not"),
            ("bBbhh", RatingRules::default(), "nynnn", "only the one that left is rated"),
            ("bBbhB", pinned, "nynny", "all that left are rated"),
        ];
        for (letters, rules, wanted, why) in table {
            let rated =
                rated_seats(&seats(letters), rules).map(|rated| if rated { 'y' } else { 'n' });
            assert_eq!(rated.0.iter().collect::<String>(), wanted, "{letters}: {why}");
        }
        assert_eq!(counting_seats(&seats("bbbhh")), EVERYBODY, "points count for all");
    }
}
