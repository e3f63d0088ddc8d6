//! Time control: a bank for the match, an increment for each move, and what the server's own lateness costs nobody.

use std::time::Duration;

use crate::matches::TimeControl;

/// A point in time as a table sees it: the table itself never asks what time it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// How long the server's clock has run.
    pub at: Duration,
    /// For how long of that, in all, the server was measured to be late itself.
    pub stalled: Duration,
}

impl Moment {
    /// How much of the time since then a player answers for: the server's own lateness is taken off.
    pub fn since(self, earlier: Moment) -> Duration {
        let passed = self.at.saturating_sub(earlier.at);
        passed.saturating_sub(self.stalled.saturating_sub(earlier.stalled))
    }
}

/// The clock of one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatClock {
    bank: Duration,
    increment: Duration,
}

impl SeatClock {
    /// A clock of which nothing was used.
    pub fn new(time: TimeControl) -> SeatClock {
        SeatClock { bank: time.bank, increment: time.increment }
    }

    /// How long the seat may think about its next move.
    pub fn allowance(self) -> Duration {
        self.bank + self.increment
    }

    /// Takes off what a move cost. What is left of its increment is not kept.
    pub fn charge(&mut self, took: Duration) {
        self.bank = self.bank.saturating_sub(took.saturating_sub(self.increment));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_move_is_paid_from_its_increment_first_then_from_the_bank() {
        let mut clock = SeatClock::new(TimeControl { bank: seconds(60), increment: seconds(2) });
        // What the move took, and the allowance of the next one.
        for (took, allowance) in [(0, 62), (1, 62), (2, 62), (5, 59), (59, 2), (2, 2), (9, 2)] {
            clock.charge(seconds(took));
            assert_eq!(clock.allowance(), seconds(allowance), "after {took} s");
        }
    }

    #[test]
    fn the_lateness_of_the_server_is_nobodys_time() {
        let asked = Moment { at: seconds(10), stalled: seconds(1) };
        let answered = Moment { at: seconds(15), stalled: seconds(4) };
        assert_eq!(answered.since(asked), seconds(2));
        assert_eq!(asked.since(answered), Duration::ZERO);
    }
}
