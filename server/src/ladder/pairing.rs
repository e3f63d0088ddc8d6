//! Who plays whom next on the ladder: a pure decision about those who wait.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use mighty_rules::BySeat;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::matches::PlayerId;

/// How tables are put together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairingRules {
    /// How long a bot waits for others before house bots fill up its table.
    pub fill_after: Duration,
    /// How many rating points chance may add to a distance, so that the same five do not meet for ever; 0 or more.
    pub spread: f64,
}

impl Default for PairingRules {
    fn default() -> PairingRules {
        PairingRules { fill_after: Duration::from_secs(15), spread: 4.0 }
    }
}

/// A bot that waits.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting {
    /// The bot.
    pub player: PlayerId,
    /// Whose it is; two bots of one owner never share a table.
    pub owner: String,
    /// The mean of its rating.
    pub rating: f64,
    /// Since when it waits.
    pub since: Instant,
    /// How many matches it asked for; 0 for as many as there are.
    pub wanted: u32,
    /// How many of them it has played.
    pub played: u32,
}

/// Who takes a seat.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Chair {
    /// The bot at this place in the list of those who wait.
    Waiting(usize),
    /// A house bot; where there are few, one may take several seats.
    House(PlayerId),
}

/// What was decided.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pairing {
    /// The tables to start.
    pub tables: Vec<BySeat<Chair>>,
    /// The places of those who go on waiting, in the order of the list, each with a sentence that says why.
    pub waits: Vec<(usize, String)>,
}

/// Puts tables together, at most so many as are free.
///
/// Who has waited for longer than `fill_after` comes first, then who has played least. It is joined by the four
/// others nearest in rating, chance added, each of another owner. When too few are there, it waits until
/// `fill_after` is over, then house bots take the empty seats.
pub fn pair(
    waiting: &[Waiting],
    house: &[PlayerId],
    free_tables: usize,
    now: Instant,
    rules: &PairingRules,
    rng: &mut impl Rng,
) -> Pairing {
    let is_overdue = |bot: &Waiting| now.saturating_duration_since(bot.since) >= rules.fill_after;
    let is_done = |bot: &Waiting| bot.wanted > 0 && bot.played >= bot.wanted;
    let mut pool: Vec<usize> = (0..waiting.len()).filter(|&at| !is_done(&waiting[at])).collect();
    pool.sort_by_key(|&at| {
        let bot = &waiting[at];
        (!is_overdue(bot), bot.played, bot.since)
    });

    let mut pairing = Pairing::default();
    while let Some(&first) = pool.first() {
        if pairing.tables.len() == free_tables {
            break;
        }
        let guests = guests(waiting, &pool, rules, rng);
        let may_fill_up = is_overdue(&waiting[first]) && !house.is_empty();
        // Those overdue come first: when this one may not be seated, nobody after it may.
        if guests.len() < 5 && !may_fill_up {
            break;
        }
        pool.retain(|at| !guests.contains(at));
        pairing.tables.push(table(guests, house, rng));
    }

    let all_taken = pairing.tables.len() == free_tables;
    pairing.waits = (0..waiting.len())
        .filter(|at| pool.contains(at) || is_done(&waiting[*at]))
        .map(|at| {
            let bot = &waiting[at];
            let reason = if is_done(bot) {
                format!(
                    "It has played the {} that it asked for.",
                    counted(bot.wanted as usize, "match", "matches")
                )
            } else if all_taken {
                "All tables are taken; it sits down when a match has ended.".to_owned()
            } else {
                waits_for_others(waiting, &pool, house, rules)
            };
            (at, reason)
        })
        .collect();
    pairing
}

/// The first of the pool and up to four others, each of another owner, the nearest in rating first.
fn guests(
    waiting: &[Waiting],
    pool: &[usize],
    rules: &PairingRules,
    rng: &mut impl Rng,
) -> Vec<usize> {
    let mut guests = Vec::with_capacity(5);
    let Some((&first, others)) = pool.split_first() else {
        return guests;
    };
    let mut by_distance: Vec<(f64, usize)> = others
        .iter()
        .map(|&at| {
            let distance = (waiting[at].rating - waiting[first].rating).abs();
            (distance + rules.spread * rng.random::<f64>(), at)
        })
        .collect();
    by_distance.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut owners = HashSet::new();
    for at in std::iter::once(first).chain(by_distance.into_iter().map(|(_, at)| at)) {
        if guests.len() < 5 && owners.insert(&waiting[at].owner) {
            guests.push(at);
        }
    }
    guests
}

/// Seats the guests in an order by chance, house bots where none is left, as many different ones as there are.
fn table(guests: Vec<usize>, house: &[PlayerId], rng: &mut impl Rng) -> BySeat<Chair> {
    let mut house: Vec<&PlayerId> = house.iter().collect();
    house.shuffle(rng);
    let fill = house.into_iter().cycle().map(|player| Chair::House(player.clone()));
    let mut chairs: Vec<Chair> =
        guests.into_iter().map(Chair::Waiting).chain(fill).take(5).collect();
    chairs.shuffle(rng);
    BySeat(chairs.try_into().expect("five guests, or house bots that fill up"))
}

fn waits_for_others(
    waiting: &[Waiting],
    pool: &[usize],
    house: &[PlayerId],
    rules: &PairingRules,
) -> String {
    let owners: HashSet<&String> = pool.iter().map(|&at| &waiting[at].owner).collect();
    let missing = counted(5_usize.saturating_sub(owners.len()), "more bot", "more bots");
    if house.is_empty() {
        format!(
            "It waits for {missing} of other owners; this server has no house bots that could fill up."
        )
    } else {
        let seconds = counted(rules.fill_after.as_secs() as usize, "second", "seconds");
        format!(
            "It waits for {missing} of other owners; house bots fill up once it has waited for {seconds}."
        )
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha12Rng;

    use super::*;

    const RULES: PairingRules = PairingRules { fill_after: Duration::from_secs(20), spread: 0.0 };

    fn chance() -> ChaCha12Rng {
        ChaCha12Rng::seed_from_u64(1)
    }

    fn player(name: &str, house: bool) -> PlayerId {
        PlayerId { name: name.to_owned(), version: String::new(), house }
    }

    fn house(names: &[&str]) -> Vec<PlayerId> {
        names.iter().map(|name| player(name, true)).collect()
    }

    /// Bots as `name@owner rating/played waits`, the owner left out where it is the name, waits in seconds.
    fn waiting(text: &str, now: Instant) -> Vec<Waiting> {
        let mut list = Vec::new();
        for entry in text.split(", ").filter(|entry| !entry.is_empty()) {
            let parts: Vec<&str> = entry.split(' ').collect();
            let (name, owner) = parts[0].split_once('@').unwrap_or((parts[0], parts[0]));
            let (rating, played) = parts[1].split_once('/').expect("rating/played");
            let waits: u64 = parts[2].parse().expect("seconds");
            list.push(Waiting {
                player: player(name, false),
                owner: owner.to_owned(),
                rating: rating.parse().expect("a rating"),
                since: now - Duration::from_secs(waits),
                wanted: 0,
                played: played.parse().expect("a number of matches"),
            });
        }
        list
    }

    /// The tables as sorted names, house bots as `house`, and the names of those who wait.
    fn told(waiting: &[Waiting], pairing: &Pairing) -> (Vec<String>, Vec<String>) {
        let name = |chair: &Chair| match chair {
            Chair::Waiting(at) => waiting[*at].player.name.clone(),
            Chair::House(_) => "house".to_owned(),
        };
        let tables = pairing.tables.iter().map(|table| {
            let mut names: Vec<String> = table.0.iter().map(name).collect();
            names.sort_unstable();
            names.join(" ")
        });
        let waits = pairing.waits.iter().map(|(at, _)| waiting[*at].player.name.clone());
        (tables.collect(), waits.collect())
    }

    #[test]
    fn who_sits_down_and_who_waits() {
        let now = Instant::now() + Duration::from_secs(3600);
        #[rustfmt::skip]
        let table: [(&str, &str, &[&str], &[&str]); 11] = [
            ("nobody waits", "", &[], &[]),
            ("five sit down at once", "a 25/0 0, b 25/0 0, c 25/0 0, d 25/0 0, e 25/0 0", &["a b c d e"], &[]),
            ("four wait for a fifth", "a 25/0 19, b 25/0 0, c 25/0 0, d 25/0 0", &[], &["a", "b", "c", "d"]),
            ("one alone gets house bots in time", "a 25/0 20", &["a house house house house"], &[]),
            ("who waited long takes the others along", "a 25/0 0, b 25/0 25, c 25/0 3", &["a b c house house"], &[]),
            ("two of one owner never share a table", "a@x 25/0 5, b@x 25/0 4, c 25/0 0, d 25/0 0, e 25/0 0, f 25/0 0",
                &["a c d e f"], &["b"]),
            ("two of one owner get two tables in time", "a@x 25/0 30, b@x 25/0 30",
                &["a house house house house", "b house house house house"], &[]),
            ("who played least goes first", "a 25/9 3, b 25/9 3, c 25/9 3, d 25/9 3, e 25/9 3, f 25/1 0",
                &["a b c d f"], &["e"]),
            ("the nearest in rating come along", "a 10/0 5, b 40/1 0, c 12/1 0, d 41/1 0, e 11/1 0, f 13/1 0, g 9/1 0",
                &["a c e f g"], &["b", "d"]),
            ("who waited too long goes before who played least",
                "a 40/9 21, b 10/0 0, c 10/0 0, d 10/0 0, e 10/0 0, f 10/0 0", &["a b c d e"], &["f"]),
            ("ten sit down at two tables", "a 1/0 9, b 1/0 1, c 1/0 1, d 1/0 1, e 1/0 1, f 9/0 1, g 9/0 1, h 9/0 1, i 9/0 1, j 9/0 1",
                &["a b c d e", "f g h i j"], &[]),
        ];
        for (story, text, tables, waits) in table {
            let list = waiting(text, now);
            let pairing = pair(&list, &house(&["calm", "bold"]), 99, now, &RULES, &mut chance());
            let (got_tables, got_waits) = told(&list, &pairing);
            assert_eq!(got_tables, tables, "{story}");
            assert_eq!(got_waits, waits, "{story}");
        }
    }

    #[test]
    fn who_waits_is_told_why() {
        let now = Instant::now() + Duration::from_secs(3600);
        let mut list = waiting("a 25/0 1, b 25/0 1, c@b 25/0 1, d 25/3 1", now);
        list[3].wanted = 3;
        let none: Vec<PlayerId> = Vec::new();
        let reasons = |house: &[PlayerId], free_tables| -> Vec<String> {
            let pairing = pair(&list, house, free_tables, now, &RULES, &mut chance());
            pairing.waits.into_iter().map(|(_, reason)| reason).collect()
        };
        let for_others = "It waits for 3 more bots of other owners; house bots fill up once it has waited for 20 seconds.";
        let done = "It has played the 3 matches that it asked for.";
        assert_eq!(reasons(&house(&["calm"]), 9), [for_others, for_others, for_others, done]);
        let for_ever = "It waits for 3 more bots of other owners; this server has no house bots that could fill up.";
        assert_eq!(reasons(&none, 9), [for_ever, for_ever, for_ever, done]);
        let taken = "All tables are taken; it sits down when a match has ended.";
        assert_eq!(reasons(&house(&["calm"]), 0), [taken, taken, taken, done]);
    }

    #[test]
    fn no_more_tables_start_than_are_free() {
        let now = Instant::now() + Duration::from_secs(3600);
        let list = waiting("a 25/0 30, b@a 25/0 40, c@a 25/0 50", now);
        let pairing = pair(&list, &house(&["calm"]), 2, now, &RULES, &mut chance());
        let (tables, waits) = told(&list, &pairing);
        assert_eq!(
            tables,
            ["c house house house house", "b house house house house"],
            "the longest first"
        );
        assert_eq!(waits, ["a"]);
    }

    #[test]
    fn house_bots_differ_while_there_are_enough() {
        let now = Instant::now() + Duration::from_secs(3600);
        let list = waiting("a 25/0 30", now);
        for (names, different) in [(&["p", "q", "r", "s", "t"][..], 4), (&["p", "q"][..], 2)] {
            let pairing = pair(&list, &house(names), 9, now, &RULES, &mut chance());
            let seated: HashSet<&Chair> = pairing.tables[0].0.iter().collect();
            assert_eq!(seated.len(), different + 1, "{names:?}");
        }
    }

    #[test]
    fn chance_mixes_those_of_like_rating() {
        let now = Instant::now() + Duration::from_secs(3600);
        let list =
            waiting("a 25/0 9, b 25/1 0, c 26/1 0, d 27/1 0, e 24/1 0, f 23/1 0, g 22/1 0", now);
        let rules = PairingRules { spread: 8.0, ..RULES };
        let mut chance = chance();
        let tables: HashSet<String> = (0..50)
            .flat_map(|_| told(&list, &pair(&list, &[], 1, now, &rules, &mut chance)).0)
            .collect();
        assert!(tables.len() > 5, "always the same: {tables:?}");
    }

    #[test]
    fn nobody_waits_for_ever() {
        let mut chance = chance();
        let house = house(&["calm", "bold", "wild"]);
        let start = Instant::now() + Duration::from_secs(3600);
        for round in 0..200 {
            let now = start + Duration::from_secs(round);
            let list: Vec<Waiting> = (0..chance.random_range(0..30_u64))
                .map(|at| Waiting {
                    player: player(&format!("bot {at}"), false),
                    owner: format!("owner {}", chance.random_range(0..6)),
                    rating: chance.random_range(0.0..50.0),
                    since: now - Duration::from_secs(chance.random_range(0..40)),
                    wanted: 0,
                    played: chance.random_range(0..100),
                })
                .collect();
            let pairing =
                pair(&list, &house, 99, now, &PairingRules { spread: 4.0, ..RULES }, &mut chance);

            for (at, _) in &pairing.waits {
                assert!(now - list[*at].since < RULES.fill_after, "round {round}: {:?}", list[*at]);
            }
            let mut seen: Vec<usize> = pairing.waits.iter().map(|(at, _)| *at).collect();
            for table in &pairing.tables {
                let mut owners = HashSet::new();
                for chair in &table.0 {
                    if let Chair::Waiting(at) = chair {
                        assert!(owners.insert(&list[*at].owner), "round {round}: one owner twice");
                        seen.push(*at);
                    }
                }
                assert!(!owners.is_empty(), "round {round}: a table of house bots");
            }
            seen.sort_unstable();
            assert_eq!(
                seen,
                (0..list.len()).collect::<Vec<_>>(),
                "round {round}: each sits or waits, once"
            );
        }
    }
}
