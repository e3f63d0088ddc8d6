//! What the store is asked.

use std::time::{Duration, UNIX_EPOCH};

use mighty_rules::{BySeat, Score, Seat};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{MatchPage, MatchQuery, SavedMatch, SavedRecord, SavedSeat, Standings, StoreError};
use crate::ladder::rating::Rating;
use crate::ladder::standings::{Standing, Tally};
use crate::matches::{PlayerId, SeatReport};

pub(super) fn standings(connection: &Connection) -> Result<Standings, StoreError> {
    let mut select = connection.prepare_cached("SELECT * FROM bots")?;
    let mut standings =
        select.query_map([], read_standing)?.collect::<rusqlite::Result<Vec<Standing>>>()?;
    standings.sort_by(Standing::listed_before);
    let matches = connection
        .prepare_cached("SELECT count(*) FROM matches WHERE ladder")?
        .query_row([], |row| row.get(0))?;
    Ok(Standings { standings, matches })
}

pub(super) fn standing(
    connection: &Connection,
    player: &PlayerId,
) -> Result<Option<Standing>, StoreError> {
    let standing = connection
        .prepare_cached("SELECT * FROM bots WHERE name = ?1 AND version = ?2 AND house = ?3")?
        .query_row(params![player.name, player.version, player.house], read_standing)
        .optional()?;
    Ok(standing)
}

pub(super) fn matches(
    connection: &Connection,
    query: &MatchQuery,
) -> Result<MatchPage, StoreError> {
    let before = query.before.unwrap_or(i64::MAX as u64);
    // One more than wanted tells whether there is another page.
    let size = query.size.saturating_add(1);
    let mut numbers: Vec<u64> = if query.name.is_empty() {
        let sql = if query.ladder_only {
            "SELECT number FROM matches WHERE number < ?1 AND ladder ORDER BY number DESC LIMIT ?2"
        } else {
            "SELECT number FROM matches WHERE number < ?1 ORDER BY number DESC LIMIT ?2"
        };
        column(connection, sql, params![before, size])?
    } else {
        let sql = "SELECT DISTINCT match FROM match_seats JOIN matches ON number = match
                   WHERE name = ?1 AND match < ?2 AND (ladder OR NOT ?3)
                   ORDER BY match DESC LIMIT ?4";
        column(connection, sql, params![query.name, before, query.ladder_only, size])?
    };
    let has_more = numbers.len() > query.size as usize;
    numbers.truncate(query.size as usize);
    let next_before = if has_more { numbers.last().copied() } else { None };
    let matches = numbers.into_iter().map(|number| saved_match(connection, number));
    Ok(MatchPage { matches: matches.collect::<Result<_, _>>()?, next_before })
}

pub(super) fn record(connection: &Connection, id: &str) -> Result<Option<SavedRecord>, StoreError> {
    let number = connection
        .prepare_cached("SELECT number FROM matches WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    number.map(|number| saved_record(connection, number)).transpose()
}

pub(super) fn records_after(
    connection: &Connection,
    after: u64,
    name: &str,
    size: u32,
) -> Result<Vec<SavedRecord>, StoreError> {
    let numbers = if name.is_empty() {
        let sql = "SELECT number FROM matches WHERE number > ?1 ORDER BY number LIMIT ?2";
        column(connection, sql, params![after, size])?
    } else {
        let sql = "SELECT DISTINCT match FROM match_seats
                   WHERE name = ?1 AND match > ?2 ORDER BY match LIMIT ?3";
        column(connection, sql, params![name, after, size])?
    };
    numbers.into_iter().map(|number| saved_record(connection, number)).collect()
}

fn column(
    connection: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
) -> rusqlite::Result<Vec<u64>> {
    connection.prepare_cached(sql)?.query_map(params, |row| row.get(0))?.collect()
}

fn saved_record(connection: &Connection, number: u64) -> Result<SavedRecord, StoreError> {
    let saved = saved_match(connection, number)?;
    let line = connection
        .prepare_cached("SELECT line FROM records WHERE match = ?1")?
        .query_row([number], |row| row.get(0))?;
    Ok(SavedRecord { saved, line })
}

fn saved_match(connection: &Connection, number: u64) -> Result<SavedMatch, StoreError> {
    let seats = connection
        .prepare_cached("SELECT * FROM match_seats WHERE match = ?1 ORDER BY seat")?
        .query_map([number], read_seat)?
        .collect::<rusqlite::Result<Vec<SavedSeat>>>()?;
    let seats = seats.try_into().map_err(|seats: Vec<SavedSeat>| {
        StoreError::Damaged(format!("match {number} has {} seats, not five", seats.len()))
    })?;
    let saved = connection.prepare_cached("SELECT * FROM matches WHERE number = ?1")?.query_row(
        [number],
        |row| {
            Ok(SavedMatch {
                number,
                id: row.get("id")?,
                profile: row.get("profile")?,
                rules_hash: row.get("rules_hash")?,
                ended_at: UNIX_EPOCH + Duration::from_millis(row.get("ended_at_ms")?),
                ladder: row.get("ladder")?,
                hands: row.get("hands")?,
                seats: BySeat(seats),
            })
        },
    )?;
    Ok(saved)
}

fn read_seat(row: &Row<'_>) -> rusqlite::Result<SavedSeat> {
    let report = SeatReport {
        player: read_player(row)?,
        total: Score::halves(row.get("total_half_points")?),
        place: row.get("place")?,
        defaults: row.get("defaults")?,
        refusals: row.get("refusals")?,
        given_up: row.get("given_up")?,
    };
    Ok(SavedSeat { report, rated: row.get("rated")? })
}

fn read_standing(row: &Row<'_>) -> rusqlite::Result<Standing> {
    let rating = Rating { mu: row.get("mu")?, sigma: row.get("sigma")? };
    let tally = Tally {
        matches: row.get("matches")?,
        counted: row.get("counted")?,
        hands: row.get("hands")?,
        half_points: row.get("half_points")?,
        squared_half_points: row.get("squared_half_points")?,
        half_points_by_hands: row.get("half_points_by_hands")?,
        squared_hands: row.get("squared_hands")?,
        wins: row.get("wins")?,
        defaults: row.get("defaults")?,
        refusals: row.get("refusals")?,
        given_up: row.get("given_up")?,
    };
    Ok(Standing { player: read_player(row)?, rating, tally })
}

fn read_player(row: &Row<'_>) -> rusqlite::Result<PlayerId> {
    Ok(PlayerId { name: row.get("name")?, version: row.get("version")?, house: row.get("house")? })
}

/// Makes the value of each seat, where that may fail.
pub(super) fn by_seat<T, E>(make: impl FnMut(Seat) -> Result<T, E>) -> Result<BySeat<T>, E> {
    let values = Seat::ALL.into_iter().map(make).collect::<Result<Vec<T>, E>>()?;
    let values: [T; 5] = values.try_into().ok().expect("one value for each of the five seats");
    Ok(BySeat(values))
}
