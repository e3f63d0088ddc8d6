//! The way from a table to a viewer: a queue with a limit, and what happens to who reads too slowly.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use mighty_rules::Seat;

use super::actor::Command;
use super::effect::Ending;
use super::update::Update;

/// The table's end of the queue.
#[derive(Clone, Debug)]
pub struct Outlet {
    queue: mpsc::Sender<Parcel>,
    cut: CancellationToken,
}

/// The viewer's end of the queue.
#[derive(Debug)]
pub struct Inlet {
    queue: mpsc::Receiver<Parcel>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

/// An update, and who wants to know when it is taken out.
#[derive(Debug)]
struct Parcel {
    update: Update,
    receipt: Option<Receipt>,
}

/// Tells a table that a turn was handed to its reader.
#[derive(Clone, Debug)]
pub(super) struct Receipt {
    pub(super) table: mpsc::WeakSender<Command>,
    pub(super) seat: Seat,
    pub(super) turn: u64,
}

impl Receipt {
    fn sign(self) {
        let Receipt { table, seat, turn } = self;
        if let Some(table) = table.upgrade() {
            // A table that is too busy to hear of it starts the clock later: that is its own time.
            let _ = table.try_send(Command::Handed { seat, turn, at: Instant::now() });
        }
    }
}

/// A queue for so many updates.
pub fn feed(limit: usize) -> (Outlet, Inlet) {
    let (sender, receiver) = mpsc::channel(limit);
    let cut = CancellationToken::new();
    let inlet = Inlet { queue: receiver, cut: Box::pin(cut.clone().cancelled_owned()) };
    (Outlet { queue: sender, cut }, inlet)
}

/// The viewer does not read, or is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooSlow;

impl Outlet {
    /// Tells the viewer something.
    ///
    /// # Errors
    /// The queue is full, or its reader is gone.
    pub fn tell(&self, update: Update) -> Result<(), TooSlow> {
        self.send(update, None)
    }

    /// As [`Outlet::tell`]; the receipt is signed when the viewer takes the update out.
    pub(super) fn send(&self, update: Update, receipt: Option<Receipt>) -> Result<(), TooSlow> {
        self.queue.try_send(Parcel { update, receipt }).map_err(|_| TooSlow)
    }

    /// Whether at least half of the queue is free.
    pub fn has_room(&self) -> bool {
        self.queue.capacity() * 2 >= self.queue.max_capacity()
    }

    /// Whether at least a quarter of the queue is free.
    pub fn has_some_room(&self) -> bool {
        self.queue.capacity() * 4 >= self.queue.max_capacity()
    }

    /// Whether the reader is gone.
    pub fn is_gone(&self) -> bool {
        self.queue.is_closed()
    }

    /// Waits until the reader is gone.
    pub async fn gone(&self) {
        self.queue.closed().await;
    }

    /// Throws away what was not read: the reader gets no more.
    pub fn cut(&self) {
        self.cut.cancel();
    }
}

impl Inlet {
    /// The next update; nothing more once the table and the session have said all, or the queue was cut.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Update>> {
        if self.cut.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        self.queue.poll_recv(cx).map(|parcel| {
            let Parcel { update, receipt } = parcel?;
            if let Some(receipt) = receipt {
                receipt.sign();
            }
            Some(update)
        })
    }
}

/// A viewer as a table knows it: where its updates go, and whom to tell when the table is done with it.
/// A line that is dropped without an end tells that the table broke.
#[derive(Debug)]
pub struct Line {
    /// Where its updates go.
    pub outlet: Outlet,
    /// Who is told when the table is done with it.
    pub ended: oneshot::Sender<Ending>,
}

impl Line {
    /// The table is done with this viewer.
    pub fn end(self, why: Ending) {
        if why == Ending::TooSlow {
            self.outlet.cut();
        }
        // A session that has gone already need not be told.
        let _ = self.ended.send(why);
    }
}

/// Everybody who looks on at a table.
#[derive(Debug, Default)]
pub struct Spectators {
    lines: Vec<Spectator>,
}

#[derive(Debug)]
struct Spectator {
    line: Line,
    /// The first event that it missed, while it is too slow.
    missed_from: Option<u64>,
}

impl Spectators {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Somebody begins to look on.
    pub fn add(&mut self, line: Line) {
        self.lines.push(Spectator { line, missed_from: None });
    }

    /// Tells all of them. Who has fallen behind is sent what `catch_up` makes of the number of events it missed,
    /// once it has read half of what waits for it.
    pub fn show(&mut self, update: &Update, catch_up: impl Fn(u64) -> Update) {
        self.lines.retain(|spectator| !spectator.line.outlet.is_gone());
        let (first, last) = numbers(update);
        for Spectator { line, missed_from } in &mut self.lines {
            match *missed_from {
                Some(from) if line.outlet.has_room() => {
                    let missed = last.map_or(0, |last| last + 1 - from);
                    let caught_up = line.outlet.tell(catch_up(missed)).and_then(|()| {
                        let is_in_it = matches!(update, Update::Events(_));
                        if is_in_it { Ok(()) } else { line.outlet.tell(update.clone()) }
                    });
                    if caught_up.is_ok() {
                        *missed_from = None;
                    }
                }
                Some(_) => {}
                None => {
                    if line.outlet.tell(update.clone()) == Err(TooSlow) {
                        *missed_from = first;
                    }
                }
            }
        }
    }

    /// The table is done with all of them; who is behind has no way to catch up any more.
    pub fn end(&mut self, why: Ending) {
        for Spectator { line, missed_from } in self.lines.drain(..) {
            line.end(if missed_from.is_some() { Ending::TooSlow } else { why });
        }
    }
}

/// The numbers of the first and of the last event in an update.
fn numbers(update: &Update) -> (Option<u64>, Option<u64>) {
    let events = match update {
        Update::Events(events) | Update::MatchOver { events, .. } => events.as_slice(),
        Update::Waiting(_)
        | Update::MatchStart(_)
        | Update::Snapshot(_)
        | Update::Turn(_)
        | Update::Reply(_)
        | Update::Notice(_) => &[],
    };
    (events.first().map(|event| event.sequence), events.last().map(|event| event.sequence))
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::super::event::{Numbered, TableEvent};
    use super::super::update::Notice;
    use super::*;

    fn happened(sequence: u64) -> Update {
        let event = TableEvent::SeatPresence { seat: Seat::ALL[0], present: true };
        Update::Events(vec![Numbered { sequence, event }])
    }

    async fn read(inlet: &mut Inlet) -> Option<Update> {
        poll_fn(|cx| inlet.poll_next(cx)).await
    }

    fn spectator(limit: usize) -> (Line, Inlet, oneshot::Receiver<Ending>) {
        let (outlet, inlet) = feed(limit);
        let (ended, end) = oneshot::channel();
        (Line { outlet, ended }, inlet, end)
    }

    #[tokio::test]
    async fn a_spectator_that_falls_behind_is_told_how_much_it_missed() {
        let (line, mut inlet, _end) = spectator(4);
        let mut spectators = Spectators::default();
        spectators.add(line);
        let caught_up = |missed| {
            Update::Waiting(super::super::update::Waiting {
                reason: format!("missed {missed}"),
                seats_open: 0,
            })
        };
        for sequence in 1..=9 {
            spectators.show(&happened(sequence), caught_up);
        }
        for expected in 1..=4 {
            let update = read(&mut inlet).await.unwrap();
            assert_eq!(numbers(&update).0, Some(expected));
        }
        spectators.show(&happened(10), caught_up);
        spectators.show(&happened(11), caught_up);
        let Some(Update::Waiting(caught_up)) = read(&mut inlet).await else {
            panic!("it is caught up with")
        };
        assert_eq!(caught_up.reason, "missed 6", "5 to 10");
        assert_eq!(numbers(&read(&mut inlet).await.unwrap()).0, Some(11));
    }

    #[tokio::test]
    async fn one_that_is_behind_when_the_table_ends_is_told_so() {
        let (line, mut inlet, end) = spectator(1);
        let mut spectators = Spectators::default();
        spectators.add(line);
        spectators.show(&happened(1), |_| Update::Notice(Notice::BrokenOff));
        spectators.show(&happened(2), |_| Update::Notice(Notice::BrokenOff));
        spectators.end(Ending::MatchOver);
        assert_eq!(end.await, Ok(Ending::TooSlow));
        assert!(read(&mut inlet).await.is_none(), "what it did not read is thrown away");
    }

    #[tokio::test]
    async fn who_is_gone_is_forgotten() {
        let (line, inlet, _end) = spectator(1);
        let mut spectators = Spectators::default();
        spectators.add(line);
        drop(inlet);
        spectators.show(&happened(1), |_| Update::Notice(Notice::BrokenOff));
        assert_eq!(spectators.count(), 0);
    }
}
