//! What the blocks so far come to.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::block::{Block, Role};
use crate::estimate::{Estimate, PerHand};
use crate::schedule::Entrant;

/// What the blocks so far come to, block by block.
#[derive(Clone, Debug)]
pub struct Tally {
    names: Vec<String>,
    blocks: u64,
    tables: u64,
    bots: Vec<BotTally>,
    /// Row − column, over the blocks in which both played.
    differences: Vec<Vec<PerHand>>,
}

#[derive(Clone, Debug, Default)]
struct BotTally {
    all: PerHand,
    roles: BTreeMap<Role, PerHand>,
    /// By the points of a contract: how many it declared, and how many of those it made.
    contracts: BTreeMap<u32, (u64, u64)>,
    trouble: Trouble,
}

/// What went wrong for a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Trouble {
    /// How often its process ended too early.
    pub crashes: u64,
    /// Moves that were made for it since it was late, or sent none that was legal.
    pub defaults: u64,
    /// Answers of it that were refused.
    pub refusals: u64,
    /// Deals that a house bot played to their end for it.
    pub given_up: u64,
}

/// The results, for people and programs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// How many blocks were played.
    pub blocks: u64,
    /// At how many tables.
    pub tables: u64,
    /// The bots, in their order.
    pub bots: Vec<BotSummary>,
    /// Points per 100 hands by which the bot of the row is better than that of the column, on the same deals.
    pub cross: Vec<Vec<Option<Estimate>>>,
}

/// How a bot did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BotSummary {
    /// Its name.
    pub name: String,
    /// Hands, void deals among them; as many for each seat that it had.
    pub hands: u64,
    /// Points per 100 hands.
    pub points: Option<Estimate>,
    /// The same by role.
    pub roles: Vec<RoleSummary>,
    /// Its contracts by the points that they promised.
    pub contracts: Vec<ContractSummary>,
    /// What went wrong.
    pub trouble: Trouble,
}

/// How a bot did in a role.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RoleSummary {
    /// The role.
    pub role: Role,
    /// Its hands.
    pub hands: u64,
    /// Points per 100 of them.
    pub points: Option<Estimate>,
}

/// How often contracts of a level were made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ContractSummary {
    /// The points that they promised.
    pub level: u32,
    /// How many there were.
    pub declared: u64,
    /// How many of them were made.
    pub made: u64,
}

/// What a bot made in one block.
#[derive(Clone, Copy, Default)]
struct Made {
    points: f64,
    hands: f64,
}

impl Made {
    fn add(&mut self, points: f64) {
        self.points += points;
        self.hands += 1.0;
    }

    fn per_hand(self) -> Option<f64> {
        (self.hands > 0.0).then(|| self.points / self.hands)
    }
}

impl Tally {
    /// The tally of bots with these names, before the first block.
    pub fn new(names: Vec<String>) -> Tally {
        let bots = names.len();
        Tally {
            names,
            blocks: 0,
            tables: 0,
            bots: vec![BotTally::default(); bots],
            differences: vec![vec![PerHand::default(); bots]; bots],
        }
    }

    /// Takes in the next block.
    pub fn add(&mut self, block: &Block) {
        self.blocks += 1;
        self.tables += block.tables.len() as u64;
        let made = made(block, self.bots.len());
        let mut by_role: BTreeMap<(Entrant, Role), Made> = BTreeMap::new();
        for table in &block.tables {
            for seat in &table.seats {
                let bot = &mut self.bots[seat.bot];
                bot.trouble.defaults += u64::from(seat.defaults);
                bot.trouble.refusals += u64::from(seat.refusals);
                bot.trouble.given_up += u64::from(seat.given_up);
                if let Some(role) = seat.role {
                    by_role.entry((seat.bot, role)).or_default().add(seat.points());
                }
                if let (Some(Role::Declarer), Some(hand)) = (seat.role, &table.hand) {
                    let (declared, made) = bot.contracts.entry(hand.level).or_default();
                    *declared += 1;
                    *made += u64::from(hand.made);
                }
            }
        }
        for ((bot, role), made) in by_role {
            self.bots[bot].roles.entry(role).or_default().add(made.points, made.hands);
        }
        for (bot, of) in made.iter().enumerate() {
            self.bots[bot].all.add(of.points, of.hands);
            self.bots[bot].trouble.crashes += u64::from(block.crashes[bot]);
            for (other, than) in made.iter().enumerate() {
                if let (Some(of), Some(than)) = (of.per_hand(), than.per_hand())
                    && bot != other
                {
                    self.differences[bot][other].add(of - than, 1.0);
                }
            }
        }
    }

    /// How many blocks were taken in.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// What a bot makes; `None` before its first hand.
    pub fn points(&self, bot: Entrant) -> Option<Estimate> {
        self.bots[bot].all.per_100()
    }

    /// What went wrong for a bot.
    pub fn trouble(&self, bot: Entrant) -> Trouble {
        self.bots[bot].trouble
    }

    /// By how much one bot is better than another; `None` before they played one deal.
    pub fn difference(&self, bot: Entrant, other: Entrant) -> Option<Estimate> {
        self.differences[bot][other].per_100()
    }

    /// The running figure, in a line.
    pub fn line(&self) -> String {
        let figure = |(bot, name): (Entrant, &String)| {
            self.points(bot).map(|points| format!("{name} {points}"))
        };
        self.names.iter().enumerate().filter_map(figure).collect::<Vec<_>>().join(", ")
    }

    /// The results.
    pub fn summary(&self) -> Summary {
        let bots = self.names.iter().zip(&self.bots).map(|(name, bot)| BotSummary {
            name: name.clone(),
            hands: bot.all.hands() as u64,
            points: bot.all.per_100(),
            roles: Role::ALL.map(|role| bot.role(role)).into(),
            contracts: bot.contracts(),
            trouble: bot.trouble,
        });
        let cross = self.differences.iter().map(|row| row.iter().map(PerHand::per_100).collect());
        Summary {
            blocks: self.blocks,
            tables: self.tables,
            bots: bots.collect(),
            cross: cross.collect(),
        }
    }
}

impl BotTally {
    fn role(&self, role: Role) -> RoleSummary {
        let made = self.roles.get(&role).copied().unwrap_or_default();
        RoleSummary { role, hands: made.hands() as u64, points: made.per_100() }
    }

    fn contracts(&self) -> Vec<ContractSummary> {
        let one = |(level, (declared, made)): (&u32, &(u64, u64))| ContractSummary {
            level: *level,
            declared: *declared,
            made: *made,
        };
        self.contracts.iter().map(one).collect()
    }
}

/// What each of so many bots made in a block.
fn made(block: &Block, bots: usize) -> Vec<Made> {
    let mut made = vec![Made::default(); bots];
    for seat in block.tables.iter().flat_map(|table| &table.seats) {
        made[seat.bot].add(seat.points());
    }
    made
}

/// By how many points a hand one bot was better than another in a block, 0 where one of them did not play.
pub fn difference(block: &Block, bot: Entrant, other: Entrant) -> f64 {
    match (points_a_hand(block, bot), points_a_hand(block, other)) {
        (Some(of), Some(than)) => of - than,
        (Some(_) | None, None) | (None, Some(_)) => 0.0,
    }
}

/// What a bot made in a block, in points a hand; `None` where it did not play.
fn points_a_hand(block: &Block, bot: Entrant) -> Option<f64> {
    let mut made = Made::default();
    for seat in block.tables.iter().flat_map(|table| &table.seats).filter(|seat| seat.bot == bot) {
        made.add(seat.points());
    }
    made.per_hand()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::block::{HandPlayed, Played, SeatPlayed};

    /// A table: bots and half points at seats 0 to 4; seat 0 declared 14 and made it, seat 1 was its friend.
    pub(crate) fn table(seats: [(Entrant, i64); 5]) -> Played {
        let roles = [Role::Declarer, Role::Friend, Role::Defender, Role::Defender, Role::Defender];
        let mut roles = roles.into_iter();
        let seats = seats.map(|(bot, half_points)| SeatPlayed {
            bot,
            half_points,
            role: roles.next(),
            defaults: 0,
            refusals: 0,
            given_up: false,
        });
        let contract = "14S".to_owned();
        Played { seats, hand: Some(HandPlayed { contract, level: 14, made: true }) }
    }

    pub(crate) fn block(block: u64, bots: usize, tables: Vec<Played>) -> Block {
        Block { block, tables, crashes: vec![0; bots], records_bytes: 0 }
    }

    fn tally(blocks: &[Block]) -> Summary {
        let mut tally = Tally::new(["new", "old", "rest"].map(str::to_owned).into());
        for block in blocks {
            tally.add(block);
        }
        tally.summary()
    }

    #[test]
    fn a_block_is_one_sample_of_each_bot_and_of_each_difference() {
        let won = table([(0, 8), (1, 4), (2, -4), (2, -4), (2, -4)]);
        let lost = table([(2, 0), (2, 0), (0, 4), (1, -4), (2, 0)]);
        let mut blocks = vec![block(0, 3, vec![won, lost]); 2];
        blocks[1].tables[1].seats[2].given_up = true;
        blocks[1].crashes[0] = 3;
        let Summary { bots, cross, tables, .. } = tally(&blocks);
        assert_eq!(tables, 4);
        let points = |bot: usize| bots[bot].points.expect("it played");
        assert_eq!(points(0), Estimate { points: 300.0, interval: Some(0.0) });
        assert_eq!(points(1).points, 0.0);
        assert_eq!(points(2).points, -100.0);
        assert_eq!((bots[0].hands, bots[2].hands), (4, 12));
        assert_eq!(cross[0][1].map(|of| of.points), Some(300.0));
        assert_eq!(cross[2][0].map(|of| of.points), Some(-400.0));
        assert_eq!(cross[1][1], None);
        let trouble = Trouble { crashes: 3, given_up: 1, ..Trouble::default() };
        assert_eq!(bots[0].trouble, trouble);
    }

    #[test]
    fn hands_are_split_by_role_and_contracts_by_level() {
        let mut failed = table([(0, -8), (1, -4), (2, 4), (2, 4), (2, 4)]);
        failed.hand = Some(HandPlayed { contract: "16N".to_owned(), level: 16, made: false });
        let won = table([(0, 8), (1, 4), (2, -4), (2, -4), (2, -4)]);
        let mut void = table([(0, 0), (1, 0), (2, 0), (2, 0), (2, 0)]);
        void.hand = None;
        void.seats.iter_mut().for_each(|seat| seat.role = None);
        let bots = tally(&[block(0, 3, vec![won.clone(), won, failed, void])]).bots;
        let hands = |bot: usize| [0, 1, 2].map(|role| bots[bot].roles[role].hands);
        assert_eq!((hands(0), hands(1), hands(2)), ([3, 0, 0], [0, 3, 0], [0, 0, 9]));
        assert_eq!(bots[0].hands, 4, "a void deal is a hand without points");
        let declared = bots[0].roles[0].points.expect("it declared").points;
        assert!((declared - 400.0 / 3.0).abs() < 1e-9, "{declared}");
        let contracts: Vec<_> =
            bots[0].contracts.iter().map(|of| (of.level, of.declared, of.made)).collect();
        assert_eq!(contracts, [(14, 2, 2), (16, 1, 0)]);
    }

    #[test]
    fn a_difference_is_taken_per_hand() {
        let won = table([(0, 8), (2, 4), (2, -4), (2, -4), (2, -4)]);
        let lost = table([(1, -2), (2, 4), (2, -4), (2, -4), (2, -4)]);
        let block = block(0, 3, vec![won, lost]);
        assert_eq!(difference(&block, 0, 1), 5.0);
        assert_eq!(difference(&block, 1, 0), -5.0);
        assert_eq!(difference(&block, 0, 3), 0.0);
    }
}
