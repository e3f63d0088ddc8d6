//! A Rust bot that connects over gRPC and plays a house policy: an example, and an opponent for others.

mod report;

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser};
use mighty_client::{Options, Place, Seat, Server, Session, Stopped, play_many};
use tokio::signal::ctrl_c;

use crate::report::Report;

/// Plays Mighty as a house bot, at a table or in the ladder of a server.
///
/// Ctrl-C leaves: a house bot of the server plays on in the match. The exit code is 0 when all matches were played
/// or the bot left, and 1 when it was refused, lost its seat or could not reach the server.
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// Where the server is
    #[arg(
        long,
        value_name = "URL",
        env = "MIGHTY_SERVER",
        default_value = "http://127.0.0.1:7435"
    )]
    server: String,
    /// The bot's name: 1 to 32 letters, digits, `-`, `_`, `.`
    #[arg(long, env = "MIGHTY_NAME")]
    name: String,
    /// The version of the bot, at most 32 such characters
    #[arg(long, value_name = "VERSION", default_value = "", hide_default_value = true)]
    bot_version: String,
    /// The bot's secret token; a server on loopback needs none
    #[arg(
        long,
        env = "MIGHTY_TOKEN",
        hide_env_values = true,
        default_value = "",
        hide_default_value = true
    )]
    token: String,
    /// How it plays
    #[arg(long, default_value = "cautious", value_parser = PossibleValuesParser::new(mighty_house::NAMES))]
    bot: String,
    #[command(flatten)]
    place: PlaceArguments,
    /// At which seat of the table, 0 to 4; the first open one when left out
    #[arg(long, value_name = "SEAT", conflicts_with = "ladder", value_parser = clap::value_parser!(u8).range(0..5))]
    seat: Option<u8>,
    /// After how many matches of the ladder to stop; never when left out
    #[arg(long, value_name = "COUNT", conflicts_with = "table", value_parser = clap::value_parser!(u32).range(1..))]
    matches: Option<u32>,
    /// How many seats to play at once, each with a stream of its own on one connection
    #[arg(long, value_name = "COUNT", env = "MIGHTY_SEATS", default_value_t = 1, conflicts_with = "seat", value_parser = clap::value_parser!(u16).range(1..=1000))]
    seats: u16,
    /// What decides whatever the bot leaves to chance; drawn anew when left out
    #[arg(long)]
    seed: Option<u64>,
    /// Write what happens as JSON, one object a line
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct PlaceArguments {
    /// Sit down at this table
    #[arg(long, value_name = "ID")]
    table: Option<String>,
    /// Play in the ladder
    #[arg(long, env = "MIGHTY_LADDER")]
    ladder: bool,
}

const EXAMPLES: &str = "\
Examples:
  mighty-bot --name alice --table 0193a2 --seat 2
  mighty-bot --name alice --ladder --matches 10
  mighty-bot --name crowd --bot random --ladder --seats 4 --json";

impl Arguments {
    fn options(&self) -> Options {
        let place = match &self.place.table {
            Some(table_id) => Place::Table {
                table_id: table_id.clone(),
                seat: self.seat.and_then(|seat| Seat::new(seat.into())),
            },
            None => Place::Ladder { matches: self.matches },
        };
        Options {
            version: self.bot_version.clone(),
            token: self.token.clone(),
            ..Options::new(self.name.clone(), place)
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let server = match Server::at(&arguments.server) {
        Ok(server) => server,
        Err(bad) => Arguments::command().error(ErrorKind::ValueValidation, bad).exit(),
    };
    let report = if arguments.json { Report::Json } else { Report::Sentences };
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let stopped = play_many(arguments.seats.into(), |stream| {
        let player = mighty_house::by_name(&arguments.bot, seed.wrapping_add(stream as u64))
            .expect("the command line takes only names of house bots");
        let session = Session::new(&server, arguments.options())
            .on_news(move |news| report.news(stream, news))
            // Without a signal handler Ctrl-C ends the process anyway.
            .leave_when(async { drop(ctrl_c().await) });
        (session, player)
    })
    .await;
    for (stream, why) in stopped.iter().enumerate() {
        report.stopped(stream, why);
    }
    if stopped.iter().all(is_as_wanted) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn is_as_wanted(stopped: &Stopped) -> bool {
    match stopped {
        Stopped::Finished { .. } | Stopped::Left { .. } => true,
        Stopped::TakenOver
        | Stopped::SeatGivenUp
        | Stopped::BrokenOff
        | Stopped::Refused { .. }
        | Stopped::GaveUpReconnecting { .. }
        | Stopped::Misunderstood { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, ErrorKind> {
        Arguments::try_parse_from(line.split_whitespace()).map_err(|error| error.kind())
    }

    #[test]
    fn the_command_line_makes_sense() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_place_is_a_table_or_the_ladder() {
        let place = |line| read(line).map(|arguments| arguments.options().place);
        let at_table = |seat| Place::Table { table_id: "t1".to_owned(), seat };
        let table = [
            ("bot --name a --table t1", Ok(at_table(None))),
            ("bot --name a --table t1 --seat 3", Ok(at_table(Seat::new(3)))),
            ("bot --name a --ladder", Ok(Place::Ladder { matches: None })),
            ("bot --name a --ladder --matches 5", Ok(Place::ladder(5))),
            ("bot --name a", Err(ErrorKind::MissingRequiredArgument)),
            ("bot --ladder", Err(ErrorKind::MissingRequiredArgument)),
            ("bot --name a --ladder --table t1", Err(ErrorKind::ArgumentConflict)),
            ("bot --name a --ladder --seat 3", Err(ErrorKind::ArgumentConflict)),
            ("bot --name a --table t1 --matches 5", Err(ErrorKind::ArgumentConflict)),
            ("bot --name a --table t1 --seat 5", Err(ErrorKind::ValueValidation)),
            ("bot --name a --table t1 --seat 3 --seats 2", Err(ErrorKind::ArgumentConflict)),
            ("bot --name a --ladder --seats 0", Err(ErrorKind::ValueValidation)),
            ("bot --name a --ladder --bot reckless", Err(ErrorKind::InvalidValue)),
        ];
        for (line, expected) in table {
            assert_eq!(place(line), expected, "{line}");
        }
    }
}
