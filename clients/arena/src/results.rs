//! The results of an arena: what is kept, what it comes to, and whether the answer is in.

use std::path::Path;

use crate::block::Block;
use crate::contest::Contest;
use crate::estimate::Estimate;
use crate::ledger::{Ledger, LedgerError};
use crate::schedule::Schedule;
use crate::sequential::{Answer, Question, SequentialTest};
use crate::tally::{self, Tally};

/// A run that is longer loses every other figure: a plot shows no more.
const RUN_MAX: usize = 1000;

/// The results so far.
#[derive(Debug)]
pub struct Results {
    ledger: Ledger,
    tally: Tally,
    test: Option<SequentialTest>,
    /// How each bot's figure ran, thinned out.
    runs: Vec<Vec<(u64, Estimate)>>,
    /// The last words of bots that had trouble.
    pub complaints: Vec<Complaint>,
}

/// What a bot that had trouble said last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    /// The bot's name.
    pub bot: String,
    /// What happened to it.
    pub what: String,
    /// The last lines of its error output.
    pub lines: Vec<String>,
}

impl Results {
    /// The results that a directory holds; a comparison is tested by the question.
    ///
    /// # Errors
    /// The directory cannot be used.
    pub fn open(
        directory: &Path,
        contest: &Contest,
        question: Question,
    ) -> Result<Results, LedgerError> {
        let (ledger, finished) = Ledger::open(directory, contest)?;
        let test = match contest.schedule {
            Schedule::Compare { .. } => Some(SequentialTest::new(question)),
            Schedule::Lineups { .. } => None,
        };
        let tally = Tally::new(contest.bots.iter().map(|bot| bot.name.clone()).collect());
        let runs = vec![Vec::new(); contest.bots.len()];
        let mut results = Results { ledger, tally, test, runs, complaints: Vec::new() };
        for block in &finished {
            results.count(block);
        }
        Ok(results)
    }

    /// Keeps the next block, with its records.
    ///
    /// # Errors
    /// The disk refuses; the blocks before are kept.
    pub fn keep(&mut self, block: Block, records: &[String]) -> Result<(), LedgerError> {
        let block = self.ledger.keep(block, records)?;
        self.count(&block);
        Ok(())
    }

    fn count(&mut self, block: &Block) {
        self.tally.add(block);
        if let Some(test) = &mut self.test {
            test.add(tally::difference(block, 0, 1));
        }
        for (bot, run) in self.runs.iter_mut().enumerate() {
            run.extend(self.tally.points(bot).map(|points| (self.tally.blocks(), points)));
            if run.len() > RUN_MAX {
                let mut is_kept = false;
                run.retain(|_| {
                    is_kept = !is_kept;
                    is_kept
                });
            }
        }
    }

    /// What they come to.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How each bot's figure ran: after so many blocks it was that.
    pub fn runs(&self) -> &[Vec<(u64, Estimate)>] {
        &self.runs
    }

    /// Where they are kept.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The answer of a comparison, once it is in.
    pub fn answer(&self) -> Option<Answer> {
        self.test.as_ref().and_then(SequentialTest::answer)
    }
}
