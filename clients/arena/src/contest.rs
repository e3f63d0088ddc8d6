//! What is played: who takes part, by which rules, on which deals.

use std::sync::Arc;

use mighty_rules::Rules;
use mighty_server::matches::TimeControl;
use serde_json::{Value, json};

use crate::schedule::{Entrant, Form, Schedule};

/// Everything that decides the results of an arena, but the bots themselves.
#[derive(Clone, Debug)]
pub struct Contest {
    /// Who takes part.
    pub bots: Vec<Contestant>,
    /// Who sits where.
    pub schedule: Schedule,
    /// The rules; a table plays one deal, so that a match has one hand.
    pub rules: Arc<Rules>,
    /// What its deals follow from.
    pub seed: String,
    /// The clock of a seat for a deal.
    pub time: TimeControl,
}

/// A bot that takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contestant {
    /// Its name in tables and files; one that connects says hello with it.
    pub name: String,
    /// How it plays.
    pub origin: Origin,
}

/// Where a bot comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The house bot of this name, in process.
    House(String),
    /// A process that this command line starts.
    Command(String),
}

/// Bots that cannot take part.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoContest {
    /// There is no such house bot.
    #[error(
        "there is no house bot `{name}`; there are {}. A bot of your own is written NAME=COMMAND",
        known()
    )]
    NoSuchHouseBot {
        /// The name.
        name: String,
    },
    /// A name that no bot may have.
    #[error("`{name}` cannot name a bot; take 1 to 32 letters, digits, `-`, `_` or `.`")]
    WrongName {
        /// The name.
        name: String,
    },
    /// A house bot has it.
    #[error("`{name}` is the name of a house bot; choose another one for your own")]
    NameOfHouseBot {
        /// The name.
        name: String,
    },
    /// A command line without a word.
    #[error(
        "`{name}` has no command; write the one that starts it, such as {name}=\"python bot.py\""
    )]
    NoCommand {
        /// The bot.
        name: String,
    },
    /// Two have one name.
    #[error("two bots are called `{name}`; give each a name of its own")]
    SameName {
        /// The name.
        name: String,
    },
    /// Nobody takes part.
    #[error(
        "no bot takes part; name at least two, such as --bot new=\"python my.py\" --house cautious"
    )]
    TooFew,
    /// Too many combinations of five.
    #[error("{bots} bots take part, and at most {most} can; leave some out")]
    TooMany {
        /// How many.
        bots: usize,
        /// How many may.
        most: usize,
    },
    /// More than four in the field.
    #[error("a field of {bots} does not fit around a bot; name four at most")]
    FieldTooLarge {
        /// How many.
        bots: usize,
    },
    /// Rules that do not fit.
    #[error("a table of the arena plays one deal, so match.hands is always 1; leave it unset")]
    HandsAreSet,
}

/// The bots of an arena at most: they have 792 combinations of five.
pub const BOTS_MAX: usize = 12;

fn known() -> String {
    mighty_house::NAMES.join(" and ")
}

impl Contestant {
    /// The house bot of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn house(name: &str) -> Result<Contestant, NoContest> {
        if !mighty_house::NAMES.contains(&name) {
            return Err(NoContest::NoSuchHouseBot { name: name.to_owned() });
        }
        Ok(Contestant { name: name.to_owned(), origin: Origin::House(name.to_owned()) })
    }

    /// A bot that a command line starts.
    ///
    /// # Errors
    /// A name that it cannot have, or no command.
    pub fn command(name: &str, command: &str) -> Result<Contestant, NoContest> {
        let name = name.to_owned();
        let is_allowed = |letter: u8| letter.is_ascii_alphanumeric() || b"-_.".contains(&letter);
        if name.is_empty() || name.len() > 32 || !name.bytes().all(is_allowed) {
            return Err(NoContest::WrongName { name });
        }
        if mighty_house::NAMES.contains(&name.as_str()) {
            return Err(NoContest::NameOfHouseBot { name });
        }
        if command.trim().is_empty() {
            return Err(NoContest::NoCommand { name });
        }
        Ok(Contestant { name, origin: Origin::Command(command.trim().to_owned()) })
    }

    /// Reads `NAME=COMMAND`, or the name of a house bot.
    ///
    /// # Errors
    /// As the other two.
    pub fn read(text: &str) -> Result<Contestant, NoContest> {
        match text.split_once('=') {
            Some((name, command)) => Contestant::command(name.trim(), command),
            None => Contestant::house(text.trim()),
        }
    }
}

/// The bots and the schedule where each meets each. Fewer than five are filled up with the last house bot, with
/// `cautious` where there is none.
///
/// # Errors
/// Too few, too many, or two of one name.
pub fn all_comers(
    mut bots: Vec<Contestant>,
    form: Form,
) -> Result<(Vec<Contestant>, Schedule), NoContest> {
    if bots.is_empty() {
        return Err(NoContest::TooFew);
    }
    let is_house = |bot: &Contestant| matches!(bot.origin, Origin::House(_));
    if bots.len() < 5 && !bots.iter().any(is_house) {
        bots.push(Contestant::house(FILLER)?);
    }
    check(&bots)?;
    let filler = bots.iter().rposition(is_house).unwrap_or(0);
    let schedule = Schedule::of(bots.len(), filler, form);
    Ok((bots, schedule))
}

/// Who fills up a table where nobody else is named.
const FILLER: &str = "cautious";

/// Bots may take part together when there are some, not too many, each with a name of its own.
fn check(bots: &[Contestant]) -> Result<(), NoContest> {
    if bots.len() < 2 {
        return Err(NoContest::TooFew);
    }
    if bots.len() > BOTS_MAX {
        return Err(NoContest::TooMany { bots: bots.len(), most: BOTS_MAX });
    }
    for (at, bot) in bots.iter().enumerate() {
        if bots[..at].iter().any(|other| other.name == bot.name) {
            return Err(NoContest::SameName { name: bot.name.clone() });
        }
    }
    Ok(())
}

/// The bots and the schedule of a comparison: who is compared, then the field, its last filling up to four.
///
/// # Errors
/// Two of one name, or a field that is too large.
pub fn comparison(
    a: Contestant,
    b: Contestant,
    field: Vec<Contestant>,
) -> Result<(Vec<Contestant>, Schedule), NoContest> {
    if field.len() > 4 {
        return Err(NoContest::FieldTooLarge { bots: field.len() });
    }
    let mut bots = vec![a, b];
    let mut seated: Vec<Entrant> = Vec::new();
    for mut bot in field {
        let is_house = matches!(bot.origin, Origin::House(_));
        if is_house && bots[..2].iter().any(|compared| compared.name == bot.name) {
            bot.name = format!("{} (field)", bot.name);
        }
        match bots.iter().position(|known| *known == bot) {
            Some(known) if known >= 2 => seated.push(known),
            Some(_) | None => {
                seated.push(bots.len());
                bots.push(bot);
            }
        }
    }
    check(&bots)?;
    let last = *seated.last().ok_or(NoContest::TooFew)?;
    seated.resize(4, last);
    let field = seated.try_into().expect("four were seated");
    Ok((bots, Schedule::Compare { a: 0, b: 1, field }))
}

impl Contest {
    /// What a directory of results says of its contest: equal contests say the same.
    pub fn identity(&self) -> Value {
        let schedule = match &self.schedule {
            Schedule::Lineups { form, .. } => json!(form.name()),
            Schedule::Compare { field, .. } => json!({ "compare": [0, 1], "field": field }),
        };
        let bots = self.bots.iter().map(|bot| match &bot.origin {
            Origin::House(house) => json!({ "name": bot.name, "house": house }),
            Origin::Command(command) => json!({ "name": bot.name, "command": command }),
        });
        json!({
            "bots": bots.collect::<Vec<_>>(),
            "schedule": schedule,
            "profile": self.rules.profile().name(),
            "overrides": self.rules.overrides(),
            "rules_hash": self.rules.hash(),
            "seed": self.seed,
            "bank_ms": self.time.bank.as_millis() as u64,
            "increment_ms": self.time.increment.as_millis() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Contestant {
        Contestant::read(text).expect(text)
    }

    #[test]
    fn a_bot_is_a_house_bot_or_a_name_with_a_command() {
        assert_eq!(read("cautious").origin, Origin::House("cautious".to_owned()));
        let new = read("new=python my.py --level=3");
        assert_eq!(new.origin, Origin::Command("python my.py --level=3".to_owned()));
        for (text, said) in [
            ("reckless", "random and cautious"),
            ("two words=x", "letters"),
            ("=x", "letters"),
            ("cautious=x", "name of a house bot"),
            ("new= ", "no command"),
        ] {
            let error = Contestant::read(text).expect_err(text).to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn bots_that_take_part_have_names_of_their_own() {
        let refused = |bots: Vec<Contestant>| {
            all_comers(bots, Form::Rotations).expect_err("they cannot take part")
        };
        assert_eq!(refused(vec![]), NoContest::TooFew);
        assert_eq!(refused(vec![read("cautious")]), NoContest::TooFew);
        let twice = vec![read("a=x"), read("a=y")];
        assert_eq!(refused(twice), NoContest::SameName { name: "a".to_owned() });
        let crowd = (0..13).map(|bot| read(&format!("bot{bot}=x"))).collect();
        assert_eq!(refused(crowd), NoContest::TooMany { bots: 13, most: 12 });
    }

    #[test]
    fn the_last_house_bot_fills_up() {
        for (bots, seats) in [
            (
                vec!["a=x", "random", "cautious"],
                ["a", "random", "cautious", "cautious", "cautious"],
            ),
            (vec!["random", "a=x"], ["random", "a", "random", "random", "random"]),
            (vec!["a=x", "b=x"], ["a", "b", "cautious", "cautious", "cautious"]),
            (vec!["a=x", "b=x", "c=x", "d=x", "e=x"], ["a", "b", "c", "d", "e"]),
        ] {
            let bots = bots.into_iter().map(read).collect();
            let (bots, schedule) = all_comers(bots, Form::Rotations).expect("they take part");
            let seated = schedule.seats(0, 0).map(|bot| bots[bot].name.clone());
            assert_eq!(seated.0, seats);
        }
    }

    #[test]
    fn the_last_of_the_field_fills_up() {
        let (bots, schedule) =
            comparison(read("cautious"), read("a=x"), vec![read("random"), read("cautious")])
                .expect("they can be compared");
        let names: Vec<&str> = bots.iter().map(|bot| &*bot.name).collect();
        assert_eq!(names, ["cautious", "a", "random", "cautious (field)"]);
        assert_eq!(schedule, Schedule::Compare { a: 0, b: 1, field: [2, 3, 3, 3] });
        let five = vec![read("random"); 5];
        let refused = comparison(read("a=x"), read("b=x"), five);
        assert_eq!(refused.expect_err("five is too many"), NoContest::FieldTooLarge { bots: 5 });
        assert!(comparison(read("cautious"), read("cautious"), vec![read("random")]).is_err());
    }
}
