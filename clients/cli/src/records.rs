//! `mighty record`: fetches records from the server, and shows them as people read them.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use mighty_protocol::v1;
use mighty_protocol::v1::record_service_client::RecordServiceClient;
use mighty_rules::{MatchLine, Score, verify_line};
use serde_json::{Value, json};
use tonic::Code;
use tonic::transport::Channel;

use crate::drawing::signed;
use crate::failure::Failure;
use crate::paint::Paint;
use crate::room::Room;
use crate::server::{Remote, expected, question};
use crate::text::{Listed, listing, moment, printable, read_count};
use crate::transcript::transcript;

/// The largest record that is received: room for a match of the most hands that the rules allow.
const RECORD_BYTES_MAX: usize = 64 << 20;

/// What to do with records.
#[derive(clap::Subcommand)]
pub(crate) enum RecordCommand {
    /// Fetch a record, one line of JSON as `mighty verify` reads it.
    Get {
        /// The id of the record, of its match or of its table.
        id: String,
        /// Write it to this file instead of the output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Show a record: deal, auction, contract, tricks and settlement of each hand.
    ///
    /// In the tricks, > leads, * wins, and ! says that the joker was called. With --json the hands are printed as
    /// `mighty verify` prints them, one a line.
    Show {
        /// The id of the record, of its match or of its table.
        id: String,
        /// Only the hand of this number, from 1, with its redeals.
        #[arg(long, value_name = "N", value_parser = read_count)]
        hand: Option<u32>,
        #[command(flatten)]
        remote: Remote,
    },
    /// List records, newest first.
    List {
        /// Only those with this bot at a seat.
        #[arg(long)]
        name: Option<String>,
        /// How many at most.
        #[arg(long, default_value_t = 20, value_parser = read_count)]
        limit: u32,
        #[command(flatten)]
        remote: Remote,
    },
}

/// Does it.
pub(crate) async fn run(
    command: &RecordCommand,
    paint: Paint,
    out: &mut impl Write,
) -> Result<(), Failure> {
    match command {
        RecordCommand::Get { id, output, remote } => {
            let line = fetch(id, remote).await?;
            match output {
                None => writeln!(out, "{line}")?,
                Some(path) => fs::write(path, line + "\n").map_err(|error| {
                    let path = path.display();
                    Failure::Unusable(format!("{path} cannot be written: {error}"))
                })?,
            }
            Ok(())
        }
        RecordCommand::Show { id, hand, remote } => {
            let line = fetch(id, remote).await?;
            show(&line, *hand, remote.json, paint, out)
        }
        RecordCommand::List { name, limit, remote } => {
            list(name.as_deref(), *limit, remote, out).await
        }
    }
}

async fn service(remote: &Remote) -> Result<RecordServiceClient<Channel>, Failure> {
    let service = RecordServiceClient::new(remote.connect().await?);
    Ok(service.max_decoding_message_size(RECORD_BYTES_MAX))
}

async fn fetch(id: &str, remote: &Remote) -> Result<String, Failure> {
    let request = v1::GetRecordRequest { record_id: id.to_owned() };
    let answer = service(remote).await?.get_record(question(request)).await;
    let answer = answer.map_err(|status| match (status.code(), remote.failure(&status)) {
        (Code::NotFound, Failure::Refused(why)) => {
            Failure::Refused(format!("{why}; `mighty record list` names them"))
        }
        (_, failure) => failure,
    });
    let answer = answer?.into_inner();
    Ok(expected(answer.record, "record")?.line)
}

/// Shows a record, or one hand of it. A record that differs from its replay is not shown as if all were well.
fn show(
    line: &str,
    hand: Option<u32>,
    as_json: bool,
    paint: Paint,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let unreadable = |why: String| Failure::Unusable(format!("the record cannot be read: {why}"));
    let verified = verify_line(line).map_err(|error| unreadable(error.0))?;
    if let Some(hand) =
        hand.filter(|hand| verified.hands.iter().all(|shown| shown["hand"] != *hand))
    {
        let last = verified.hands.last().map_or(&Value::Null, |shown| &shown["hand"]);
        let has = if last.is_null() { "none".to_owned() } else { format!("hands 1 to {last}") };
        return Err(Failure::Unusable(format!("the record has no hand {hand}; it has {has}")));
    }
    if as_json {
        let is_wanted = |shown: &&Value| hand.is_none_or(|hand| shown["hand"] == hand);
        for shown in verified.hands.iter().filter(is_wanted) {
            writeln!(out, "{shown}")?;
        }
    } else {
        let line: MatchLine =
            serde_json::from_str(line).map_err(|error| unreadable(error.to_string()))?;
        for shown in transcript(&line, hand, paint, Room::of_output().columns)
            .map_err(|error| unreadable(error.0))?
        {
            writeln!(out, "{shown}")?;
        }
    }
    match verified.differences.first() {
        None => Ok(()),
        Some(difference) => Err(Failure::Refused(format!(
            "the record differs from its replay in {} places; the first is {difference}",
            verified.differences.len()
        ))),
    }
}

async fn list(
    name: Option<&str>,
    limit: u32,
    remote: &Remote,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let request = v1::ListRecordsRequest {
        name: name.unwrap_or_default().to_owned(),
        page_size: limit,
        page_token: String::new(),
    };
    let answer = service(remote).await?.list_records(question(request)).await;
    let answer = answer.map_err(|status| remote.failure(&status))?.into_inner();
    if remote.json {
        let records: Vec<Value> = answer.records.iter().map(record_json).collect();
        writeln!(out, "{}", Value::from(records))?;
        return Ok(());
    }
    if answer.records.is_empty() {
        match name {
            Some(name) => {
                writeln!(out, "There is no record with a bot named {}.", printable(name))?
            }
            None => writeln!(
                out,
                "There are no records yet; `mighty tables` says what is being played."
            )?,
        }
        return Ok(());
    }
    let listed: Vec<Listed<3>> = answer
        .records
        .iter()
        .map(|record| {
            let seats =
                record.names.iter().zip(&record.totals_half_points).map(|(name, halves)| {
                    format!("{} {}", printable(name), signed(Score::halves(*halves)))
                });
            let ended = record.ended_at.as_ref();
            let cells = [
                printable(&record.record_id),
                ended.map_or_else(|| "goes on".to_owned(), moment),
                printable(&record.profile),
            ];
            Listed { cells, seats: seats.collect() }
        })
        .collect();
    for line in listing(["record", "ended", "profile"], &listed, Room::of_output().columns) {
        writeln!(out, "{line}")?;
    }
    if !answer.next_page_token.is_empty() {
        writeln!(out, "There are more; ask for them with --limit.")?;
    }
    Ok(())
}

fn record_json(record: &v1::Record) -> Value {
    let totals = record.totals_half_points.iter().map(|halves| Score::halves(*halves));
    json!({
        "record": record.record_id,
        "profile": record.profile,
        "players": record.names,
        "ended_at": record.ended_at.as_ref().map(ToString::to_string),
        "totals": totals.collect::<Vec<_>>(),
        "ladder": record.ladder,
    })
}
