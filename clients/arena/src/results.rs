//! The results of an arena: what is kept, what it comes to, and whether the answer is in.

use std::path::Path;

use crate::block::Block;
use crate::contest::Contest;
use crate::ledger::{Ledger, LedgerError};
use crate::schedule::Schedule;
use crate::sequential::{Answer, Question, SequentialTest};
use crate::tally::{self, Tally};

/// The results so far.
#[derive(Debug)]
pub struct Results {
    ledger: Ledger,
    tally: Tally,
    test: Option<SequentialTest>,
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
        let mut results = Results { ledger, tally, test, complaints: Vec::new() };
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
    }

    /// What they come to.
    pub fn tally(&self) -> &Tally {
        &self.tally
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
