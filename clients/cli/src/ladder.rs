//! `mighty standings`, `mighty matches` and `mighty status`.

use std::io::Write;

use mighty_protocol::v1;
use mighty_protocol::v1::ladder_service_client::LadderServiceClient;
use mighty_rules::Score;
use serde_json::{Value, json};

use crate::drawing::signed;
use crate::failure::Failure;
use crate::room::{Room, shortened};
use crate::server::{Remote, question};
use crate::text::{Listed, columns, listing, moment, printable, read_count, widest};

const NONE_FINISHED: &str =
    "No match was finished yet. `mighty status` says who plays and who waits.";

/// What the head of the standings leaves open.
const STANDINGS_LEGEND: &str = "\
points/100: points won in 100 hands; rating: skill, from the places (Weng-Lin)
faults d/r/g: default moves, refused answers, times given up";
/// With fewer matches what is uncertain says nothing.
const SPREAD_MATCHES_MIN: u64 = 3;
/// A name is not shortened further, however narrow the terminal.
const NAME_LETTERS_MIN: usize = 8;

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
    for line in standing_lines(&answer.standings, Room::of_output().columns) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{STANDINGS_LEGEND}")?;
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
    let listed: Vec<Listed<4>> = answer
        .matches
        .iter()
        .map(|one| {
            let seats = one.seats.iter().map(|seat| {
                let total = signed(Score::halves(seat.total_half_points));
                let rated = if seat.rated { "" } else { " unrated" };
                format!("{}. {} {total}{rated}", seat.place, printable(&seat.name))
            });
            let cells = [
                printable(&one.record_id),
                one.ended_at.as_ref().map(moment).unwrap_or_default(),
                printable(&one.profile),
                one.hands.to_string(),
            ];
            Listed { cells, seats: seats.collect() }
        })
        .collect();
    let head = ["record", "ended", "profile", "hands"];
    for line in listing(head, &listed, Room::of_output().columns) {
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

/// The standings as lines; in a narrow terminal without versions and hands, and with long names shortened.
fn standing_lines(standings: &[v1::Standing], room: usize) -> Vec<String> {
    let full: Vec<[String; 8]> =
        standings.iter().zip(1..).map(|(standing, at)| standing_cells(standing, at)).collect();
    let head = ["#", "bot", "points/100 ±", "rating ±", "matches", "hands", "wins", "faults d/r/g"];
    let wide = columns(head, &full);
    if widest(&wide) <= room {
        return wide;
    }
    let [number, bot, points, rating, matches, _, wins, faults] = head;
    let narrow = |name_letters: usize| {
        let rows: Vec<[String; 7]> = full
            .iter()
            .cloned()
            .zip(standings)
            .map(|([number, _, points, rating, matches, _, wins, faults], standing)| {
                let name = shortened(&printable(&standing.name), name_letters);
                [number, name, points, rating, matches, wins, faults]
            })
            .collect();
        columns([number, bot, points, rating, matches, wins, faults], &rows)
    };
    let longest = standings.iter().map(|standing| printable(&standing.name).chars().count()).max();
    let too_wide = widest(&narrow(usize::MAX)).saturating_sub(room);
    narrow(longest.unwrap_or_default().saturating_sub(too_wide).max(NAME_LETTERS_MIN))
}

fn standing_cells(standing: &v1::Standing, at: usize) -> [String; 8] {
    let (points, rating) = (standing.points_per_100_hands, standing.rating);
    let with_spread = |value: String, spread: f64| match standing.matches {
        0..SPREAD_MATCHES_MIN => value,
        _ => format!("{value} ± {spread:.1}"),
    };
    [
        at.to_string(),
        versioned(&standing.name, &standing.version, standing.house),
        with_spread(format!("{points:+.1}"), standing.points_interval),
        with_spread(format!("{rating:.1}"), standing.rating_uncertainty),
        standing.matches.to_string(),
        standing.hands.to_string(),
        standing.wins.to_string(),
        format!("{}/{}/{}", standing.defaults, standing.refusals, standing.given_up),
    ]
}

fn versioned(name: &str, version: &str, is_house: bool) -> String {
    let version = if version.is_empty() { String::new() } else { format!(" {version}") };
    let house = if is_house { " (house)" } else { "" };
    format!("{}{house}", printable(&format!("{name}{version}")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings_fit_80_columns_and_leave_out_what_too_few_matches_say() {
        let standing = |name: &str, matches| v1::Standing {
            name: name.to_owned(),
            version: "0.3.1".to_owned(),
            matches,
            hands: matches * 10,
            points_per_100_hands: -1234.5,
            points_interval: 321.0,
            rating: 25.5,
            rating_uncertainty: 8.3,
            wins: 1,
            defaults: 12,
            refusals: 3,
            ..v1::Standing::default()
        };
        let standings =
            [standing("rust-cautious-and-clever", 1200), standing("rust-cautious-and-clever-2", 2)];
        assert_eq!(
            standing_lines(&standings, 80),
            [
                "#  bot                  points/100 ±     rating ±    matches  wins  faults d/r/g",
                "1  rust-cautiou…clever  -1234.5 ± 321.0  25.5 ± 8.3  1200     1     12/3/0",
                "2  rust-cautiou…ever-2  -1234.5          25.5        2        1     12/3/0",
            ]
        );
        let wide = standing_lines(&standings, usize::MAX);
        assert!(wide[0].contains("hands"), "{wide:#?}");
        assert!(wide[2].contains("rust-cautious-and-clever-2 0.3.1  -1234.5 "), "{wide:#?}");
    }
}
