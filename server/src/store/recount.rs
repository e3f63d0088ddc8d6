//! The standings counted anew from the matches.

use std::collections::{HashMap, HashSet};

use mighty_rules::{BySeat, MatchLine};
use rusqlite::Connection;

use super::{Recount, SavedRecord, Standings, StoreError, query};
use crate::ladder::standings::{Standing, after_match};
use crate::matches::PlayerId;

/// How many records are held at once.
const BATCH: u32 = 64;

pub(super) fn recount(connection: &mut Connection) -> Result<Recount, StoreError> {
    // One transaction, so that another process which saves meanwhile does not come between matches and standings.
    let transaction = connection.transaction()?;
    let mut board: HashMap<PlayerId, Standing> = HashMap::new();
    let mut differences = Vec::new();
    let mut matches = 0;
    let mut last = 0;
    loop {
        let records = query::records_after(&transaction, last, "", BATCH)?;
        let Some(newest) = records.last() else { break };
        last = newest.saved.number;
        for record in &records {
            differences.extend(compare_totals(record));
            if record.saved.ladder {
                matches += 1;
                count(&mut board, record);
            }
        }
    }

    let mut standings: Vec<Standing> = board.into_values().collect();
    standings.sort_by(Standing::listed_before);
    let counted = Standings { standings, matches };
    differences.extend(compare_standings(&query::standings(&transaction)?, &counted));
    Ok(Recount { standings: counted, differences })
}

fn count(board: &mut HashMap<PlayerId, Standing>, record: &SavedRecord) {
    let seats = record.saved.seats.clone().map(|seat| seat.report);
    let rated = BySeat::from_fn(|seat| record.saved.seats[seat].rated);
    let before = BySeat::from_fn(|seat| {
        let player = &seats[seat].player;
        board.get(player).cloned().unwrap_or_else(|| Standing::new(player.clone()))
    });
    for standing in after_match(&before, &seats, record.saved.hands, rated) {
        board.insert(standing.player.clone(), standing);
    }
}

/// What the record says of the totals otherwise than the seats.
fn compare_totals(record: &SavedRecord) -> Option<String> {
    let SavedRecord { saved, line } = record;
    let totals = saved.seats.clone().map(|seat| seat.report.total).0;
    match serde_json::from_str::<MatchLine>(line) {
        Err(error) => Some(format!("the record of match {} cannot be read: {error}", saved.id)),
        Ok(line) if line.totals.as_deref() != Some(&totals) => Some(format!(
            "the record of match {} has the totals {:?}, its seats have {totals:?}",
            saved.id, line.totals
        )),
        Ok(_) => None,
    }
}

fn compare_standings(stored: &Standings, counted: &Standings) -> Vec<String> {
    fn by_player(standings: &Standings) -> HashMap<&PlayerId, &Standing> {
        standings.standings.iter().map(|standing| (&standing.player, standing)).collect()
    }
    let (stored, counted) = (by_player(stored), by_player(counted));
    let players: HashSet<&PlayerId> = stored.keys().chain(counted.keys()).copied().collect();
    let differing = players.into_iter().filter(|player| stored.get(player) != counted.get(player));
    let tell = |player: &PlayerId| {
        let (says, counts) = (stored.get(player), counted.get(player));
        format!("{} stands at {says:?}, by the matches at {counts:?}", player.name)
    };
    let mut differences: Vec<String> = differing.map(tell).collect();
    differences.sort_unstable();
    differences
}
