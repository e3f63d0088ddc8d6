//! The command line of Mighty: looks at rules, verifies records, follows tables and the ladder, compares bots.

mod arena;
mod board;
mod drawing;
mod failure;
mod ladder;
mod paint;
mod profiles;
mod records;
mod room;
#[cfg(test)]
mod sample;
mod scores;
mod seats;
mod server;
mod show;
mod tables;
mod telling;
mod text;
mod transcript;
mod verify;
mod watch;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;
use crate::paint::Paint;
use crate::records::RecordCommand;
use crate::server::Remote;
use crate::text::printable_sentence;

/// The command line of Mighty, the five-player trick game.
#[derive(Parser)]
#[command(name = "mighty", version, arg_required_else_help = true, after_help = EXIT_CODES)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  a record differs from its replay, or the server refused
  2  wrong usage, or something that cannot be read
  3  no server answers";

#[derive(Subcommand)]
enum Command {
    /// Replay records and compare all that they say of themselves.
    ///
    /// Reads lines of vectors.jsonl, of matches.jsonl and of exported records alike, blank lines skipped. Each hand is
    /// printed as one JSON object a line, with the fields of vectors.jsonl. Every difference is named on the error
    /// output with file and line; deck commitments are checked wherever the seed is published.
    ///
    /// Exits with 1 when anything differs, and with 2 when a line or a file cannot be read (the other lines are
    /// verified all the same, unless the first twenty of a file are all unreadable).
    Verify {
        /// Files to verify; - is the standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print no hands, only what is wrong.
        #[arg(long, short)]
        quiet: bool,
        /// Print JSON, as it does anyway.
        #[arg(long)]
        json: bool,
    },
    /// List the rule profiles, or describe every option of one.
    ///
    /// Needs no server. Equal rules have equal hashes.
    Profiles(profiles::Args),
    /// List the tables, newest first.
    Tables(tables::ListArgs),
    /// Make a table; its match begins when every open seat is taken.
    CreateTable(tables::CreateArgs),
    /// Follow a table as a spectator.
    ///
    /// On a terminal the table is drawn; in a pipe, each event is a line. Bots play a hand in milliseconds: what happens
    /// is kept and shown at --speed, and the show jumps to the present when it is too far behind. Ctrl-C ends it.
    ///
    /// < has the turn; in the tricks, > leads, * wins, and ! says that the joker was called. NO_COLOR turns the colours
    /// off.
    Watch(watch::Args),
    /// Print how the bots of the ladder stand.
    Standings(Remote),
    /// List the finished matches of the ladder, newest first.
    Matches(ladder::MatchesArgs),
    /// Say who plays in the ladder, who waits, for what and why.
    Status(Remote),
    /// Compare bots on the same deals, on a server of its own.
    Arena {
        #[command(subcommand)]
        command: Box<arena::ArenaCommand>,
    },
    /// Fetch, show or list the records of matches.
    Record {
        #[command(subcommand)]
        command: RecordCommand,
    },
}

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    let ending = run(CommandLine::parse().command, &mut out)
        .and_then(|code| out.flush().map(|()| code).map_err(Failure::from));
    match ending {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            if let Some(sentence) = failure.sentence() {
                sentence.lines().for_each(say);
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: Command, out: &mut impl Write) -> Result<u8, Failure> {
    match command {
        Command::Verify { files, quiet, json: _ } => {
            let findings = verify::verify(&files, quiet, out, &mut io::stderr())?;
            say(&findings.to_string());
            Ok(findings.exit_code())
        }
        Command::Profiles(args) => profiles::run(&args, out).map(|()| 0),
        Command::Tables(args) => ask(tables::list(&args, out)),
        Command::CreateTable(args) => ask(tables::create(&args, out)),
        Command::Watch(args) => ask(watch::watch(&args, io::stdout().is_terminal(), out)),
        Command::Standings(remote) => ask(ladder::standings(&remote, out)),
        Command::Matches(args) => ask(ladder::matches(&args, out)),
        Command::Status(remote) => ask(ladder::status(&remote, out)),
        Command::Arena { command } => arena::run(&command, out).map(|()| 0),
        Command::Record { command } => {
            let paint = Paint::of_output(io::stdout().is_terminal());
            ask(records::run(&command, paint, out))
        }
    }
}

/// Runs a command that asks a server.
fn ask(command: impl Future<Output = Result<(), Failure>>) -> Result<u8, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::Unusable(format!("this machine gives no runtime to a program: {error}"))
    })?;
    runtime.block_on(command).map(|()| 0)
}

/// Says something on the error output. That nobody listens there is no reason to stop.
pub(crate) fn say(sentence: &str) {
    let _ = writeln!(io::stderr(), "{}", printable_sentence(sentence));
}
