//! Who sits where, table after table: blocks in which the same deal is played from every seat.

use mighty_rules::{BySeat, Seat, Seed};
use sha2::{Digest, Sha256};

/// A bot, by its place in the list of those that take part, from 0.
pub type Entrant = usize;

/// What is played: block after block, the same at every time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Five bots at each table; where there are more, each combination of five has its turn.
    Lineups {
        /// The five of each block; blocks go through them over and over.
        lineups: Vec<[Entrant; 5]>,
        /// How a block is made.
        form: Form,
    },
    /// Two bots each take every seat of the same deal among the same four others.
    Compare {
        /// The one.
        a: Entrant,
        /// The other.
        b: Entrant,
        /// Who sits left of them, in order.
        field: [Entrant; 4],
    },
}

/// How a deal is played by five bots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Five tables: everybody moves on by one seat, so that each bot has each seat once.
    Rotations,
    /// Twenty tables: each ordered pair of bots has each ordered pair of seats once.
    Twenty,
}

impl Form {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Form::Rotations => "rotations",
            Form::Twenty => "twenty",
        }
    }
}

impl Schedule {
    /// Every combination of five of so many bots; fewer than five are filled up with one of them.
    pub fn of(bots: usize, filler: Entrant, form: Form) -> Schedule {
        let lineups = match bots {
            0..5 => vec![std::array::from_fn(|chair| if chair < bots { chair } else { filler })],
            _ => combinations(bots),
        };
        Schedule::Lineups { lineups, form }
    }

    /// How many tables a block has.
    pub fn tables(&self) -> usize {
        match self {
            Schedule::Lineups { form: Form::Rotations, .. } => 5,
            Schedule::Lineups { form: Form::Twenty, .. } => 20,
            Schedule::Compare { .. } => 10,
        }
    }

    /// Who sits where at a table of a block, both from 0.
    pub fn seats(&self, block: u64, table: usize) -> BySeat<Entrant> {
        match self {
            Schedule::Lineups { lineups, form } => {
                let lineup = lineups[(block % lineups.len() as u64) as usize];
                let step = match form {
                    Form::Rotations => 1,
                    // The maps chair → step · chair + table over the field of five elements: exactly one takes a given
                    // pair of chairs to a given pair of seats.
                    Form::Twenty => 1 + table / 5,
                };
                let mut seats = BySeat::default();
                for (chair, entrant) in lineup.into_iter().enumerate() {
                    seats[Seat::ALL[(step * chair + table) % 5]] = entrant;
                }
                seats
            }
            Schedule::Compare { a, b, field } => {
                let compared = if table.is_multiple_of(2) { *a } else { *b };
                let place = Seat::ALL[table / 2 % 5];
                let mut seats = BySeat::default();
                seats[place] = compared;
                for (chair, entrant) in (1..).zip(field) {
                    seats[place.after(chair)] = *entrant;
                }
                seats
            }
        }
    }

    /// The seats that this bot has at one table at most.
    pub fn most_seats(&self, entrant: Entrant) -> usize {
        let blocks = match self {
            Schedule::Lineups { lineups, .. } => lineups.len() as u64,
            Schedule::Compare { .. } => 1,
        };
        let count = |(block, table)| {
            let seats: BySeat<Entrant> = self.seats(block, table);
            seats.0.iter().filter(|seated| **seated == entrant).count()
        };
        let tables = (0..blocks).flat_map(|block| [(block, 0), (block, 1)]);
        tables.map(count).max().unwrap_or(0)
    }
}

/// Every five of so many, in order.
fn combinations(bots: usize) -> Vec<[Entrant; 5]> {
    let mut all = Vec::new();
    let mut five = [0, 1, 2, 3, 4];
    loop {
        all.push(five);
        let Some(at) = (0..5).rev().find(|at| five[*at] < bots - 5 + at) else { return all };
        five[at] += 1;
        for later in at + 1..5 {
            five[later] = five[later - 1] + 1;
        }
    }
}

/// The secret of the deal of a block, which is the same for the same seed of the arena.
pub fn deal_seed(seed: &str, block: u64) -> Seed {
    Seed::new(Sha256::digest(format!("mighty arena/{block}/{seed}")).into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// How often each bot had each seat in a block.
    fn seats_had(schedule: &Schedule, block: u64) -> BTreeMap<(Entrant, usize), usize> {
        let mut had = BTreeMap::new();
        for table in 0..schedule.tables() {
            for (seat, entrant) in schedule.seats(block, table).iter() {
                *had.entry((*entrant, seat.number())).or_insert(0) += 1;
            }
        }
        had
    }

    #[test]
    fn in_rotations_each_bot_has_each_seat_once() {
        let had = seats_had(&Schedule::of(5, 0, Form::Rotations), 0);
        assert_eq!(had.len(), 25);
        assert!(had.values().all(|times| *times == 1), "{had:?}");
    }

    #[test]
    fn at_twenty_tables_each_pair_of_bots_has_each_pair_of_seats_once() {
        let schedule = Schedule::of(5, 0, Form::Twenty);
        let mut met = BTreeMap::new();
        for table in 0..schedule.tables() {
            let seats = schedule.seats(0, table);
            for (seat, one) in seats.iter() {
                for (other_seat, other) in seats.iter().filter(|(other, _)| *other != seat) {
                    let pair = (*one, *other, seat.number(), other_seat.number());
                    *met.entry(pair).or_insert(0) += 1;
                }
            }
        }
        assert_eq!(met.len(), 20 * 20);
        assert!(met.values().all(|times| *times == 1));
    }

    #[test]
    fn fewer_than_five_are_filled_up() {
        let schedule = Schedule::of(3, 2, Form::Rotations);
        assert_eq!(schedule.seats(7, 0).0, [0, 1, 2, 2, 2]);
        assert_eq!(schedule.seats(7, 1).0, [2, 0, 1, 2, 2]);
        assert_eq!([0, 1, 2].map(|entrant| schedule.most_seats(entrant)), [1, 1, 3]);
    }

    #[test]
    fn of_seven_every_five_have_their_turn() {
        let schedule = Schedule::of(7, 0, Form::Rotations);
        let Schedule::Lineups { lineups, .. } = &schedule else { panic!("{schedule:?}") };
        let mut different = lineups.clone();
        different.dedup();
        assert_eq!((lineups.len(), different.len()), (21, 21));
        assert_eq!((lineups[0], lineups[1]), ([0, 1, 2, 3, 4], [0, 1, 2, 3, 5]));
        assert_eq!(lineups[20], [2, 3, 4, 5, 6]);
        assert_eq!(schedule.seats(21, 0), schedule.seats(0, 0));
    }

    #[test]
    fn both_take_every_seat_among_the_same_field() {
        let schedule = Schedule::Compare { a: 0, b: 1, field: [2, 2, 2, 3] };
        let had = seats_had(&schedule, 0);
        for seat in 0..5 {
            assert_eq!((had[&(0, seat)], had[&(1, seat)]), (1, 1), "seat {seat}");
        }
        assert_eq!(schedule.seats(0, 4).0, [2, 3, 0, 2, 2]);
        assert_eq!(schedule.seats(0, 5).0, [2, 3, 1, 2, 2]);
        assert_eq!([0, 1, 2, 3].map(|entrant| schedule.most_seats(entrant)), [1, 1, 3, 1]);
    }

    #[test]
    fn a_seed_repeats_its_deals() {
        let decks = |seed: &str| [0, 1].map(|block| deal_seed(seed, block).deck(1, 0));
        assert_eq!(decks("7"), decks("7"));
        let [first, second] = decks("7");
        assert_ne!(first, second);
        assert_ne!(first, decks("8")[0]);
    }
}
