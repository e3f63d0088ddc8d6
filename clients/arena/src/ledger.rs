//! The directory of an arena's results: what was played is kept block by block, and an arena that was interrupted goes on.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::block::Block;
use crate::contest::Contest;

/// What an arena plays.
const CONTEST: &str = "arena.json";
/// A line for each block.
const BLOCKS: &str = "blocks.jsonl";
/// A line for each table, for `mighty verify`.
const RECORDS: &str = "records.jsonl";

/// The results that are kept.
#[derive(Debug)]
pub struct Ledger {
    directory: PathBuf,
    blocks: File,
    records: File,
    records_bytes: u64,
}

/// Why results cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The disk refuses.
    #[error(
        "{path} cannot be used: {why}; make room or choose another directory with --out, what is there is kept"
    )]
    Io {
        /// The file.
        path: String,
        /// What is wrong.
        why: io::Error,
    },
    /// Something else is in the directory.
    #[error("{path} is not empty and holds no arena; choose another directory with --out")]
    NotAnArena {
        /// The directory.
        path: String,
    },
    /// It was played otherwise.
    #[error(
        "{path} holds an arena that differs in its {what}, there {there}, now {now}; choose another directory with --out, or ask for the same again"
    )]
    Another {
        /// The directory.
        path: String,
        /// What differs.
        what: String,
        /// What the directory says.
        there: String,
        /// What is asked for.
        now: String,
    },
    /// A file was changed.
    #[error(
        "{path}, line {line}: {why}; it was changed by somebody else, choose another directory with --out"
    )]
    Damaged {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// Another process is at it.
    #[error(
        "another arena is writing to {path}; wait for its end, or choose another directory with --out"
    )]
    InUse {
        /// The directory.
        path: String,
    },
}

impl Ledger {
    /// Opens the results of a contest in a directory, which is made where there is none, and tells the blocks that are
    /// finished already. What an interrupted arena has left of a block is removed.
    ///
    /// # Errors
    /// The disk refuses, or something else is there.
    pub fn open(directory: &Path, contest: &Contest) -> Result<(Ledger, Vec<Block>), LedgerError> {
        fs::create_dir_all(directory).map_err(at(directory))?;
        let identity = contest.identity();
        let path = directory.join(CONTEST);
        match fs::read_to_string(&path) {
            Ok(text) => compare(directory, &text, &identity)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut entries = fs::read_dir(directory).map_err(at(directory))?;
                if entries.next().is_some() {
                    return Err(LedgerError::NotAnArena { path: directory.display().to_string() });
                }
                let text = format!("{identity:#}\n");
                fs::write(&path, text).map_err(at(&path))?;
            }
            Err(error) => return Err(at(&path)(error)),
        }
        let mut blocks = open(&directory.join(BLOCKS))?;
        if blocks.try_lock().is_err() {
            return Err(LedgerError::InUse { path: directory.display().to_string() });
        }
        let finished = read(&directory.join(BLOCKS), &mut blocks, contest)?;
        let records = open(&directory.join(RECORDS))?;
        let records_bytes = finished.last().map_or(0, |block| block.records_bytes);
        let mut ledger = Ledger { directory: directory.to_owned(), blocks, records, records_bytes };
        ledger.cut_records()?;
        Ok((ledger, finished))
    }

    /// Keeps a block with its records, a line each.
    ///
    /// # Errors
    /// The disk refuses; the blocks before are kept.
    pub fn keep(&mut self, mut block: Block, records: &[String]) -> Result<Block, LedgerError> {
        let mut text = records.join("\n");
        text.push('\n');
        let path = self.records();
        self.records.write_all(text.as_bytes()).map_err(at(&path))?;
        block.records_bytes = self.records_bytes + text.len() as u64;
        let line = serde_json::to_string(&block).expect("a block is plain data");
        // The block counts from here on: its records are there.
        let path = self.directory.join(BLOCKS);
        self.blocks.write_all(format!("{line}\n").as_bytes()).map_err(at(&path))?;
        self.records_bytes = block.records_bytes;
        Ok(block)
    }

    /// Where the records are.
    pub fn records(&self) -> PathBuf {
        self.directory.join(RECORDS)
    }

    /// Where the results are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn cut_records(&mut self) -> Result<(), LedgerError> {
        let path = self.records();
        let length = self.records.metadata().map_err(at(&path))?.len();
        if length < self.records_bytes {
            let why = format!("records of {} bytes are missing", self.records_bytes - length);
            return Err(LedgerError::Damaged { path: path.display().to_string(), line: 1, why });
        }
        self.records.set_len(self.records_bytes).map_err(at(&path))?;
        self.records.seek(SeekFrom::End(0)).map_err(at(&path))?;
        Ok(())
    }
}

fn open(path: &Path) -> Result<File, LedgerError> {
    let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    options.map_err(at(path))
}

fn at(path: &Path) -> impl Fn(io::Error) -> LedgerError {
    move |why| LedgerError::Io { path: path.display().to_string(), why }
}

/// Refuses to mix what was played otherwise.
fn compare(directory: &Path, text: &str, identity: &Value) -> Result<(), LedgerError> {
    let path = directory.join(CONTEST).display().to_string();
    let there: Value = serde_json::from_str(text).map_err(|error| LedgerError::Damaged {
        path,
        line: error.line(),
        why: "it is no JSON".to_owned(),
    })?;
    let keys = identity.as_object().into_iter().flat_map(|object| object.keys());
    for what in keys {
        let (then, now) = (&there[what], &identity[what]);
        if then != now {
            return Err(LedgerError::Another {
                path: directory.display().to_string(),
                what: what.replace('_', " "),
                there: then.to_string(),
                now: now.to_string(),
            });
        }
    }
    Ok(())
}

/// The finished blocks; a line that was cut short is removed.
fn read(path: &Path, file: &mut File, contest: &Contest) -> Result<Vec<Block>, LedgerError> {
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(at(path))?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    file.set_len(whole as u64).map_err(at(path))?;
    file.seek(SeekFrom::End(0)).map_err(at(path))?;
    let mut blocks = Vec::new();
    for (number, line) in text[..whole].lines().enumerate() {
        let damaged = |why: String| LedgerError::Damaged {
            path: path.display().to_string(),
            line: number + 1,
            why,
        };
        let block: Block =
            serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
        if !fits(&block, number as u64, contest) {
            return Err(damaged(format!("it is not block {number} of this arena")));
        }
        blocks.push(block);
    }
    Ok(blocks)
}

fn fits(block: &Block, number: u64, contest: &Contest) -> bool {
    let tables = contest.schedule.tables();
    let sits = |table: usize| {
        let seats = contest.schedule.seats(number, table);
        block.tables[table].seats.iter().zip(seats.0).all(|(seat, bot)| seat.bot == bot)
    };
    block.block == number
        && block.tables.len() == tables
        && block.crashes.len() == contest.bots.len()
        && (0..tables).all(sits)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use mighty_rules::{Profile, Rules};
    use mighty_server::matches::TimeControl;

    use super::*;
    use crate::contest::Contestant;
    use crate::schedule::{Form, Schedule};
    use crate::tally::tests::table;

    fn contest(seed: &str) -> Contest {
        let bots = ["cautious", "random"].map(|name| Contestant::house(name).expect(name));
        Contest {
            bots: bots.into(),
            schedule: Schedule::of(2, 0, Form::Rotations),
            rules: Arc::new(Rules::of(Profile::Korean)),
            seed: seed.to_owned(),
            time: TimeControl { bank: Duration::from_secs(1), increment: Duration::ZERO },
        }
    }

    fn block(contest: &Contest, number: u64) -> Block {
        let tables =
            (0..5).map(|at| table(contest.schedule.seats(number, at).0.map(|bot| (bot, 2))));
        Block { block: number, tables: tables.collect(), crashes: vec![0; 2], records_bytes: 0 }
    }

    fn lines(number: u64) -> Vec<String> {
        (0..5).map(|table| format!("{{\"block\":{number},\"table\":{table}}}")).collect()
    }

    /// A directory of its own, removed at the end.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let name = format!("mighty-ledger-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&path);
            Place(path)
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn an_interrupted_arena_goes_on_after_its_last_whole_block() {
        let (place, contest) = (Place::new("resumed"), contest("7"));
        let (mut ledger, finished) = Ledger::open(&place.0, &contest).expect("it is new");
        assert!(finished.is_empty());
        for number in 0..2 {
            ledger.keep(block(&contest, number), &lines(number)).expect("there is room");
        }
        let whole = fs::read(ledger.records()).expect("there are records");
        drop(ledger);
        // Killed amid the third block, once while its records were written, once later.
        let append = |name: &str, text: &str| {
            let file = OpenOptions::new().append(true).open(place.0.join(name));
            file.and_then(|mut file| file.write_all(text.as_bytes())).expect("it can be written");
        };
        append(RECORDS, "{\"block\":2,\"tab");
        append(BLOCKS, "{\"block\":2,");
        let (mut ledger, finished) = Ledger::open(&place.0, &contest).expect("it is resumed");
        assert_eq!(finished.len(), 2);
        assert_eq!(fs::read(ledger.records()).expect("there are records"), whole);
        ledger.keep(block(&contest, 2), &lines(2)).expect("there is room");
        drop(ledger);
        let (ledger, finished) = Ledger::open(&place.0, &contest).expect("it is resumed again");
        assert_eq!(finished.len(), 3);
        let text = fs::read_to_string(ledger.records()).expect("there are records");
        assert_eq!(text.lines().count(), 15);
    }

    #[test]
    fn results_are_not_mixed_with_others() {
        let place = Place::new("mixed");
        let (ledger, _) = Ledger::open(&place.0, &contest("7")).expect("it is new");
        let busy = Ledger::open(&place.0, &contest("7")).expect_err("it is in use");
        assert!(busy.to_string().contains("another arena is writing"), "{busy}");
        drop(ledger);
        let refused = Ledger::open(&place.0, &contest("8")).expect_err("another seed");
        let said = refused.to_string();
        assert!(said.contains("differs in its seed, there \"7\", now \"8\""), "{said}");
        fs::write(place.0.join(BLOCKS), "{\"block\":0}\n").expect("it can be written");
        let damaged = Ledger::open(&place.0, &contest("7")).expect_err("no block");
        assert!(damaged.to_string().contains("blocks.jsonl, line 1"), "{damaged}");
    }

    #[test]
    fn a_directory_of_something_else_is_left_alone() {
        let place = Place::new("something");
        fs::create_dir_all(&place.0).expect("it can be made");
        fs::write(place.0.join("thesis.txt"), "five years").expect("it can be written");
        let refused = Ledger::open(&place.0, &contest("7")).expect_err("it is not empty");
        assert!(refused.to_string().contains("holds no arena"), "{refused}");
    }
}
