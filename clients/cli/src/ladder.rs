//! `mighty standings`, `mighty matches` and `mighty status`.

use std::io::Write;

use mighty_protocol::v1;
use mighty_protocol::v1::ladder_service_client::LadderServiceClient;
use mighty_rules::Score;
use serde_json::{Value, json};

use crate::drawing::signed;
use crate::failure::Failure;
use crate::server::{Remote, question};
use crate::text::{columns, printable, read_count};

const NONE_FINISHED: &str =
    "No match was finished yet. `mighty status` says who plays and who waits.";

/// Which matches to list.
#[derive(clap::Args)]
pub(crate) struct MatchesArgs {
    /// Only those of this bot.
    #[arg(long)]
    name: Option<String>,
    /// How many at most.
    #[arg(long, default_value_t = 20, value_parser = read_count)]
    limit: u32,
    #[command(flatten)]
    remote: Remote,
}

/// Prints the standings, the best first.
pub(crate) async fn standings(remote: &Remote, out: &mut impl Write) -> Result<(), Failure> {
    let mut service = LadderServiceClient::new(remote.connect().await?);
    let answer = service.list_standings(question(v1::ListStandingsRequest {})).await;
    let answer = answer.map_err(|status| remote.failure(&status))?.into_inner();
    if remote.json {
        let standings: Vec<Value> = answer.standings.iter().map(standing_json).collect();
        writeln!(out, "{}", json!({ "matches": answer.matches, "standings": standings }))?;
        return Ok(());
    }
    if answer.standings.is_empty() {
        writeln!(out, "{NONE_FINISHED}")?;
        return Ok(());
    }
    let rows: Vec<[String; 10]> = answer
        .standings
        .iter()
        .enumerate()
        .map(|(at, standing)| {
            [
                (at + 1).to_string(),
                versioned(&standing.name, &standing.version, standing.house),
                with_interval(standing),
                format!("{:.1} ± {:.1}", standing.rating, standing.rating_uncertainty),
                standing.matches.to_string(),
                standing.hands.to_string(),
                standing.wins.to_string(),
                standing.defaults.to_string(),
                standing.refusals.to_string(),
                standing.given_up.to_string(),
            ]
        })
        .collect();
    let head = [
        "",
        "bot",
        "points/100",
        "rating",
        "matches",
        "hands",
        "wins",
        "defaults",
        "refusals",
        "given up",
    ];
    for line in columns(head, &rows) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "These standings rest on {} matches.", answer.matches)?;
    Ok(())
}

/// Lists finished matches, newest first.
pub(crate) async fn matches(args: &MatchesArgs, out: &mut impl Write) -> Result<(), Failure> {
    let mut service = LadderServiceClient::new(args.remote.connect().await?);
    let request = v1::ListMatchesRequest {
        name: args.name.clone().unwrap_or_default(),
        page_size: args.limit,
        page_token: String::new(),
    };
    let answer = service.list_matches(question(request)).await;
    let answer = answer.map_err(|status| args.remote.failure(&status))?.into_inner();
    if args.remote.json {
        let matches: Vec<Value> = answer.matches.iter().map(match_json).collect();
        writeln!(out, "{}", Value::from(matches))?;
        return Ok(());
    }
    if answer.matches.is_empty() {
        match &args.name {
            Some(name) => {
                writeln!(out, "No match with a bot named {} was finished.", printable(name))?;
            }
            None => writeln!(out, "{NONE_FINISHED}")?,
        }
        return Ok(());
    }
    let rows: Vec<[String; 5]> = answer
        .matches
        .iter()
        .map(|one| {
            let seats = one.seats.iter().map(|seat| {
                let total = signed(Score::halves(seat.total_half_points));
                let rated = if seat.rated { "" } else { " unrated" };
                format!("{}. {} {total}{rated}", seat.place, printable(&seat.name))
            });
            [
                printable(&one.record_id),
                one.ended_at.as_ref().map(ToString::to_string).unwrap_or_default(),
                printable(&one.profile),
                one.hands.to_string(),
                seats.collect::<Vec<_>>().join(", "),
            ]
        })
        .collect();
    for line in columns(["record", "ended", "profile", "hands", "seats"], &rows) {
        writeln!(out, "{line}")?;
    }
    if !answer.next_page_token.is_empty() {
        writeln!(out, "There are more; ask for them with --limit.")?;
    }
    Ok(())
}

/// Says who plays, who waits, for what and why.
pub(crate) async fn status(remote: &Remote, out: &mut impl Write) -> Result<(), Failure> {
    let mut service = LadderServiceClient::new(remote.connect().await?);
    let answer = service.get_status(question(v1::GetStatusRequest {})).await;
    let status = answer.map_err(|status| remote.failure(&status))?.into_inner();
    if remote.json {
        let waiting = |bot: &v1::WaitingBot| {
            json!({
                "name": bot.name,
                "since": bot.since.as_ref().map(ToString::to_string),
                "reason": bot.reason,
            })
        };
        let printed = json!({
            "enabled": status.enabled,
            "profile": status.profile,
            "playing": status.playing,
            "finished": status.finished,
            "waiting": status.waiting.iter().map(waiting).collect::<Vec<_>>(),
            "tables": status.table_ids,
        });
        writeln!(out, "{printed}")?;
        return Ok(());
    }
    if !status.enabled {
        writeln!(out, "There is no ladder on this server; `make ladder` starts one.")?;
        return Ok(());
    }
    let (profile, playing, finished) =
        (printable(&status.profile), status.playing, status.finished);
    writeln!(out, "The ladder plays {profile}; matches going on {playing}, finished {finished}.")?;
    for table in &status.table_ids {
        writeln!(out, "  table {}", printable(table))?;
    }
    if status.waiting.is_empty() {
        writeln!(out, "Nobody waits for a match.")?;
    }
    for bot in &status.waiting {
        let (name, reason) = (printable(&bot.name), printable(&bot.reason));
        let since = bot.since.as_ref().map(ToString::to_string).unwrap_or_default();
        writeln!(out, "  {name} waits since {since}: {reason}")?;
    }
    Ok(())
}

fn versioned(name: &str, version: &str, is_house: bool) -> String {
    let version = if version.is_empty() { String::new() } else { format!(" {version}") };
    let house = if is_house { " (house)" } else { "" };
    format!("{}{house}", printable(&format!("{name}{version}")))
}

fn with_interval(standing: &v1::Standing) -> String {
    let points = standing.points_per_100_hands;
    match standing.matches {
        0 | 1 => format!("{points:+.1}"),
        _ => format!("{points:+.1} ± {:.1}", standing.points_interval),
    }
}

fn standing_json(standing: &v1::Standing) -> Value {
    json!({
        "name": standing.name,
        "version": standing.version,
        "house": standing.house,
        "matches": standing.matches,
        "hands": standing.hands,
        "points_per_100_hands": standing.points_per_100_hands,
        "points_interval": standing.points_interval,
        "rating": standing.rating,
        "rating_uncertainty": standing.rating_uncertainty,
        "wins": standing.wins,
        "defaults": standing.defaults,
        "refusals": standing.refusals,
        "given_up": standing.given_up,
    })
}

fn match_json(one: &v1::LadderMatch) -> Value {
    let seat = |seat: &v1::MatchSeat| {
        json!({
            "name": seat.name,
            "version": seat.version,
            "house": seat.house,
            "total": Score::halves(seat.total_half_points),
            "place": seat.place,
            "rated": seat.rated,
            "defaults": seat.defaults,
            "refusals": seat.refusals,
            "given_up": seat.given_up,
        })
    };
    json!({
        "record": one.record_id,
        "profile": one.profile,
        "ended_at": one.ended_at.as_ref().map(ToString::to_string),
        "hands": one.hands,
        "seats": one.seats.iter().map(seat).collect::<Vec<_>>(),
    })
}
