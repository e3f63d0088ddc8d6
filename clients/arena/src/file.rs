//! Arena files: a contest in TOML.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mighty_rules::{Profile, Rules};
use mighty_server::config::duration;
use mighty_server::matches::TimeControl;
use serde::Deserialize;
use toml::Spanned;

use crate::contest::{self, Contest, Contestant, NoContest};
use crate::schedule::Form;

/// What an arena file asks for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What is played.
    pub contest: Contest,
    /// How many blocks, where it says so.
    pub deals: Option<u64>,
    /// Where results are kept, where it says so.
    pub out: Option<PathBuf>,
}

/// An arena file that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BadFile {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    profile: Option<Spanned<String>>,
    #[serde(default)]
    set: Vec<Spanned<String>>,
    deals: Option<Spanned<u64>>,
    seed: Option<Spanned<String>>,
    form: Option<Spanned<String>>,
    bank: Option<Spanned<String>>,
    increment: Option<Spanned<String>>,
    out: Option<PathBuf>,
    #[serde(default)]
    bot: Vec<Spanned<BotTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BotTable {
    name: Option<Spanned<String>>,
    command: Option<Spanned<String>>,
    house: Option<Spanned<String>>,
}

/// The clock of a seat for a deal, where nothing else is said.
pub const TIME: TimeControl =
    TimeControl { bank: Duration::from_secs(10), increment: Duration::from_secs(2) };

/// The profile that is played, where nothing else is said.
pub const PROFILE: Profile = Profile::Korean;

/// Rules of an arena: a profile, and options set otherwise, each as `path=value`.
///
/// # Errors
/// There is no such option or value, or the number of hands is set.
pub fn rules(profile: Profile, options: &[&str]) -> Result<Arc<Rules>, String> {
    let mut texts = vec![("match.hands", "1")];
    for option in options {
        let (path, value) =
            option.split_once('=').ok_or("write a path and a value, such as auction.minimum=14")?;
        if path == "match.hands" {
            return Err(NoContest::HandsAreSet.to_string());
        }
        texts.push((path, value));
    }
    Rules::with_texts(profile, texts).map(Arc::new).map_err(|error| error.to_string())
}

/// Reads an arena file. Where it names no seed, `seed` is taken.
///
/// # Errors
/// The line that is wrong, and what would be right.
pub fn read(text: &str, seed: &str) -> Result<Asked, BadFile> {
    let line_of = |at: Range<usize>| 1 + text[..at.start.min(text.len())].matches('\n').count();
    let bad = |at: Range<usize>, problem: String| BadFile { line: line_of(at), problem };
    let file: File = toml::from_str(text).map_err(|error| {
        let problem = error.message().trim().replace('\n', ", ");
        bad(error.span().unwrap_or(0..0), problem)
    })?;
    let mut profile = PROFILE;
    if let Some(name) = &file.profile {
        profile =
            Profile::named(name.get_ref()).map_err(|error| bad(name.span(), error.to_string()))?;
    }
    for option in &file.set {
        rules(profile, &[option.get_ref()]).map_err(|problem| bad(option.span(), problem))?;
    }
    let options: Vec<&str> = file.set.iter().map(|option| option.get_ref().as_str()).collect();
    let at = file.set.first().map_or(0..0, Spanned::span);
    let rules = rules(profile, &options).map_err(|problem| bad(at, problem))?;
    let form = match &file.form {
        None => Form::Rotations,
        Some(name) => [Form::Rotations, Form::Twenty]
            .into_iter()
            .find(|form| form.name() == name.get_ref())
            .ok_or_else(|| bad(name.span(), "form: write rotations or twenty".to_owned()))?,
    };
    let mut time = TIME;
    for (which, value) in [(&mut time.bank, &file.bank), (&mut time.increment, &file.increment)] {
        if let Some(value) = value {
            *which = duration(value.get_ref()).map_err(|problem| bad(value.span(), problem))?;
        }
    }
    if let Some(deals) = file.deals.as_ref().filter(|deals| *deals.get_ref() == 0) {
        return Err(bad(deals.span(), "deals: give at least 1".to_owned()));
    }
    let mut bots: Vec<Contestant> = Vec::with_capacity(file.bot.len());
    for table in &file.bot {
        let bot = contestant(table).map_err(|(at, problem)| bad(at, problem))?;
        if bots.iter().any(|other| other.name == bot.name) {
            let problem = NoContest::SameName { name: bot.name };
            return Err(bad(table.span(), problem.to_string()));
        }
        bots.push(bot);
    }
    let end = file.bot.last().map_or(text.len()..text.len(), Spanned::span);
    let (bots, schedule) =
        contest::all_comers(bots, form).map_err(|error| bad(end, error.to_string()))?;
    let seed = file.seed.map_or_else(|| seed.to_owned(), Spanned::into_inner);
    let contest = Contest { bots, schedule, rules, seed, time };
    Ok(Asked { contest, deals: file.deals.map(Spanned::into_inner), out: file.out })
}

fn contestant(table: &Spanned<BotTable>) -> Result<Contestant, (Range<usize>, String)> {
    let BotTable { name, command, house } = table.get_ref();
    let (bot, at) = match (name, command, house) {
        (None, None, Some(house)) => (Contestant::house(house.get_ref()), house.span()),
        (Some(name), Some(command), None) => {
            (Contestant::command(name.get_ref(), command.get_ref()), name.span())
        }
        (_, _, _) => {
            let problem = "a bot has either a house, or a name and a command".to_owned();
            return Err((table.span(), problem));
        }
    };
    bot.map_err(|error| (at, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::Origin;
    use crate::schedule::Schedule;

    const WHOLE: &str = r#"
profile = "classic"
set = ["auction.minimum=14"]
deals = 200
seed = "7"
form = "twenty"
bank = "5s"
increment = "500ms"
out = "results"

[[bot]]
name = "new"
command = "python my.py"

[[bot]]
house = "cautious"
"#;

    #[test]
    fn a_file_says_who_plays_what() {
        let Asked { contest, deals, out } = read(WHOLE, "8").expect("it is right");
        assert_eq!((deals, out), (Some(200), Some(PathBuf::from("results"))));
        assert_eq!(contest.seed, "7");
        assert_eq!(contest.rules.profile(), Profile::Classic);
        assert_eq!((contest.rules.auction.minimum, contest.rules.r#match.hands), (14, 1));
        assert_eq!(contest.time.increment, Duration::from_millis(500));
        assert_eq!(contest.schedule, Schedule::of(2, 1, Form::Twenty));
        assert_eq!(contest.bots[0].origin, Origin::Command("python my.py".to_owned()));
        assert_eq!(contest.bots[1].name, "cautious");
    }

    #[test]
    fn a_wrong_file_names_the_line() {
        for (right, wrong, line, said) in [
            ("\"classic\"", "\"poker\"", 2, "classic, hunter, ripper"),
            ("auction.minimum=14", "auction.minimum", 3, "auction.minimum=14"),
            ("auction.minimum=14", "auction.lowest=14", 3, "auction.minimum"),
            ("auction.minimum=14", "match.hands=5", 3, "leave it unset"),
            ("deals = 200", "deals = 0", 4, "at least 1"),
            ("deals = 200", "deals = \"many\"", 4, "u64"),
            ("deals = 200", "deals 200", 4, "="),
            ("seed =", "sead =", 5, "unknown field `sead`"),
            ("\"twenty\"", "\"thirty\"", 6, "rotations or twenty"),
            ("\"5s\"", "\"five\"", 7, "10s"),
            ("\"new\"", "\"my bot\"", 12, "letters"),
            ("command =", "house =", 11, "either a house"),
            ("\"cautious\"", "\"reckless\"", 16, "random and cautious"),
        ] {
            let text = WHOLE.replacen(right, wrong, 1);
            let error = read(&text, "8").expect_err(wrong);
            assert_eq!(error.line, line, "{wrong}: {error}");
            assert!(error.problem.contains(said), "{wrong}: {error}");
        }
        let nobody = &WHOLE[..WHOLE.find("[[bot]]").expect("there are two")];
        assert!(read(nobody, "8").expect_err("nobody").problem.contains("at least two"));
        let twice = format!("{WHOLE}\n[[bot]]\nhouse = \"cautious\"\n");
        assert_eq!(read(&twice, "8").expect_err("twice").line, 18);
    }
}
