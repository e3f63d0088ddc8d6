//! A server that plays a script: each call is handed to the test, which says what the server answers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mighty_client::{Options, Place, Reconnecting, Server};
use mighty_protocol::v1::table_service_server::{TableService, TableServiceServer};
use mighty_protocol::{encode, v1};
use mighty_rules::{
    BySeat, Dealing, Event, Hand, Move, Profile, Rules, Score, Seat, Seed, Setup, Viewer,
};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming};

/// How long a test waits for what must come.
const SOON: Duration = Duration::from_secs(20);

/// Waits for what must come.
pub(crate) async fn soon<T>(what: &str, coming: impl Future<Output = T>) -> T {
    timeout(SOON, coming).await.unwrap_or_else(|_| panic!("{what} did not come"))
}

/// A bot for the tests, which does not wait long before it comes back.
pub(crate) fn options(place: Place) -> Options {
    let wait = Duration::from_millis(1);
    let reconnecting = Reconnecting { first_wait: wait, longest_wait: wait, attempts: 5 };
    Options {
        version: "7".to_owned(),
        token: "secret".to_owned(),
        reconnecting,
        ..Options::new("alice", place)
    }
}

/// A server whose calls are answered by the test.
pub(crate) struct Script {
    pub(crate) server: Server,
    pub(crate) plays: mpsc::Receiver<Seating>,
    pub(crate) follows: mpsc::Receiver<Following>,
}

impl Script {
    pub(crate) async fn start() -> Script {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address: SocketAddr = listener.local_addr().expect("a bound listener");
        let (new_play, plays) = mpsc::channel(8);
        let (new_follow, follows) = mpsc::channel(8);
        let service = TableServiceServer::new(Scripted { new_play, new_follow });
        let server = tonic::transport::Server::builder().add_service(service);
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        let server = Server::at(&format!("http://{address}")).expect("an address");
        Script { server, plays, follows }
    }

    /// The next stream that a bot opens, and its hello.
    pub(crate) async fn seated(&mut self) -> (Seating, v1::Hello) {
        let mut seating = soon("a stream", self.plays.recv()).await.expect("the server is up");
        match seating.said().await {
            Some(v1::play_request::Message::Hello(hello)) => (seating, hello),
            said => panic!("a hello was expected: {said:?}"),
        }
    }

    pub(crate) async fn followed(&mut self) -> Following {
        soon("a follower", self.follows.recv()).await.expect("the server is up")
    }
}

struct Scripted {
    new_play: mpsc::Sender<Seating>,
    new_follow: mpsc::Sender<Following>,
}

/// A bot's stream, seen from the server.
pub(crate) struct Seating {
    incoming: Streaming<v1::PlayRequest>,
    outgoing: mpsc::Sender<Result<v1::PlayResponse, Status>>,
}

impl Seating {
    pub(crate) async fn say(&self, update: v1::update::Kind) {
        let update = Some(v1::Update { kind: Some(update) });
        self.outgoing.send(Ok(v1::PlayResponse { update })).await.expect("the bot listens");
    }

    /// What the bot says next; `None` when it has gone.
    pub(crate) async fn said(&mut self) -> Option<v1::play_request::Message> {
        let message = soon("a message of the bot", self.incoming.message()).await;
        message.ok().flatten().and_then(|request| request.message)
    }

    pub(crate) async fn answer(&mut self) -> v1::Answer {
        match self.said().await {
            Some(v1::play_request::Message::Answer(answer)) => answer,
            said => panic!("an answer was expected: {said:?}"),
        }
    }

    /// Ends the stream with an error; dropping it ends it with OK.
    pub(crate) async fn fail(self, status: Status) {
        self.outgoing.send(Err(status)).await.expect("the bot listens");
    }
}

/// A follower's stream, seen from the server.
pub(crate) struct Following {
    pub(crate) request: v1::FollowRequest,
    outgoing: mpsc::Sender<Result<v1::FollowResponse, Status>>,
}

impl Following {
    pub(crate) async fn say(&self, update: v1::update::Kind) {
        let update = Some(v1::Update { kind: Some(update) });
        self.outgoing.send(Ok(v1::FollowResponse { update })).await.expect("somebody listens");
    }

    pub(crate) async fn fail(self, status: Status) {
        self.outgoing.send(Err(status)).await.expect("somebody listens");
    }
}

#[tonic::async_trait]
impl TableService for Scripted {
    type PlayStream = ReceiverStream<Result<v1::PlayResponse, Status>>;
    type FollowStream = ReceiverStream<Result<v1::FollowResponse, Status>>;

    async fn play(
        &self,
        request: Request<Streaming<v1::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let (outgoing, stream) = mpsc::channel(8);
        let seating = Seating { incoming: request.into_inner(), outgoing };
        self.new_play.send(seating).await.map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn follow(
        &self,
        request: Request<v1::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        let (outgoing, stream) = mpsc::channel(8);
        let following = Following { request: request.into_inner(), outgoing };
        let over = |_| Status::unavailable("the test is over");
        self.new_follow.send(following).await.map_err(over)?;
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn create_table(
        &self,
        _: Request<v1::CreateTableRequest>,
    ) -> Result<Response<v1::CreateTableResponse>, Status> {
        Err(Status::unimplemented("not in the script"))
    }

    async fn list_tables(
        &self,
        _: Request<v1::ListTablesRequest>,
    ) -> Result<Response<v1::ListTablesResponse>, Status> {
        Err(Status::unimplemented("not in the script"))
    }

    async fn get_table(
        &self,
        _: Request<v1::GetTableRequest>,
    ) -> Result<Response<v1::GetTableResponse>, Status> {
        Err(Status::unimplemented("not in the script"))
    }

    async fn act(&self, _: Request<v1::ActRequest>) -> Result<Response<v1::ActResponse>, Status> {
        Err(Status::unimplemented("not in the script"))
    }
}

/// A match of one hand, as the server tells it to one viewer. All pass, and seat 2 must declare.
pub(crate) struct Table {
    pub(crate) hand: Hand,
    viewer: Viewer,
    match_id: String,
    /// Every event of the viewer so far, numbered from 1.
    told: Vec<v1::Event>,
    /// How many events of the hand's log are among them.
    logged: usize,
    /// How many of them were sent.
    sent: usize,
    turns: u64,
}

impl Table {
    pub(crate) fn new(match_id: &str, profile: Profile, viewer: Viewer) -> Table {
        let must_declare = [("auction.all_pass", "dealer_declares")];
        let rules = Rules::with_texts(profile, must_declare).expect("these rules make sense");
        let rules = Arc::new(rules);
        let setup = Setup { dealer: Seat::ALL[2], first_bidder: Seat::ALL[0], pot: 0 };
        let hand = Hand::deal(rules, &Seed::new([5; 32]).deck(1, 0), setup);
        let started = v1::HandStarted::from(Dealing { hand: 1, redeal: 0, setup });
        let mut table = Table {
            hand,
            viewer,
            match_id: match_id.to_owned(),
            told: Vec::new(),
            logged: 0,
            sent: 0,
            turns: 0,
        };
        table.note(v1::event::Kind::HandStarted(started));
        table
    }

    pub(crate) fn start(&self) -> v1::update::Kind {
        let seat = match self.viewer {
            Viewer::Seat(seat) => Some(encode::seat(seat)),
            Viewer::Spectator => None,
        };
        v1::update::Kind::MatchStart(v1::MatchStart {
            match_id: self.match_id.clone(),
            table_id: "t1".to_owned(),
            rules: Some(self.hand.rules().into()),
            seat,
            seats: vec![v1::SeatInfo::default(); 5],
            cut: vec![1, 2, 3, 4, 5],
            resume_token: format!("token of {}", self.match_id),
            refusals_allowed: 3,
            ..v1::MatchStart::default()
        })
    }

    /// The state of affairs; events go on after it.
    pub(crate) fn snapshot(&mut self, missed: u64) -> v1::update::Kind {
        self.news();
        let totals = BySeat::<Score>::default();
        v1::update::Kind::Snapshot(v1::Snapshot {
            sequence: self.told.len() as u64,
            observation: Some(encode::observation(&self.hand.view(self.viewer), 1, 0, &totals)),
            totals_half_points: encode::half_points(&totals),
            missed,
        })
    }

    /// The others play on by default, up to the viewer's next turn; `None` once the hand is over.
    pub(crate) fn turn(&mut self) -> Option<v1::update::Kind> {
        while let Some(seat) = self.hand.turn() {
            if self.viewer == Viewer::Seat(seat) {
                self.turns += 1;
                return Some(self.same_turn());
            }
            self.play_default();
        }
        None
    }

    /// The open turn, told once more.
    pub(crate) fn same_turn(&mut self) -> v1::update::Kind {
        let seat = self.hand.turn().expect("a turn is open");
        v1::update::Kind::Turn(v1::Turn {
            match_id: self.match_id.clone(),
            number: self.turns,
            events: self.news(),
            choices: self.hand.choices(seat).map(Into::into),
            default_move: self.hand.default_move(seat).map(Into::into),
            ..v1::Turn::default()
        })
    }

    /// Whoever is on turn plays the default.
    pub(crate) fn play_default(&mut self) {
        let seat = self.hand.turn().expect("a turn is open");
        let default_move = self.hand.default_move(seat).expect("the seat on turn has a default");
        self.hand.apply(seat, default_move).expect("the default is legal");
    }

    pub(crate) fn play(&mut self, answer: &v1::Answer) -> Move {
        let seat = self.hand.turn().expect("a turn is open");
        let made = read(answer);
        self.hand.apply(seat, made).expect("the answer is legal");
        made
    }

    pub(crate) fn over(&mut self, another_follows: bool) -> v1::update::Kind {
        let (match_id, events) = (self.match_id.clone(), self.news());
        v1::update::Kind::MatchOver(v1::MatchOver { match_id, events, another_follows })
    }

    pub(crate) fn events(&mut self) -> v1::update::Kind {
        v1::update::Kind::Events(v1::Events { events: self.news() })
    }

    /// The number of the last event that was sent.
    pub(crate) fn last_sent(&self) -> u64 {
        self.sent as u64
    }

    /// The viewer's events that were not sent yet.
    pub(crate) fn news(&mut self) -> Vec<v1::Event> {
        let viewer = self.viewer;
        let notices = self.hand.log()[self.logged..].iter();
        let new: Vec<Event> = notices
            .filter(|notice| notice.audience.includes(viewer))
            .map(|notice| notice.event)
            .collect();
        self.logged = self.hand.log().len();
        new.into_iter().for_each(|event| self.note(event.into()));
        let news = self.told[self.sent..].to_vec();
        self.sent = self.told.len();
        news
    }

    fn note(&mut self, kind: v1::event::Kind) {
        let sequence = self.told.len() as u64 + 1;
        self.told.push(v1::Event { sequence, kind: Some(kind) });
    }
}

/// The move of an answer.
pub(crate) fn read(answer: &v1::Answer) -> Move {
    let Some(v1::answer::Move::Structured(structured)) = &answer.r#move else {
        panic!("a structured move was expected: {answer:?}");
    };
    mighty_protocol::decode::made(structured).expect("the answer can be read")
}
