//! A bot that is played move by move, so that it can do whatever a bot might.

use std::sync::Arc;

use mighty_house::{Player, Random};
use mighty_protocol::decode::{self, MatchEnd, Told};
use mighty_protocol::v1;
use mighty_protocol::v1::play_request::Message;
use mighty_protocol::v1::update::Kind;
use mighty_rules::{Event, Move, Rules, View, Viewer};
use prost::Message as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::client::Grpc;
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};
use tonic_types::StatusExt;

use crate::{Raw, soon};

/// A bot on its stream. It folds what it is told, and holds every observation that comes against its own view.
pub struct Bot {
    /// What it remembers.
    pub memory: Memory,
    player: Random,
    requests: mpsc::Sender<Vec<u8>>,
    updates: Streaming<Vec<u8>>,
    /// A turn that came while something else was waited for.
    turn: Option<v1::Turn>,
}

/// What a bot remembers of its match, on whichever stream it was told.
#[derive(Clone, Default)]
pub struct Memory {
    /// Its name.
    pub name: String,
    /// The start of its match.
    pub start: Option<v1::MatchStart>,
    /// Every event of its match, in order.
    pub told: Vec<Told>,
    /// The hand in play.
    pub view: Option<View>,
    /// Every message that it was sent, as it came.
    pub received: Vec<Vec<u8>>,
}

impl Bot {
    /// Opens a stream with this hello.
    ///
    /// # Panics
    /// The stream cannot be opened.
    pub async fn join(channel: &Channel, hello: v1::Hello) -> Bot {
        let memory = Memory { name: hello.name.clone(), ..Memory::default() };
        Bot::open(channel, hello, memory).await
    }

    /// Takes the seat again that this memory is of, on a new stream.
    ///
    /// # Panics
    /// The stream cannot be opened.
    pub async fn come_back(channel: &Channel, memory: Memory) -> Bot {
        let place = v1::hello::Place::Resume(v1::ResumePlace {
            resume_token: memory.start().resume_token.clone(),
            after_sequence: memory.told.len() as u64,
        });
        Bot::open(channel, hello(&memory.name, place), memory).await
    }

    async fn open(channel: &Channel, hello: v1::Hello, memory: Memory) -> Bot {
        let mut bot = Bot::silent(channel).await;
        bot.memory = memory;
        bot.say(Message::Hello(hello)).await;
        bot
    }

    /// Opens a stream, and says nothing yet.
    ///
    /// # Panics
    /// The stream cannot be opened.
    pub async fn silent(channel: &Channel) -> Bot {
        let (requests, stream) = mpsc::channel(64);
        let mut client = Grpc::new(channel.clone());
        let path = "/mighty.v1.TableService/Play".parse().expect("this is a path");
        let opening = async {
            client.ready().await.expect("the server is there");
            client.streaming(Request::new(ReceiverStream::new(stream)), path, Raw).await
        };
        let opened = soon("a stream", opening).await.expect("the stream is opened");
        let player = Random::new(7);
        let (memory, updates) = (Memory::default(), opened.into_inner());
        Bot { memory, player, requests, updates, turn: None }
    }

    /// The next update; nothing at a clean end.
    ///
    /// # Errors
    /// How the stream ended otherwise.
    ///
    /// # Panics
    /// No update comes, or what it tells does not follow from what was told before.
    pub async fn next(&mut self) -> Result<Option<Kind>, Status> {
        let Some(bytes) = soon("an update", self.updates.message()).await? else { return Ok(None) };
        let response = v1::PlayResponse::decode(bytes.as_slice()).expect("it is a response");
        let kind =
            response.update.and_then(|update| update.kind).expect("an update says something");
        self.memory.received.push(bytes);
        self.memory.take_in(&kind);
        Ok(Some(kind))
    }

    /// Reads on to the next turn.
    ///
    /// # Panics
    /// The stream ends before.
    pub async fn until_turn(&mut self) -> v1::Turn {
        self.next_turn().await.expect("a turn comes")
    }

    /// Reads on to the next turn; nothing when the stream has ended well.
    ///
    /// # Panics
    /// The stream ends otherwise.
    pub async fn next_turn(&mut self) -> Option<v1::Turn> {
        while self.turn.is_none() {
            match self.next().await.expect("the stream goes on") {
                Some(Kind::Turn(turn)) => self.turn = Some(turn),
                Some(_) => {}
                None => break,
            }
        }
        self.turn.take()
    }

    /// Reads on to what became of an answer.
    ///
    /// # Errors
    /// It was refused.
    ///
    /// # Panics
    /// The stream ends before.
    pub async fn until_reply(&mut self) -> Result<v1::AnswerAccepted, v1::AnswerRefused> {
        loop {
            match self.next().await.expect("the stream goes on").expect("a reply comes") {
                Kind::Accepted(accepted) => return Ok(accepted),
                Kind::Refused(refused) => return Err(refused),
                Kind::Turn(turn) => self.turn = Some(turn),
                Kind::Waiting(_)
                | Kind::MatchStart(_)
                | Kind::Snapshot(_)
                | Kind::Events(_)
                | Kind::MatchOver(_)
                | Kind::Notice(_) => {}
            }
        }
    }

    /// Answers turn after turn to the end of the stream; the notices that came, and how it ended.
    ///
    /// # Panics
    /// No update comes, or what it tells does not follow from what was told before.
    pub async fn play(&mut self) -> (Vec<v1::server_notice::Kind>, Result<(), Status>) {
        let mut notices = Vec::new();
        loop {
            let kind = match self.turn.take() {
                Some(turn) => Kind::Turn(turn),
                None => match self.next().await {
                    Ok(Some(kind)) => kind,
                    Ok(None) => return (notices, Ok(())),
                    Err(status) => return (notices, Err(status)),
                },
            };
            match kind {
                Kind::Turn(turn) => self.answer_well(&turn).await,
                Kind::Notice(notice) => notices.push(notice.kind()),
                Kind::Waiting(_)
                | Kind::MatchStart(_)
                | Kind::Snapshot(_)
                | Kind::Events(_)
                | Kind::Accepted(_)
                | Kind::Refused(_)
                | Kind::MatchOver(_) => {}
            }
        }
    }

    /// Plays to the end of its matches, which is a good one; what it remembers.
    ///
    /// # Panics
    /// The stream ends otherwise than with OK, or there was some notice.
    pub async fn finish(mut self) -> Memory {
        let (notices, end) = self.play().await;
        end.unwrap_or_else(|status| panic!("{}: {status}", self.memory.name));
        assert_eq!(notices, [], "{}", self.memory.name);
        self.memory
    }

    /// A legal move.
    ///
    /// # Panics
    /// The turn offers none.
    pub fn choose(&mut self, turn: &v1::Turn) -> Move {
        let choices = turn.choices.as_ref().expect("a turn has choices");
        let choices = decode::choices(choices).expect("the choices can be read");
        self.player.act(self.memory.view.as_ref().expect("a hand is played"), &choices)
    }

    /// Answers a turn with a legal move.
    pub async fn answer_well(&mut self, turn: &v1::Turn) {
        let chosen = self.choose(turn);
        self.answer(turn.number, chosen).await;
    }

    /// Answers a turn of its match.
    pub async fn answer(&self, turn: u64, chosen: Move) {
        let chosen = v1::answer::Move::Structured(chosen.into());
        self.say_answer(&self.memory.start().match_id, turn, Some(chosen)).await;
    }

    /// Sends any answer.
    pub async fn say_answer(&self, match_id: &str, turn: u64, chosen: Option<v1::answer::Move>) {
        let answer = v1::Answer { match_id: match_id.to_owned(), turn, r#move: chosen };
        self.say(Message::Answer(answer)).await;
    }

    /// Sends any message.
    pub async fn say(&self, message: Message) {
        self.say_bytes(v1::PlayRequest { message: Some(message) }.encode_to_vec()).await;
    }

    /// Sends bytes, whatever they mean.
    pub async fn say_bytes(&self, bytes: Vec<u8>) {
        // A server that has ended the stream takes nothing more.
        let _ = self.requests.send(bytes).await;
    }

    /// The sending side, for another task.
    pub fn mouth(&self) -> mpsc::Sender<Vec<u8>> {
        self.requests.clone()
    }

    /// Drops the stream; what it remembers is all that is left.
    pub fn vanish(self) -> Memory {
        self.memory
    }
}

impl Memory {
    /// The start of its match.
    ///
    /// # Panics
    /// No match has begun.
    pub fn start(&self) -> &v1::MatchStart {
        self.start.as_ref().expect("a match has begun")
    }

    /// What it was told of the hands.
    pub fn events(&self) -> Vec<Event> {
        let in_hand =
            |told: &Told| if let Told::InHand(event) = told { Some(*event) } else { None };
        self.told.iter().filter_map(in_hand).collect()
    }

    /// How its match ended.
    ///
    /// # Panics
    /// It has not.
    pub fn end(&self) -> &MatchEnd {
        match self.told.last() {
            Some(Told::MatchEnded(end)) => end,
            last => panic!("{}: the match has not ended: {last:?}", self.name),
        }
    }

    fn take_in(&mut self, kind: &Kind) {
        match kind {
            Kind::MatchStart(start) => {
                let goes_on = self.start.as_ref().is_some_and(|old| old.match_id == start.match_id);
                if !goes_on {
                    (self.told, self.view) = (Vec::new(), None);
                }
                self.start = Some(start.clone());
            }
            Kind::Snapshot(snapshot) => {
                assert_eq!(snapshot.sequence, self.told.len() as u64, "it is of the last event");
                self.compare(snapshot.observation.as_ref());
            }
            Kind::Events(told) => self.hear(&told.events),
            Kind::Turn(turn) => {
                self.hear(&turn.events);
                assert!(turn.observation.is_some());
                self.compare(turn.observation.as_ref());
            }
            Kind::MatchOver(over) => self.hear(&over.events),
            Kind::Waiting(_) | Kind::Accepted(_) | Kind::Refused(_) | Kind::Notice(_) => {}
        }
    }

    fn hear(&mut self, events: &[v1::Event]) {
        for event in events {
            assert_eq!(event.sequence, self.told.len() as u64 + 1, "{}: no gap", self.name);
            let told = decode::told(event).expect("the event can be read");
            match &told {
                Told::HandStarted(dealing) => {
                    let seat = decode::seat_or_none(self.start().seat, "MatchStart.seat");
                    let seat = seat.expect("the seat can be read");
                    let viewer = seat.map_or(Viewer::Spectator, Viewer::Seat);
                    self.view = Some(View::new(self.rules(), dealing.setup, viewer));
                }
                Told::InHand(event) => {
                    self.view.as_mut().expect("a hand is played").see(event);
                }
                Told::HandEnded(_)
                | Told::DefaultMade { .. }
                | Told::SeatGivenUp { .. }
                | Told::SeatPresence { .. }
                | Told::MatchEnded(_) => {}
            }
            self.told.push(told);
        }
    }

    fn compare(&self, observation: Option<&v1::Observation>) {
        let observed = observation.map(|seen| {
            decode::observation(seen, self.rules()).expect("the observation can be read").view
        });
        assert_eq!(observed, self.view, "{}: the observation is the fold of events", self.name);
    }

    fn rules(&self) -> Arc<Rules> {
        let rules = self.start().rules.as_ref().expect("a match has rules");
        decode::rules(rules).expect("the rules can be read")
    }
}

/// What a bot of this name says first.
pub fn hello(name: &str, place: v1::hello::Place) -> v1::Hello {
    v1::Hello { name: name.to_owned(), place: Some(place), ..v1::Hello::default() }
}

/// The first open seat of a table.
pub fn at_table(table_id: &str) -> v1::hello::Place {
    v1::hello::Place::Table(v1::TablePlace { table_id: table_id.to_owned(), seat: None })
}

/// So many matches of the ladder; 0 for as many as there are.
pub fn in_ladder(matches: u32) -> v1::hello::Place {
    v1::hello::Place::Ladder(v1::LadderPlace { matches })
}

/// The machine-readable reason of a failure.
///
/// # Panics
/// It has none.
pub fn reason(status: &Status) -> String {
    let info = status.get_details_error_info();
    let info = info.unwrap_or_else(|| panic!("every failure has a reason: {status}"));
    assert_eq!(info.domain, "mighty.v1");
    info.reason
}
