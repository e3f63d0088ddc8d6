//! `mighty arena`: bots compared on the same deals, on a server of its own.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use mighty_arena::contest::{self, Contest, Contestant};
use mighty_arena::file::{self, Asked};
use mighty_arena::play::{ArenaError, Finish, Settings, play};
use mighty_arena::results::Results;
use mighty_arena::schedule::Form;
use mighty_arena::sequential::Question;
use mighty_rules::Profile;
use mighty_server::config::duration;
use mighty_server::matches::TimeControl;

use crate::failure::Failure;
use crate::say;
use crate::scores;
use crate::text::counted;

/// What to compare.
#[derive(clap::Subcommand)]
pub(crate) enum ArenaCommand {
    /// Play the same deals with several bots, each from every seat, and say how they stand.
    ///
    /// A bot is a command line, or a house bot by its name. Commands are run by the shell and told where to play by
    /// MIGHTY_SERVER, MIGHTY_NAME and MIGHTY_SEATS; {server}, {name} and {seats} in them stand for the same. To a bot
    /// the arena is a ladder. See docs/ARENA.md.
    Run(RunArgs),
    /// Find out whether one bot is better than another.
    ///
    /// Both take every seat of the same deals among the same four others, until a sequential test has the answer.
    Compare(CompareArgs),
}

/// What to play.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// A file that says what is played, in TOML; instead of --bot, --house, --twenty and the options of the deals.
    #[arg(value_name = "FILE", conflicts_with_all = ["bots", "houses", "twenty", "profile", "options", "seed", "bank", "increment"])]
    file: Option<PathBuf>,
    /// A bot of your own (may be repeated).
    #[arg(long = "bot", value_name = "NAME=COMMAND", value_parser = contestant)]
    bots: Vec<Contestant>,
    /// A house bot (may be repeated); the last one fills up a table of five.
    #[arg(long = "house", value_name = "NAME", value_parser = house)]
    houses: Vec<Contestant>,
    /// After how many deals to stop.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    deals: Option<u64>,
    /// Plays each deal at twenty tables, so that each two bots meet in each two seats, rather than at five.
    #[arg(long)]
    twenty: bool,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    output: Output,
}

/// Whom to compare.
#[derive(clap::Args)]
pub(crate) struct CompareArgs {
    /// The one: NAME=COMMAND, or a house bot.
    #[arg(value_name = "A", value_parser = contestant)]
    a: Contestant,
    /// The other.
    #[arg(value_name = "B", value_parser = contestant)]
    b: Contestant,
    /// Who sits around them (up to four times); the last one fills up.
    #[arg(long, value_name = "BOT", default_value = "cautious", value_parser = contestant)]
    field: Vec<Contestant>,
    /// After how many deals to stop without an answer.
    #[arg(long, value_name = "COUNT", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    deals: u64,
    /// The difference that matters, in points a hand.
    #[arg(long, value_name = "POINTS", default_value_t = Question::default().effect, value_parser = effect)]
    effect: f64,
    /// How often, at most, equal bots are told apart.
    #[arg(long, value_name = "SHARE", default_value_t = Question::default().false_alarm, value_parser = share)]
    false_alarm: f64,
    /// How often, at most, a difference as large as --effect is missed.
    #[arg(long, value_name = "SHARE", default_value_t = Question::default().missed, value_parser = share)]
    missed: f64,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    output: Output,
}

/// On what terms the deals are played.
#[derive(clap::Args)]
struct Terms {
    /// The rule profile: classic, hunter, ripper or korean.
    #[arg(long, value_name = "NAME", default_value = file::PROFILE.name())]
    profile: String,
    /// Set an option otherwise, such as auction.minimum=14 (may be repeated).
    #[arg(long = "set", value_name = "PATH=VALUE")]
    options: Vec<String>,
    /// What the deals follow from: the same text deals the same again. Drawn anew when left out.
    #[arg(long, value_name = "TEXT")]
    seed: Option<String>,
    /// The bank of a seat for a deal.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    bank: Duration,
    /// What each move adds to what may be thought about it.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = duration)]
    increment: Duration,
}

/// Where results go.
#[derive(clap::Args)]
struct Output {
    /// The directory for results; an arena that was interrupted goes on there. arena-SEED when left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many tables to play at a time; as many as there are cores when left out.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=64))]
    parallel: Option<u16>,
    /// How long to wait for a bot that does not come to its table.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    patience: Duration,
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values: a line for each bot and role.
    #[arg(long)]
    csv: bool,
}

fn contestant(text: &str) -> Result<Contestant, String> {
    Contestant::read(text).map_err(|error| error.to_string())
}

fn house(text: &str) -> Result<Contestant, String> {
    Contestant::house(text).map_err(|error| error.to_string())
}

fn effect(text: &str) -> Result<f64, String> {
    let read = text.parse::<f64>().ok().filter(|effect| *effect > 0.0 && effect.is_finite());
    read.ok_or_else(|| "give points above 0, such as 0.5".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let read = text.parse::<f64>().ok().filter(|share| *share > 0.0 && *share < 0.5);
    read.ok_or_else(|| "give a share above 0 and below 0.5, such as 0.05".to_owned())
}

impl Terms {
    fn seed(&self) -> String {
        self.seed.clone().unwrap_or_else(|| rand::random::<u32>().to_string())
    }

    fn rules(&self) -> Result<std::sync::Arc<mighty_rules::Rules>, Failure> {
        let profile = Profile::named(&self.profile)
            .map_err(|error| Failure::Unusable(format!("--profile: {error}")))?;
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        file::rules(profile, &options)
            .map_err(|problem| Failure::Unusable(format!("--set: {problem}")))
    }

    fn time(&self) -> Result<TimeControl, Failure> {
        let time = TimeControl { bank: self.bank, increment: self.increment };
        if (time.bank + time.increment).is_zero() {
            let problem = "--bank, --increment: give some time, one of them above 0";
            return Err(Failure::Unusable(problem.to_owned()));
        }
        Ok(time)
    }
}

/// Plays, and prints the results.
pub(crate) fn run(command: &ArenaCommand, out: &mut impl Write) -> Result<(), Failure> {
    match command {
        ArenaCommand::Run(args) => {
            let asked = asked(args)?;
            let deals = args.deals.or(asked.deals).unwrap_or(Settings::default().blocks);
            let directory = args.output.out.clone().or(asked.out);
            Arena { contest: asked.contest, question: Question::default(), deals, directory }
                .run(&args.output, out)
        }
        ArenaCommand::Compare(args) => {
            let field = args.field.clone();
            let (bots, schedule) = contest::comparison(args.a.clone(), args.b.clone(), field)
                .map_err(|error| Failure::Unusable(error.to_string()))?;
            let (rules, seed, time) = (args.terms.rules()?, args.terms.seed(), args.terms.time()?);
            let contest = Contest { bots, schedule, rules, seed, time };
            let question = Question {
                effect: args.effect,
                false_alarm: args.false_alarm,
                missed: args.missed,
            };
            let directory = args.output.out.clone();
            Arena { contest, question, deals: args.deals, directory }.run(&args.output, out)
        }
    }
}

fn asked(args: &RunArgs) -> Result<Asked, Failure> {
    let seed = args.terms.seed();
    if let Some(path) = &args.file {
        let place = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::Unusable(format!("{place} cannot be read: {error}")))?;
        return file::read(&text, &seed)
            .map_err(|error| Failure::Unusable(format!("{place}, {error}")));
    }
    let bots = args.bots.iter().chain(&args.houses).cloned().collect();
    let form = if args.twenty { Form::Twenty } else { Form::Rotations };
    let (bots, schedule) =
        contest::all_comers(bots, form).map_err(|error| Failure::Unusable(error.to_string()))?;
    let (rules, time) = (args.terms.rules()?, args.terms.time()?);
    let contest = Contest { bots, schedule, rules, seed, time };
    Ok(Asked { contest, deals: None, out: None })
}

/// An arena that is to be played.
struct Arena {
    contest: Contest,
    question: Question,
    deals: u64,
    directory: Option<PathBuf>,
}

impl Arena {
    fn run(self, output: &Output, out: &mut impl Write) -> Result<(), Failure> {
        let Arena { contest, question, deals, directory } = self;
        let directory =
            directory.unwrap_or_else(|| format!("arena-{}", file_name(&contest.seed)).into());
        let mut results = Results::open(&directory, &contest, question)
            .map_err(|error| Failure::Unusable(error.to_string()))?;
        let usual = Settings::default();
        let parallel = output.parallel.map_or(usual.parallel, usize::from);
        let settings = Settings { blocks: deals, parallel, patience: output.patience, ..usual };
        say(&format!(
            "{} with seed {}, kept in {}; Ctrl-C stops, and the same command with --seed {} --out {} goes on",
            counted(deals, "deal", "deals"),
            contest.seed,
            directory.display(),
            contest.seed,
            directory.display()
        ));
        let finish = play_all(&contest, &settings, &mut results)?;
        for complaint in scores::complaints(&results) {
            say(&complaint);
        }
        let summary = results.tally().summary();
        let finding = scores::finding(&contest, &question, &results);
        scores::page(&contest, &results, &summary, finding.as_deref())?;
        match () {
            () if output.json => {
                scores::json(&contest, &results, &summary, finding.as_deref(), out)?
            }
            () if output.csv => scores::csv(&summary, out)?,
            () => scores::text(&contest, &results, &summary, finding.as_deref(), out)?,
        }
        match finish {
            Ok(Finish::Played | Finish::Answered) => Ok(()),
            Ok(Finish::Interrupted) => {
                say(&format!(
                    "Interrupted: {} kept.",
                    counted(summary.blocks, "deal is", "deals are")
                ));
                Ok(())
            }
            Err(error) => {
                out.flush()?;
                Err(Failure::Unusable(error.to_string()))
            }
        }
    }
}

/// A seed as part of a file's name.
fn file_name(seed: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    seed.chars().take(64).map(letter).collect()
}

fn play_all(
    contest: &Contest,
    settings: &Settings,
    results: &mut Results,
) -> Result<Result<Finish, ArenaError>, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::Unusable(format!("this machine gives no runtime to a program: {error}"))
    })?;
    let mut progress = Progress::new(settings.blocks);
    let interrupt = async {
        // Without a signal handler Ctrl-C ends the process anyway; what was kept is kept.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    };
    let played = play(contest, settings, results, interrupt, |results| progress.show(results));
    let finish = runtime.block_on(played);
    progress.end();
    Ok(finish)
}

/// The running figure: one line that is written over on a terminal, ten lines in all elsewhere.
struct Progress {
    deals: u64,
    is_terminal: bool,
}

/// How wide the bar is, in letters.
const BAR: u64 = 20;

impl Progress {
    fn new(deals: u64) -> Progress {
        Progress { deals, is_terminal: io::stderr().is_terminal() }
    }

    fn show(&mut self, results: &Results) {
        let (blocks, deals) = (results.tally().blocks(), self.deals);
        let line = format!("{blocks}/{deals} {}", results.tally().line());
        if self.is_terminal {
            let done = (BAR * blocks / deals.max(1)).min(BAR) as usize;
            let bar = format!("{}{}", "#".repeat(done), ".".repeat(BAR as usize - done));
            // That nobody looks at the progress is no reason to stop.
            let _ = write!(io::stderr(), "\r\x1b[K[{bar}] {line}");
        } else if blocks.is_multiple_of((deals / 10).max(1)) {
            say(&line);
        }
    }

    fn end(&self) {
        if self.is_terminal {
            let _ = writeln!(io::stderr());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_a_plain_file_name() {
        assert_eq!(file_name("../7 x"), "---7-x");
    }
}
