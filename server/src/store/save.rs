//! How a match is saved: everything that follows from it in one transaction.

use std::time::{SystemTime, UNIX_EPOCH};

use mighty_rules::BySeat;
use rusqlite::{Connection, Transaction, TransactionBehavior, named_params, params};

use super::{Saved, SavedRecord, StoreError, query};
use crate::ladder::rating::{self, RatingRules};
use crate::ladder::standings::{Standing, after_match};
use crate::matches::FinishedMatch;

pub(super) fn save(
    connection: &mut Connection,
    finished: &FinishedMatch,
    line: &str,
    rules: RatingRules,
) -> Result<Saved, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(number) = insert_match(&transaction, finished)? else {
        return Ok(Saved::Before);
    };
    let rated = if finished.ladder {
        rating::rated_seats(&finished.seats, rules)
    } else {
        BySeat([false; 5])
    };
    insert_seats(&transaction, number, finished, rated)?;
    transaction
        .prepare_cached("INSERT INTO records (match, line) VALUES (?1, ?2)")?
        .execute(params![number, line])?;
    if finished.ladder {
        let before = query::by_seat(|seat| {
            let player = &finished.seats[seat].player;
            let standing = query::standing(&transaction, player)?;
            Ok::<Standing, StoreError>(standing.unwrap_or_else(|| Standing::new(player.clone())))
        })?;
        for standing in after_match(&before, &finished.seats, finished.hands, rated) {
            put_standing(&transaction, &standing)?;
        }
    }
    transaction.commit()?;
    Ok(Saved::Now)
}

pub(super) fn take(
    connection: &mut Connection,
    id: &str,
) -> Result<Option<SavedRecord>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let record = query::record(&transaction, id)?.filter(|record| !record.saved.ladder);
    if let Some(record) = &record {
        for sql in [
            "DELETE FROM records WHERE match = ?1",
            "DELETE FROM match_seats WHERE match = ?1",
            "DELETE FROM matches WHERE number = ?1",
        ] {
            transaction.prepare_cached(sql)?.execute([record.saved.number])?;
        }
    }
    transaction.commit()?;
    Ok(record)
}

/// Inserts the match and tells its number; `None` when it is there already.
fn insert_match(
    transaction: &Transaction<'_>,
    finished: &FinishedMatch,
) -> Result<Option<i64>, StoreError> {
    let inserted = transaction
        .prepare_cached(
            "INSERT INTO matches (id, profile, rules_hash, ended_at_ms, ladder, hands)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            finished.match_id,
            finished.record.profile,
            finished.record.rules_hash,
            milliseconds(finished.ended_at),
            finished.ladder,
            finished.hands,
        ])?;
    Ok((inserted == 1).then(|| transaction.last_insert_rowid()))
}

fn insert_seats(
    transaction: &Transaction<'_>,
    number: i64,
    finished: &FinishedMatch,
    rated: BySeat<bool>,
) -> Result<(), StoreError> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO match_seats (match, seat, name, version, house, total_half_points, place,
                                  defaults, refusals, given_up, rated)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    for (seat, report) in finished.seats.iter() {
        insert.execute(params![
            number,
            seat.number(),
            report.player.name,
            report.player.version,
            report.player.house,
            report.total.in_halves(),
            report.place,
            report.defaults,
            report.refusals,
            report.given_up,
            rated[seat],
        ])?;
    }
    Ok(())
}

fn put_standing(transaction: &Transaction<'_>, standing: &Standing) -> Result<(), StoreError> {
    let Standing { player, rating, tally } = standing;
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO bots
                 (name, version, house, mu, sigma, matches, counted, hands, half_points,
                  squared_half_points, half_points_by_hands, squared_hands, wins, defaults,
                  refusals, given_up)
             VALUES (:name, :version, :house, :mu, :sigma, :matches, :counted, :hands, :half_points,
                     :squared_half_points, :half_points_by_hands, :squared_hands, :wins, :defaults,
                     :refusals, :given_up)",
        )?
        .execute(named_params! {
            ":name": player.name,
            ":version": player.version,
            ":house": player.house,
            ":mu": rating.mu,
            ":sigma": rating.sigma,
            ":matches": tally.matches,
            ":counted": tally.counted,
            ":hands": tally.hands,
            ":half_points": tally.half_points,
            ":squared_half_points": tally.squared_half_points,
            ":half_points_by_hands": tally.half_points_by_hands,
            ":squared_hands": tally.squared_hands,
            ":wins": tally.wins,
            ":defaults": tally.defaults,
            ":refusals": tally.refusals,
            ":given_up": tally.given_up,
        })?;
    Ok(())
}

/// Milliseconds since 1970; a clock that stands before it counts as 1970.
fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).expect("a match ends within the next million years")
}
