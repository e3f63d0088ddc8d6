//! One stream of a player: from its hello through its matches to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mighty_protocol::{decode, v1};
use mighty_rules::Seat;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tonic::{Status, Streaming};

use super::auth;
use super::status::{self, Failure};
use crate::desk::{Entrant, SharedDesk};
use crate::lobby::{Guest, Lobby, Seated};
use crate::matches::PlayerId;
use crate::table::effect::{Connection, ConnectionId, Ending};
use crate::table::feed::{Inlet, Line, Outlet, feed};
use crate::table::update::{Answer, Notice, Refusal, Reply, Update, Wanted};
use crate::table::{Sitting, TableGone, TableHandle};

/// What a player's stream may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionLimits {
    /// How long a stream may stay silent before its hello.
    pub hello: Duration,
    /// How many updates may wait for a reader.
    pub queue: usize,
    /// How many answers of one stream may wait for its table.
    pub answers: usize,
    /// How many streams may be open.
    pub streams: usize,
}

/// What all streams share.
#[derive(Debug)]
pub struct Sessions {
    limits: SessionLimits,
    lobby: Lobby,
    desk: Option<SharedDesk>,
    streams: Arc<Semaphore>,
    connections: AtomicU64,
    stopping: CancellationToken,
}

/// What a stream tells its client, until the session says how it ends.
#[derive(Debug)]
pub(super) struct Told {
    /// The updates.
    pub(super) inlet: Inlet,
    /// How the stream ends; a session that breaks says nothing.
    pub(super) verdict: oneshot::Receiver<Verdict>,
    /// Where further matches come from.
    pub(super) desk: Option<SharedDesk>,
}

/// How a stream ends.
type Verdict = Result<(), Status>;

/// What a player sends, as long as it sends.
pub(super) enum Inbound {
    /// A stream of requests.
    Stream(Box<Streaming<v1::PlayRequest>>),
    /// Nothing: answers come by themselves, or not any more.
    Silent,
}

impl Inbound {
    /// The next request. None comes any more once the sending side is closed: that means "no more answers", not "gone".
    async fn next(&mut self) -> Result<v1::play_request::Message, Status> {
        loop {
            let Inbound::Stream(stream) = self else { return std::future::pending().await };
            match stream.message().await {
                Ok(Some(v1::PlayRequest { message: Some(message) })) => return Ok(message),
                // A newer client may say what this server does not know.
                Ok(Some(v1::PlayRequest { message: None })) => {}
                Ok(None) => *self = Inbound::Silent,
                Err(error) => {
                    *self = Inbound::Silent;
                    return Err(status::unreadable(&error));
                }
            }
        }
    }
}

impl Sessions {
    /// The sessions of a server; they end when `stopping` is cancelled.
    pub fn new(
        limits: SessionLimits,
        lobby: Lobby,
        desk: Option<SharedDesk>,
        stopping: CancellationToken,
    ) -> Sessions {
        let streams = Arc::new(Semaphore::new(limits.streams));
        Sessions { limits, lobby, desk, streams, connections: AtomicU64::new(1), stopping }
    }

    /// The lobby.
    pub(super) fn lobby(&self) -> &Lobby {
        &self.lobby
    }

    /// Starts the session of a stream of a player whose hello is still to come.
    pub(super) fn start(
        self: &Arc<Self>,
        stream: Streaming<v1::PlayRequest>,
    ) -> Result<Told, Status> {
        self.begin(Inbound::Stream(Box::new(stream)), None)
    }

    /// Starts the session of a player that has said hello and answers by itself.
    pub(super) fn start_with(self: &Arc<Self>, hello: v1::Hello) -> Result<Told, Status> {
        self.begin(Inbound::Silent, Some(hello))
    }

    /// Starts the session of a spectator.
    pub(super) fn look_on(self: &Arc<Self>, table_id: String) -> Result<Told, Status> {
        let (session, told, verdict) = self.open()?;
        tokio::spawn(async move {
            let outcome = session.until_stopped(session.look_on(&table_id)).await;
            let _ = verdict.send(outcome);
        });
        Ok(told)
    }

    fn begin(self: &Arc<Self>, inbound: Inbound, hello: Option<v1::Hello>) -> Result<Told, Status> {
        let (session, told, verdict) = self.open()?;
        tokio::spawn(async move {
            let outcome = session.until_stopped(session.play(inbound, hello)).await;
            let _ = verdict.send(outcome);
        });
        Ok(told)
    }

    fn open(self: &Arc<Self>) -> Result<(Session, Told, oneshot::Sender<Verdict>), Status> {
        let permit = self.streams.clone().try_acquire_owned();
        let permit = permit.map_err(|_| status::too_many_streams(self.limits.streams))?;
        let (outlet, inlet) = feed(self.limits.queue);
        let (sender, verdict) = oneshot::channel();
        let session = Session {
            id: ConnectionId(self.connections.fetch_add(1, Ordering::Relaxed)),
            outlet,
            answers: Arc::new(Semaphore::new(self.limits.answers)),
            sessions: self.clone(),
            _permit: permit,
        };
        Ok((session, Told { inlet, verdict, desk: self.desk.clone() }, sender))
    }
}

/// One stream.
struct Session {
    sessions: Arc<Sessions>,
    id: ConnectionId,
    outlet: Outlet,
    answers: Arc<Semaphore>,
    _permit: OwnedSemaphorePermit,
}

/// What a hello asks for.
struct Visitor {
    player: PlayerId,
    connection: Connection,
}

/// How a match went on for a stream.
enum After {
    /// The match is over.
    Match,
    /// The player left or is gone, or there is no further match.
    End,
}

/// A place that may still become a seat.
struct Awaited {
    seated: oneshot::Receiver<Seated>,
    ended: oneshot::Receiver<Ending>,
}

impl Session {
    async fn until_stopped(
        &self,
        session: impl Future<Output = Result<(), Status>>,
    ) -> Result<(), Status> {
        tokio::select! {
            biased;
            outcome = session => outcome,
            () = self.sessions.stopping.cancelled() => Err(status::stopped()),
        }
    }

    async fn look_on(&self, table_id: &str) -> Result<(), Status> {
        let (ended, end) = oneshot::channel();
        let line = Line { outlet: self.outlet.clone(), ended };
        self.sessions.lobby.follow(table_id, line).await.map_err(Failure::from)?;
        tokio::select! {
            ending = end => self.ending(ending),
            () = self.outlet.gone() => Ok(()),
        }
    }

    async fn play(&self, mut inbound: Inbound, hello: Option<v1::Hello>) -> Result<(), Status> {
        let hello = match hello {
            Some(hello) => hello,
            None => self.hello(&mut inbound).await?,
        };
        let visitor = Visitor {
            player: auth::player(&hello)?,
            connection: Connection {
                id: self.id,
                at_once: hello.delivery() == v1::hello::Delivery::AtOnce,
                omits_observation: hello.omit_observation,
                wants_more: false,
            },
        };
        match hello.place {
            Some(v1::hello::Place::Table(place)) => self.at_table(visitor, place, inbound).await,
            Some(v1::hello::Place::Ladder(place)) => self.in_ladder(visitor, place, inbound).await,
            Some(v1::hello::Place::Resume(place)) => self.resume(visitor, place, inbound).await,
            None => {
                Err(status::invalid("Hello.place", "say where to sit: table, ladder or resume"))
            }
        }
    }

    async fn hello(&self, inbound: &mut Inbound) -> Result<v1::Hello, Status> {
        let limit = self.sessions.limits.hello;
        let first = tokio::select! {
            first = timeout(limit, inbound.next()) => first.map_err(|_| status::no_hello(limit))??,
            () = self.outlet.gone() => return Err(status::stopped()),
        };
        match first {
            v1::play_request::Message::Hello(hello) => Ok(hello),
            v1::play_request::Message::Answer(_) | v1::play_request::Message::Leave(_) => {
                Err(status::invalid("PlayRequest.message", "the first message is a hello"))
            }
        }
    }

    async fn at_table(
        &self,
        visitor: Visitor,
        place: v1::TablePlace,
        mut inbound: Inbound,
    ) -> Result<(), Status> {
        let v1::TablePlace { table_id, seat } = place;
        let seat = decode::seat_or_none(seat, "TablePlace.seat")
            .map_err(|error| status::invalid(error.field, &error.problem))?;
        let (guest, awaited) = self.guest(visitor);
        self.sessions.lobby.sit(&table_id, seat, guest).map_err(Failure::from)?;
        let stand_up = async || self.sessions.lobby.stand_up(&table_id, self.id);
        self.wait_and_play(&mut inbound, awaited, stand_up).await.map(|_| ())
    }

    async fn in_ladder(
        &self,
        visitor: Visitor,
        place: v1::LadderPlace,
        mut inbound: Inbound,
    ) -> Result<(), Status> {
        let Some(desk) = &self.sessions.desk else { return Err(status::no_ladder()) };
        let Visitor { player, connection } = visitor;
        let wanted = place.matches;
        let mut played = 0;
        while wanted == 0 || played < wanted {
            let wants_more = wanted == 0 || played + 1 < wanted;
            let connection = Connection { wants_more, ..connection };
            let (guest, awaited) = self.guest(Visitor { player: player.clone(), connection });
            desk.enter(Entrant { guest, player: player.clone(), wanted, played }).await;
            let leave = async || desk.leave(self.id).await;
            match self.wait_and_play(&mut inbound, awaited, leave).await? {
                After::Match => played += 1,
                After::End => break,
            }
        }
        Ok(())
    }

    async fn resume(
        &self,
        visitor: Visitor,
        place: v1::ResumePlace,
        mut inbound: Inbound,
    ) -> Result<(), Status> {
        let v1::ResumePlace { resume_token, after_sequence } = place;
        let seated = self.sessions.lobby.resume(&resume_token).map_err(Failure::from)?;
        let Seated { table, seat } = &seated;
        if table.spec().players[*seat].name != visitor.player.name {
            return Err(status::failure(
                tonic::Code::PermissionDenied,
                "NOT_YOUR_SEAT",
                "another bot holds this seat; send the name and the resume token of one bot",
            ));
        }
        let (ended, end) = oneshot::channel();
        let line = Line { outlet: self.outlet.clone(), ended };
        let sitting = Sitting { connection: visitor.connection, line };
        let sat = table.sit(*seat, sitting, after_sequence).await.map_err(Failure::from)?;
        sat.map_err(Failure::from)?;
        self.play_match(&mut inbound, seated, end).await.map(|_| ())
    }

    fn guest(&self, visitor: Visitor) -> (Guest, Awaited) {
        let (ended, end) = oneshot::channel();
        let (told, seated) = oneshot::channel();
        let Visitor { player, connection } = visitor;
        let line = Line { outlet: self.outlet.clone(), ended };
        (Guest { player, connection, line, seated: told }, Awaited { seated, ended: end })
    }

    /// Waits for a match, then plays it. `give_up` takes the guest from where it waits.
    async fn wait_and_play(
        &self,
        inbound: &mut Inbound,
        awaited: Awaited,
        give_up: impl AsyncFnOnce(),
    ) -> Result<After, Status> {
        let Awaited { mut seated, ended } = awaited;
        let outcome = loop {
            tokio::select! {
                biased;
                begun = &mut seated => match begun {
                    Ok(seated) => return self.play_match(inbound, seated, ended).await,
                    // Who is sent away without a seat is told why.
                    Err(_) => {
                        self.ending(ended.await)?;
                        return Ok(After::End);
                    }
                },
                () = self.outlet.gone() => break Ok(After::End),
                message = inbound.next() => match message {
                    Ok(v1::play_request::Message::Answer(answer)) => {
                        let turn = answer.turn;
                        self.refuse(turn, Refusal::UnknownTurn { turn });
                    }
                    Ok(v1::play_request::Message::Leave(v1::Leave {})) => break Ok(After::End),
                    Ok(v1::play_request::Message::Hello(_)) => break Err(second_hello()),
                    Err(status) => break Err(status),
                },
            }
        };
        give_up().await;
        // Its match may have begun in the meantime.
        if let Ok(Seated { table, seat }) = seated.await {
            table.leave(seat, self.id).await;
        }
        outcome
    }

    async fn play_match(
        &self,
        inbound: &mut Inbound,
        seated: Seated,
        mut ended: oneshot::Receiver<Ending>,
    ) -> Result<After, Status> {
        let Seated { table, seat } = seated;
        let match_id = table.spec().match_id.clone();
        let outcome = loop {
            tokio::select! {
                biased;
                ending = &mut ended => {
                    let is_over = ending == Ok(Ending::MatchOver);
                    self.ending(ending)?;
                    return Ok(if is_over { After::Match } else { After::End });
                }
                () = self.outlet.gone() => break Ok(After::End),
                message = inbound.next() => match message {
                    Ok(v1::play_request::Message::Answer(answer)) => {
                        let turn = answer.turn;
                        if !self.bring(&table, seat, answer) {
                            self.refuse(turn, Refusal::TooManyAnswers);
                        }
                    }
                    Ok(v1::play_request::Message::Leave(v1::Leave {})) => {
                        table.leave(seat, self.id).await;
                    }
                    Ok(v1::play_request::Message::Hello(_)) => break Err(second_hello()),
                    Err(status) => break Err(status),
                },
            }
        };
        tracing::debug!(match_id, %seat, "a connection to a seat was lost");
        table.lost(self.id).await;
        outcome
    }

    /// Brings an answer to the table; whether it was taken. One whose bot does not read what it is told is not.
    fn bring(&self, table: &TableHandle, seat: Seat, answer: v1::Answer) -> bool {
        let Ok(permit) = self.answers.clone().try_acquire_owned() else { return false };
        self.outlet.has_room() && table.answer(seat, self.id, read_answer(answer), permit).is_ok()
    }

    /// Refuses an answer that does not count. Where there is little room left for refusals they are left out: all that
    /// a flood brings is thrown away, so that it costs its own stream nothing else.
    fn refuse(&self, turn: u64, why: Refusal) {
        if self.outlet.has_some_room() {
            let reply = Reply::Refused { turn, why, tries_left: None };
            let _ = self.outlet.tell(Update::Reply(reply));
        }
    }

    /// How the stream ends when a table is done with it; a table that says nothing broke.
    fn ending(&self, ending: Result<Ending, oneshot::error::RecvError>) -> Result<(), Status> {
        match ending {
            Ok(why) => status::ending(why),
            Err(_) => {
                let _ = self.outlet.tell(Update::Notice(Notice::BrokenOff));
                Err(status::broken())
            }
        }
    }
}

/// An answer of the wire. What cannot be read is brought to the table too, which counts it.
pub(super) fn read_answer(answer: v1::Answer) -> Answer {
    let v1::Answer { match_id, turn, r#move } = answer;
    let wanted = match r#move {
        Some(v1::answer::Move::Structured(structured)) => match decode::made(&structured) {
            Ok(wanted) => Wanted::Move(wanted),
            Err(error) => Wanted::Malformed(error.to_string()),
        },
        Some(v1::answer::Move::Text(text)) => Wanted::Text(text),
        None => Wanted::Malformed("Answer.move: send a move, structured or as text".to_owned()),
    };
    Answer { match_id, turn, wanted }
}

/// Who answers by itself names its seat by the token.
pub(super) async fn act(
    lobby: &Lobby,
    resume_token: &str,
    answer: v1::Answer,
) -> Result<Reply, Failure> {
    let Seated { table, seat } = lobby.resume(resume_token)?;
    let answered: Result<Reply, TableGone> = table.act(seat, read_answer(answer)).await;
    Ok(answered?)
}

fn second_hello() -> Status {
    status::invalid("PlayRequest.message", "hello is said once; open a stream for another seat")
}
