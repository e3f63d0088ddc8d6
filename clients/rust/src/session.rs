//! A session: one seat after the other, played by one player, until there is a reason to stop.

use std::future::{Future, pending};
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::time::Duration;

use mighty_house::Player;
use mighty_protocol::decode::{self, BadMessage};
use mighty_protocol::v1;
use mighty_rules::{Choices, Move};
use tokio::sync::mpsc;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use crate::backoff::Backoff;
use crate::news::{News, NoticeKind, Refusal, duration};
use crate::options::{Options, Place};
use crate::server::Server;
use crate::stopped::{Stopped, after_trouble, in_words, is_broken_off, is_passing};
use crate::story::{Story, Trouble};

/// A seat to be played, at a table or in the ladder.
pub struct Session {
    server: Server,
    options: Options,
    on_news: Box<dyn FnMut(&News) + Send>,
    leave: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// How many messages may wait to be sent. A session sends one answer at a time, so there are never many.
const OUTGOING: usize = 8;
/// How long to wait before an answer is sent again that came faster than the server takes them.
const TOO_FAST_WAIT: Duration = Duration::from_millis(200);
/// How often the player is asked about one turn; then the default is sent.
const ASKED_AT_MOST: u8 = 2;

impl Session {
    /// A session of this bot on this server. Nothing happens before it plays.
    pub fn new(server: &Server, options: Options) -> Session {
        Session {
            server: server.clone(),
            options,
            on_news: Box::new(|_| ()),
            leave: Box::pin(pending()),
        }
    }

    /// Hands what happens to this function, such as `|news| println!("{news}")`.
    #[must_use]
    pub fn on_news(mut self, on_news: impl FnMut(&News) + Send + 'static) -> Session {
        self.on_news = Box::new(on_news);
        self
    }

    /// Leaves as soon as this is done: there is no further match, and a house bot plays on in the present one.
    #[must_use]
    pub fn leave_when(mut self, leave: impl Future<Output = ()> + Send + 'static) -> Session {
        self.leave = Box::pin(leave);
        self
    }

    /// Plays until there is a reason to stop. The player thinks on a thread of its own, so it may take its time.
    ///
    /// # Panics
    /// When the player does.
    pub async fn play(self, player: impl Player + 'static) -> Stopped {
        let Session { server, options, on_news, leave } = self;
        let mut leave = Leaving::NotYet(leave);
        let mut backoff = Backoff::new(options.reconnecting);
        let mut seat = AtSeat::new(player, on_news);
        loop {
            let place = seat.place(&options.place);
            let resumes = matches!(place, v1::hello::Place::Resume(_));
            let hello = options.hello(place);
            let end = stream(&server, hello, &options, &mut seat, &mut leave, &mut backoff).await;
            let why = match end {
                Err(stopped) => return stopped,
                Ok(_) if leave.has_begun() => return Stopped::Left { matches: seat.matches },
                Ok(end) => match seat.after(end, &options.place, resumes) {
                    Err(stopped) => return stopped,
                    Ok(why) => why,
                },
            };
            let Some(after) = backoff.after_failure(seat.come_back_after.take()) else {
                let server = server.address().to_owned();
                return Stopped::GaveUpReconnecting { server, last_error: why };
            };
            seat.tell(News::Reconnecting { after, why });
            tokio::select! {
                () = sleep(after) => {}
                () = leave.asked() => return Stopped::Left { matches: seat.matches },
            }
        }
    }
}

/// Plays as many seats at once, each made with its number from 0, and waits for all. Seats of one server share its
/// connection. The reasons why they stopped are in the order of the seats.
///
/// # Panics
/// When a player does.
pub async fn play_many<P: Player + 'static>(
    seats: usize,
    mut make: impl FnMut(usize) -> (Session, P),
) -> Vec<Stopped> {
    let mut sessions = JoinSet::new();
    for number in 0..seats {
        let (session, player) = make(number);
        sessions.spawn(async move { (number, session.play(player).await) });
    }
    let mut stopped = Vec::with_capacity(seats);
    while let Some(joined) = sessions.join_next().await {
        match joined.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(one) => stopped.push(one),
            Err(Ok(panic)) => resume_unwind(panic),
            Err(Err(_)) => {}
        }
    }
    stopped.sort_by_key(|(number, _)| *number);
    stopped.into_iter().map(|(_, why)| why).collect()
}

/// How a stream ended.
enum End {
    /// With OK.
    Closed,
    /// With an error, or it could not be opened.
    Failed(Status),
    /// By this side, since events were missing.
    Incomplete(String),
}

/// Whether the session is asked to leave.
enum Leaving {
    NotYet(Pin<Box<dyn Future<Output = ()> + Send>>),
    Begun,
}

impl Leaving {
    fn has_begun(&self) -> bool {
        match self {
            Leaving::NotYet(_) => false,
            Leaving::Begun => true,
        }
    }

    /// Is done once, when the session is asked to leave.
    async fn asked(&mut self) {
        match self {
            Leaving::NotYet(leave) => leave.await,
            Leaving::Begun => pending().await,
        }
        *self = Leaving::Begun;
    }
}

/// Opens a stream and plays on it to its end.
async fn stream(
    server: &Server,
    hello: v1::Hello,
    options: &Options,
    seat: &mut AtSeat,
    leave: &mut Leaving,
    backoff: &mut Backoff,
) -> Result<End, Stopped> {
    let (sender, outgoing) = mpsc::channel(OUTGOING);
    let say = async |message| {
        // Nobody listens any more when the stream has ended, which is then read from the other side.
        let message = v1::PlayRequest { message: Some(message) };
        drop(sender.send(message).await);
    };
    say(v1::play_request::Message::Hello(hello)).await;
    let mut tables = server.tables();
    let mut opening = pin!(tables.play(ReceiverStream::new(outgoing)));
    let mut incoming: Option<Streaming<v1::PlayResponse>> = None;
    let mut let_go: Option<Instant> = None;
    loop {
        let next_message = async {
            match &mut incoming {
                Some(incoming) => incoming.message().await,
                None => {
                    let opened = opening.as_mut().await?.into_inner();
                    incoming.insert(opened).message().await
                }
            }
        };
        let patience = async {
            match let_go {
                Some(until) => sleep_until(until).await,
                None => pending().await,
            }
        };
        let message = tokio::select! {
            message = next_message => message,
            () = leave.asked() => {
                say(v1::play_request::Message::Leave(v1::Leave {})).await;
                let_go = Some(Instant::now() + options.leave_within);
                continue;
            }
            () = patience => return Ok(End::Closed),
        };
        let update = match message {
            Ok(Some(response)) => response.update.and_then(|update| update.kind),
            Ok(None) => return Ok(End::Closed),
            Err(status) => return Ok(End::Failed(status)),
        };
        backoff.reset();
        let Some(update) = update else { continue };
        match seat.take_in(update).await {
            Ok(Some(_)) if leave.has_begun() => {}
            Ok(Some(answer)) => say(v1::play_request::Message::Answer(answer)).await,
            Ok(None) => {}
            Err(Halt::Stop(stopped)) => return Err(stopped),
            Err(Halt::Trouble(trouble)) => return after_trouble(&trouble).map(End::Incomplete),
        }
    }
}

/// A player at its seat, through lost connections and from match to match.
struct AtSeat {
    /// Absent only while it thinks.
    player: Option<Box<dyn Player>>,
    on_news: Box<dyn FnMut(&News) + Send>,
    /// The match; unset between matches.
    story: Option<Story>,
    /// The turn that was answered last.
    open: Option<OpenTurn>,
    /// How many matches were played to the end.
    matches: u32,
    /// Why the match goes on or ended without this player, once it does.
    lost: Option<Stopped>,
    /// When to come back to a server that is stopping.
    come_back_after: Option<Duration>,
}

/// A turn, and what was answered.
struct OpenTurn {
    number: u64,
    choices: Choices,
    default_move: Move,
    asked: u8,
    sent: Move,
}

/// Why an update is the last.
enum Halt {
    Stop(Stopped),
    Trouble(Trouble),
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Halt {
        Halt::Trouble(trouble)
    }
}

impl From<BadMessage> for Halt {
    fn from(bad: BadMessage) -> Halt {
        Halt::Trouble(bad.into())
    }
}

impl AtSeat {
    fn new(player: impl Player + 'static, on_news: Box<dyn FnMut(&News) + Send>) -> AtSeat {
        AtSeat {
            player: Some(Box::new(player)),
            on_news,
            story: None,
            open: None,
            matches: 0,
            lost: None,
            come_back_after: None,
        }
    }

    /// Whether the session stops after the end of a stream; if not, why there is another stream.
    fn after(&mut self, end: End, place: &Place, resumed: bool) -> Result<String, Stopped> {
        if let Some(lost) = self.lost.take() {
            self.rise();
            let ladder_goes_on = resumed || !matches!(end, End::Closed);
            match place {
                Place::Ladder { .. } if ladder_goes_on => {}
                Place::Ladder { .. } | Place::Table { .. } => return Err(lost),
            }
        }
        if self.story.is_none() && place.is_done(self.matches) {
            return Err(Stopped::Finished { matches: self.matches });
        }
        match (end, place) {
            (End::Incomplete(why), _) => Ok(why),
            (End::Closed, _) if self.story.is_some() => {
                Ok("the stream ended in the middle of a match".to_owned())
            }
            // A stream that resumed a seat knows of its match alone; the ladder goes on on a new one.
            (End::Closed, _) if resumed => Ok("the match that was resumed is over".to_owned()),
            (End::Closed, _) => Err(Stopped::Finished { matches: self.matches }),
            (End::Failed(status), Place::Table { .. }) if is_broken_off(&status) => {
                Err(Stopped::BrokenOff)
            }
            (End::Failed(status), Place::Ladder { .. }) if is_broken_off(&status) => {
                self.rise();
                Ok(in_words(&status))
            }
            (End::Failed(status), _) if is_passing(&status) => Ok(in_words(&status)),
            (End::Failed(status), _) if status.code() == Code::Aborted => Err(Stopped::TakenOver),
            // The match has ended without this bot; the ladder has others.
            (End::Failed(status), Place::Ladder { .. }) if resumed => {
                self.rise();
                Ok(in_words(&status))
            }
            (End::Failed(status), _) => Err(Stopped::refused(&status)),
        }
    }

    /// Where to sit now: at the seat of the match that goes on, or anew.
    fn place(&self, place: &Place) -> v1::hello::Place {
        match &self.story {
            Some(story) => v1::hello::Place::Resume(v1::ResumePlace {
                resume_token: story.resume_token.clone(),
                after_sequence: story.heard,
            }),
            None => place.after(self.matches),
        }
    }

    fn tell(&mut self, news: News) {
        (self.on_news)(&news);
    }

    /// Forgets the match, which goes on or ended without this player.
    fn rise(&mut self) {
        self.story = None;
        self.open = None;
    }

    /// Takes in an update, and gives the answer that it asks for.
    async fn take_in(&mut self, update: v1::update::Kind) -> Result<Option<v1::Answer>, Halt> {
        use v1::update::Kind;
        match update {
            Kind::Waiting(v1::Waiting { reason, seats_open }) => {
                self.tell(News::Waiting { reason, seats_open });
                Ok(None)
            }
            Kind::MatchStart(start) => {
                let story = Story::go_on(self.story.take(), start)?;
                let info = Box::new(story.info.clone());
                if story.heard == 0 {
                    self.open = None;
                }
                self.story = Some(story);
                self.lost = None;
                self.tell(News::MatchStarted(info));
                Ok(None)
            }
            Kind::Snapshot(snapshot) => {
                let missed = self.story()?.catch_up(&snapshot)?;
                self.tell(News::CaughtUp { missed });
                Ok(None)
            }
            Kind::Events(v1::Events { events }) => {
                self.hear(&events)?;
                Ok(None)
            }
            Kind::Turn(turn) => self.answer(turn).await.map(Some),
            Kind::Accepted(_) => Ok(None),
            Kind::Refused(refused) => self.answer_again(refused).await,
            Kind::MatchOver(v1::MatchOver { match_id, events, another_follows }) => {
                self.hear(&events)?;
                self.rise();
                self.matches += 1;
                self.tell(News::MatchOver { match_id, another_follows });
                Ok(None)
            }
            Kind::Notice(notice) => self.notice(notice),
        }
    }

    fn notice(&mut self, notice: v1::ServerNotice) -> Result<Option<v1::Answer>, Halt> {
        let kind = NoticeKind::from(notice.kind());
        let retry_after = duration(notice.retry_after, "ServerNotice.retry_after")?;
        self.tell(News::Notice { kind, message: notice.message });
        match kind {
            NoticeKind::TakenOver => return Err(Halt::Stop(Stopped::TakenOver)),
            NoticeKind::SeatGivenUp => self.lost = Some(Stopped::SeatGivenUp),
            NoticeKind::BrokenOff => self.lost = Some(Stopped::BrokenOff),
            NoticeKind::ShuttingDown => self.come_back_after = retry_after,
            NoticeKind::Other => {}
        }
        Ok(None)
    }

    fn story(&mut self) -> Result<&mut Story, Trouble> {
        self.story.as_mut().ok_or(Trouble::NothingBegan)
    }

    fn hear(&mut self, events: &[v1::Event]) -> Result<(), Halt> {
        for event in events {
            if let Some(told) = self.story()?.hear(event)? {
                self.tell(News::Told(told));
            }
        }
        Ok(())
    }

    /// Asks the player for its move. A turn that it has answered already is answered the same again.
    async fn answer(&mut self, turn: v1::Turn) -> Result<v1::Answer, Halt> {
        self.hear(&turn.events)?;
        let known = self.open.as_ref().filter(|open| open.number == turn.number);
        if let Some(OpenTurn { number, sent, .. }) = known {
            let (number, sent) = (*number, *sent);
            return self.sealed(number, sent);
        }
        let choices = decode::choices(decode::required(&turn.choices, "Turn.choices")?)?;
        let default_move =
            decode::made(decode::required(&turn.default_move, "Turn.default_move")?)?;
        let sent = self.think(choices).await?;
        let number = turn.number;
        self.open = Some(OpenTurn { number, choices, default_move, asked: 1, sent });
        self.sealed(number, sent)
    }

    /// After a refusal that counts, asks the player once more, and then answers with the default.
    async fn answer_again(
        &mut self,
        refused: v1::AnswerRefused,
    ) -> Result<Option<v1::Answer>, Halt> {
        let too_fast = refused.reason() == v1::RefusalReason::TooManyAnswers;
        let refusal = Refusal::from(refused);
        let Refusal { turn, tries_left, .. } = refusal;
        self.tell(News::Refused(refusal));
        let open = self.open.as_ref().filter(|open| open.number == turn);
        let Some(&OpenTurn { number, choices, default_move, asked, sent }) = open else {
            return Ok(None);
        };
        if too_fast {
            sleep(TOO_FAST_WAIT).await;
            return self.sealed(number, sent).map(Some);
        }
        // Where no try is left the table has made the default; where none was counted the turn is over.
        let may_try = tries_left.is_some_and(|left| left > 0) && sent != default_move;
        if !may_try {
            return Ok(None);
        }
        let sent = if asked < ASKED_AT_MOST { self.think(choices).await? } else { default_move };
        self.open = Some(OpenTurn { number, choices, default_move, asked: asked + 1, sent });
        self.sealed(number, sent).map(Some)
    }

    fn sealed(&mut self, turn: u64, sent: Move) -> Result<v1::Answer, Halt> {
        Ok(v1::Answer {
            match_id: self.story()?.info.match_id.clone(),
            turn,
            r#move: Some(v1::answer::Move::Structured(sent.into())),
        })
    }

    /// Lets the player think, on a thread where it may take its time without holding up the connection.
    async fn think(&mut self, choices: Choices) -> Result<Move, Halt> {
        let view = self.story()?.view.clone().ok_or(Trouble::NothingBegan)?;
        let mut player = self.player.take().expect("the player is back from its last thought");
        let thought = spawn_blocking(move || {
            let chosen = player.act(&view, &choices);
            (player, chosen)
        });
        match thought.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok((player, chosen)) => {
                self.player = Some(player);
                Ok(chosen)
            }
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime shuts down, and this task with it.
            Err(Err(_)) => pending().await,
        }
    }
}
