//! The task of a table: it brings the world to the state machine, and does what that wants done.

use std::collections::HashMap;
use std::future::{self, Future};
use std::sync::Arc;
use std::time::SystemTime;

use mighty_house::Player;
use mighty_rules::{BySeat, MatchLine, Seat};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};
use tracing::Instrument;

use super::effect::{Connection, ConnectionId, Effect, Ending};
use super::feed::{Line, Receipt, Spectators, TooSlow};
use super::standing::{Progress, Standing};
use super::state::{ComebackRefused, Table};
use super::update::{Answer, Reply, ResumeToken, Update};
use super::{FollowRefused, Sitting, TableHandle, TableSetting};
use crate::matches::MatchSpec;

/// Everything that can wake a table, but time.
#[derive(Debug)]
pub(super) enum Command {
    /// An answer that came on a stream.
    Answer {
        seat: Seat,
        connection: ConnectionId,
        answer: Answer,
        at: Instant,
        _permit: OwnedSemaphorePermit,
    },
    /// An answer that came by itself.
    Act { seat: Seat, answer: Answer, at: Instant, reply: oneshot::Sender<Reply> },
    /// A turn was handed to its reader.
    Handed { seat: Seat, turn: u64, at: Instant },
    /// A player comes back, or takes its seat over.
    Sit {
        seat: Seat,
        sitting: Sitting,
        after: u64,
        reply: oneshot::Sender<Result<(), ComebackRefused>>,
    },
    /// Somebody looks on.
    Follow { line: Line, reply: oneshot::Sender<Result<(), FollowRefused>> },
    /// A player leaves.
    Leave { seat: Seat, connection: ConnectionId },
    /// A connection is gone.
    Lost { connection: ConnectionId },
    /// Somebody wants the record so far.
    Record { reply: oneshot::Sender<MatchLine> },
    /// The result was kept, or could not be.
    Kept { is_kept: bool },
    /// The server is stopping.
    Drain,
    /// The server stops now.
    BreakOff,
}

struct Actor {
    setting: TableSetting,
    table: Table,
    lines: HashMap<ConnectionId, Line>,
    spectators: Spectators,
    house: BySeat<Option<Box<dyn Player>>>,
    house_seed: u64,
    commands: mpsc::Receiver<Command>,
    myself: mpsc::WeakSender<Command>,
    standing: watch::Sender<Standing>,
}

/// A table whose first updates wait until [`Opening::begin`].
pub struct Opening {
    actor: Actor,
    spectators: Vec<Line>,
    span: tracing::Span,
}

/// Opens a table, and says how it is reached.
pub(super) fn open(
    setting: &TableSetting,
    spec: Arc<MatchSpec>,
    tokens: BySeat<Option<ResumeToken>>,
    sitting: BySeat<Option<Sitting>>,
    spectators: Vec<Line>,
) -> (TableHandle, Opening) {
    let (mailbox, commands) = mpsc::channel(setting.mailbox);
    let connections: BySeat<Option<Connection>> =
        BySeat::from_fn(|seat| sitting[seat].as_ref().map(|sitting| sitting.connection));
    let limits = setting.limits.clone();
    let table = Table::open(spec.clone(), limits, tokens, connections, setting.clock.now());
    let (sender, standing) = watch::channel(table.standing());
    let mut actor = Actor {
        setting: setting.clone(),
        table,
        lines: HashMap::new(),
        spectators: Spectators::default(),
        house: BySeat::default(),
        house_seed: rand::random(),
        commands,
        myself: mailbox.downgrade(),
        standing: sender,
    };
    for Sitting { connection, line } in sitting.0.into_iter().flatten() {
        actor.lines.insert(connection.id, line);
    }
    let span = tracing::info_span!(
        "table",
        id = spec.match_id,
        profile = spec.rules.profile().name(),
        rules = spec.rules.hash()
    );
    (
        TableHandle { spec, mailbox, questions: Arc::default(), standing },
        Opening { actor, spectators, span },
    )
}

impl Opening {
    /// Starts the task of the table, and one that sees to it when the first panics.
    pub fn begin(self) {
        let Opening { mut actor, spectators, span } = self;
        for line in spectators {
            actor.look_on(line);
        }
        let standing = actor.standing.clone();
        let played = tokio::spawn(actor.run().instrument(span.clone()));
        tokio::spawn(supervise(played, standing).instrument(span));
    }
}

/// A table that panics takes nobody with it: its viewers find their lines dropped, others its state broken off.
async fn supervise(played: tokio::task::JoinHandle<()>, standing: watch::Sender<Standing>) {
    if let Err(error) = played.await {
        tracing::error!(%error, "the table broke");
        standing.send_modify(|standing| standing.progress = Progress::BrokenOff);
    }
}

impl Actor {
    async fn run(mut self) {
        tracing::info!("the match begins");
        loop {
            self.do_what_is_wanted();
            self.publish_standing();
            let house_turn = self.table.house_turn();
            let wake = self.wake();
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(command) => self.take(command),
                    None => return,
                },
                () = future::ready(()), if house_turn.is_some() => {
                    if let Some(seat) = house_turn {
                        self.move_for_the_house(seat);
                    }
                    // Other tables want to play too.
                    yield_now().await;
                }
                () = wake, if house_turn.is_none() => self.table.tick(self.setting.clock.now()),
            }
        }
    }

    /// Waits until the table wants to be woken.
    fn wake(&self) -> impl Future<Output = ()> + use<> {
        let at = self.table.wake(self.setting.clock.now());
        let at = at.map(|at| self.setting.clock.instant(at));
        async move {
            match at {
                Some(at) => sleep_until(at).await,
                None => future::pending().await,
            }
        }
    }

    fn take(&mut self, command: Command) {
        let now = self.setting.clock.now();
        match command {
            Command::Answer { seat, connection, answer, at, _permit } => {
                // A connection that lost its seat to a newer one has nothing to say any more.
                if self.table.connection(seat) == Some(connection) {
                    let reply = self.table.answer(seat, &answer, self.setting.clock.moment(at));
                    self.tell(connection, Update::Reply(reply));
                }
            }
            Command::Act { seat, answer, at, reply } => {
                let answered = self.table.answer(seat, &answer, self.setting.clock.moment(at));
                let _ = reply.send(answered);
            }
            Command::Handed { seat, turn, at } => {
                self.table.handed(seat, turn, self.setting.clock.moment(at));
            }
            Command::Sit { seat, sitting: Sitting { connection, line }, after, reply } => {
                let seated = self.table.sit(seat, connection, after, now);
                if seated.is_ok() {
                    self.lines.insert(connection.id, line);
                }
                let _ = reply.send(seated);
            }
            Command::Follow { line, reply } => {
                let limit = self.setting.followers;
                let has_room = self.spectators.count() < limit;
                if has_room {
                    self.look_on(line);
                }
                let _ = reply.send(has_room.then_some(()).ok_or(FollowRefused::TooMany { limit }));
            }
            Command::Leave { seat, connection } => {
                if self.table.connection(seat) == Some(connection) {
                    self.table.leave(seat, now);
                }
            }
            Command::Lost { connection } => {
                self.lines.remove(&connection);
                self.table.lost(connection, now);
            }
            Command::Record { reply } => {
                let _ = reply.send(self.table.record());
            }
            Command::Kept { is_kept: true } => self.table.announce(),
            Command::Kept { is_kept: false } => self.table.break_off(Ending::NotKept),
            Command::Drain => self.table.drain(),
            Command::BreakOff => self.table.break_off(Ending::Stopped),
        }
    }

    fn move_for_the_house(&mut self, seat: Seat) {
        let Some((view, choices)) = self.table.house_view(seat) else { return };
        let name = match self.table.spec().players[seat].house {
            true => self.table.spec().players[seat].name.as_str(),
            false => &*self.setting.limits.stand_in,
        };
        let seed = self.house_seed.wrapping_add(seat.number() as u64);
        let player = self.house[seat].get_or_insert_with(|| {
            (self.setting.house)(name, seed).expect("names of house bots were checked before")
        });
        let wanted = player.act(&view, &choices);
        self.table.house_move(seat, wanted, self.setting.clock.now());
    }

    /// Somebody begins to look on, and is told how things are.
    fn look_on(&mut self, line: Line) {
        // Those who look on already hear first what will be in the snapshot.
        self.do_what_is_wanted();
        for update in self.table.look_on() {
            // Who did not even read that it waited would not know what the events to come are about.
            if line.outlet.tell(update) == Err(TooSlow) {
                line.end(Ending::TooSlow);
                return;
            }
        }
        match self.table.progress() {
            Progress::Playing | Progress::Closing => self.spectators.add(line),
            Progress::Over => {
                let match_id = self.table.spec().match_id.clone();
                let events = Vec::new();
                let over = Update::MatchOver { match_id, events, another_follows: false };
                let _ = line.outlet.tell(over);
                line.end(Ending::MatchOver);
            }
            Progress::BrokenOff => line.end(Ending::Stopped),
        }
    }

    fn do_what_is_wanted(&mut self) {
        loop {
            let effects = self.table.take_effects();
            if effects.is_empty() {
                return;
            }
            for effect in effects {
                match effect {
                    Effect::Tell { to, update } => self.tell(to, update),
                    Effect::Show(update) => {
                        let table = &self.table;
                        self.spectators.show(&update, |missed| table.catch_up(missed));
                    }
                    Effect::End { connection, why } => {
                        if let Some(line) = self.lines.remove(&connection) {
                            line.end(why);
                        }
                    }
                    Effect::EndSpectators(why) => self.spectators.end(why),
                    Effect::Finished => self.keep_the_result(),
                }
            }
        }
    }

    /// Tells a connection something. One that reads too slowly loses its seat until it comes back.
    fn tell(&mut self, to: ConnectionId, update: Update) {
        let Some(line) = self.lines.get(&to) else { return };
        let receipt = match &update {
            Update::Turn(turn) => {
                let seat = Seat::ALL.into_iter().find(|s| self.table.connection(*s) == Some(to));
                let table = self.myself.clone();
                seat.map(|seat| Receipt { table, seat, turn: turn.number })
            }
            Update::Waiting(_)
            | Update::MatchStart(_)
            | Update::Snapshot(_)
            | Update::Events(_)
            | Update::Reply(_)
            | Update::MatchOver { .. }
            | Update::Notice(_) => None,
        };
        if line.outlet.send(update, receipt) == Err(TooSlow) {
            if let Some(line) = self.lines.remove(&to) {
                line.end(Ending::TooSlow);
            }
            self.table.lost(to, self.setting.clock.now());
        }
    }

    /// The result is announced once it is kept.
    fn keep_the_result(&self) {
        let Some(myself) = self.myself.upgrade() else { return };
        let finished = self.table.finished(SystemTime::now());
        let store = self.setting.store.clone();
        tokio::spawn(async move {
            let kept = store.save(finished).await;
            if let Err(error) = &kept {
                tracing::error!(%error, "the result of a match could not be kept");
            }
            let _ = myself.send(Command::Kept { is_kept: kept.is_ok() }).await;
        });
    }

    fn publish_standing(&self) {
        let standing = Standing { followers: self.spectators.count(), ..self.table.standing() };
        self.standing.send_if_modified(|last| {
            let is_new = *last != standing;
            *last = standing;
            is_new
        });
    }
}
