//! The command line of Mighty: looks at rules, verifies records, follows tables and the ladder.

mod failure;
mod profiles;
mod text;
mod verify;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;
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
    /// verified all the same).
    Verify {
        /// Files to verify; - is the standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print no hands, only what is wrong.
        #[arg(long, short)]
        quiet: bool,
    },
    /// List the rule profiles, or describe every option of one.
    ///
    /// Needs no server. Equal rules have equal hashes.
    Profiles(profiles::Args),
}

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    let ending = run(CommandLine::parse().command, &mut out)
        .and_then(|code| out.flush().map(|()| code).map_err(Failure::from));
    match ending {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            if let Some(sentence) = failure.sentence() {
                say(sentence);
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: Command, out: &mut impl Write) -> Result<u8, Failure> {
    match command {
        Command::Verify { files, quiet } => {
            let findings = verify::verify(&files, quiet, out, &mut io::stderr())?;
            say(&findings.to_string());
            Ok(findings.exit_code())
        }
        Command::Profiles(args) => profiles::run(&args, out),
    }
}

/// Says something on the error output. That nobody listens there is no reason to stop.
fn say(sentence: &str) {
    let _ = writeln!(io::stderr(), "{}", printable_sentence(sentence));
}
