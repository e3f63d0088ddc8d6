//! Stories over real connections: raw generated clients play against a whole server.

use std::time::Duration;

use mighty_house::Player;
use mighty_protocol::v1::ladder_service_client::LadderServiceClient;
use mighty_protocol::v1::record_service_client::RecordServiceClient;
use mighty_protocol::v1::rules_service_client::RulesServiceClient;
use mighty_protocol::v1::table_service_client::TableServiceClient;
use mighty_protocol::{encode, v1};
use mighty_rules::{Choices, Move, View, read_cards, verify_line};
use mighty_server::accept::connections;
use mighty_server::config::Config;
use mighty_server::{Prepared, Shutdown};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt;
use v1::update::Kind;

/// Nothing here takes longer, unless something hangs.
const PATIENCE: Duration = Duration::from_secs(60);

struct Server {
    address: std::net::SocketAddr,
    channel: Channel,
    shutdown: Shutdown,
    served: JoinHandle<anyhow::Result<()>>,
}

impl Server {
    async fn start(flags: &[&str]) -> Server {
        Server::with_house(flags, mighty_house::by_name).await
    }

    async fn with_house(flags: &[&str], house: mighty_server::table::HouseBots) -> Server {
        let arguments = std::iter::once(&"mighty-server").chain(flags);
        let config = Config::read(arguments.map(Into::into)).expect("the flags are right");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let incoming = connections(listener, config.door());
        let shutdown = Shutdown::default();
        let server = Prepared::new(config, house).unwrap();
        let served = tokio::spawn(server.serve(incoming, shutdown.clone()));
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        Server { address, channel: endpoint.connect_lazy(), shutdown, served }
    }

    fn tables(&self) -> TableServiceClient<Channel> {
        TableServiceClient::new(self.channel.clone())
    }

    async fn table(&self, profile: &str, house: usize, clock: Option<v1::Clock>) -> String {
        let seats = (0..house)
            .map(|_| v1::SeatPlan { who: Some(v1::seat_plan::Who::House("random".to_owned())) });
        let request = v1::CreateTableRequest {
            profile: profile.to_owned(),
            overrides: [("match.hands".to_owned(), "2".to_owned())].into(),
            seats: seats.collect(),
            clock,
        };
        let created = self.tables().create_table(request).await.unwrap().into_inner();
        created.table.unwrap().table_id
    }

    async fn stop(self) {
        self.shutdown.at_once.cancel();
        timeout(PATIENCE, self.served).await.expect("it ends").unwrap().unwrap();
    }
}

/// A bot on its stream.
struct Bot {
    name: String,
    requests: Option<mpsc::Sender<v1::PlayRequest>>,
    updates: Streaming<v1::PlayResponse>,
    start: Option<v1::MatchStart>,
    last_event: u64,
}

fn at_table(table_id: &str) -> v1::hello::Place {
    v1::hello::Place::Table(v1::TablePlace { table_id: table_id.to_owned(), seat: None })
}

fn in_ladder(matches: u32) -> v1::hello::Place {
    v1::hello::Place::Ladder(v1::LadderPlace { matches })
}

fn hello(name: &str, place: v1::hello::Place) -> v1::Hello {
    v1::Hello { name: name.to_owned(), place: Some(place), ..v1::Hello::default() }
}

impl Bot {
    async fn join(server: &Server, hello: v1::Hello) -> Bot {
        let (requests, stream) = mpsc::channel(64);
        let name = hello.name.clone();
        let first = v1::play_request::Message::Hello(hello);
        requests.send(v1::PlayRequest { message: Some(first) }).await.unwrap();
        let updates = server.tables().play(ReceiverStream::new(stream)).await.unwrap();
        let updates = updates.into_inner();
        Bot { name, requests: Some(requests), updates, start: None, last_event: 0 }
    }

    /// The next update; the status when the stream has ended otherwise than with OK.
    async fn next(&mut self) -> Result<Option<Kind>, Status> {
        let update = timeout(PATIENCE, self.updates.message()).await.expect("an update comes");
        let kind = update?.map(|response| response.update.unwrap().kind.unwrap());
        match &kind {
            Some(Kind::MatchStart(start)) => {
                self.start = Some(start.clone());
                self.last_event = 0;
            }
            Some(Kind::Snapshot(snapshot)) => self.last_event = snapshot.sequence,
            Some(Kind::Events(told)) => self.count(&told.events),
            Some(Kind::Turn(turn)) => self.count(&turn.events),
            Some(Kind::MatchOver(over)) => self.count(&over.events),
            Some(Kind::Waiting(_) | Kind::Accepted(_) | Kind::Refused(_) | Kind::Notice(_))
            | None => {}
        }
        Ok(kind)
    }

    fn count(&mut self, events: &[v1::Event]) {
        for event in events {
            assert_eq!(event.sequence, self.last_event + 1, "{}: no gap", self.name);
            self.last_event = event.sequence;
        }
    }

    async fn send(&mut self, message: v1::play_request::Message) {
        let requests = self.requests.as_ref().expect("the sending side is open");
        // A server that has ended the stream takes nothing more.
        let _ = requests.send(v1::PlayRequest { message: Some(message) }).await;
    }

    async fn answer(&mut self, turn: u64, text: &str) {
        let match_id = self.start.as_ref().unwrap().match_id.clone();
        let text = Some(v1::answer::Move::Text(text.to_owned()));
        let answer = v1::Answer { match_id, turn, r#move: text };
        self.send(v1::play_request::Message::Answer(answer)).await;
    }

    async fn until_turn(&mut self) -> v1::Turn {
        loop {
            match self.next().await.unwrap().expect("a turn comes") {
                Kind::Turn(turn) => return turn,
                Kind::Waiting(_)
                | Kind::MatchStart(_)
                | Kind::Snapshot(_)
                | Kind::Events(_)
                | Kind::Accepted(_)
                | Kind::Refused(_)
                | Kind::MatchOver(_)
                | Kind::Notice(_) => {}
            }
        }
    }

    /// Answers every turn with the usual move, to the end of the stream; the matches that it played.
    async fn play(mut self) -> Result<Vec<v1::MatchOver>, Status> {
        let mut matches = Vec::new();
        while let Some(kind) = self.next().await? {
            match kind {
                Kind::Turn(turn) => self.answer(turn.number, &usual(&turn)).await,
                Kind::MatchOver(over) => matches.push(over),
                Kind::Refused(refused) => panic!("{}: {}", self.name, refused.message),
                Kind::Waiting(_)
                | Kind::MatchStart(_)
                | Kind::Snapshot(_)
                | Kind::Events(_)
                | Kind::Accepted(_)
                | Kind::Notice(_) => {}
            }
        }
        Ok(matches)
    }

    /// Reads to the end of the stream; the notices, and how it ended.
    async fn until_end(mut self) -> (Vec<v1::server_notice::Kind>, Result<(), Status>) {
        let mut notices = Vec::new();
        loop {
            match self.next().await {
                Ok(Some(Kind::Notice(notice))) => notices.push(notice.kind()),
                Ok(Some(_)) => {}
                Ok(None) => return (notices, Ok(())),
                Err(status) => return (notices, Err(status)),
            }
        }
    }
}

/// The lowest bid where nobody has bid yet, else the default.
fn usual(turn: &v1::Turn) -> String {
    let observation = turn.observation.as_ref().unwrap();
    let choices = turn.choices.as_ref().unwrap().kind.as_ref().unwrap();
    if let (v1::choices::Kind::Call(call), None) = (choices, &observation.standing)
        && let Some(range) = call.bids.first()
    {
        let trump = match range.trump() {
            v1::Trump::Spades => "S",
            v1::Trump::Clubs => "C",
            v1::Trump::Diamonds => "D",
            v1::Trump::Hearts => "H",
            v1::Trump::NoTrump => "N",
            v1::Trump::Unspecified => panic!("a bid has a trump"),
        };
        return format!("{}{trump}", range.from_points);
    }
    turn.default_text.clone()
}

fn reason(status: &Status) -> String {
    let details = status.get_error_details();
    let info = details.error_info().expect("every failure has a reason");
    assert_eq!(info.domain, "mighty.v1");
    info.reason.clone()
}

async fn together(bots: Vec<Bot>) -> Vec<Vec<v1::MatchOver>> {
    let playing: Vec<_> = bots.into_iter().map(|bot| tokio::spawn(bot.play())).collect();
    let mut played = Vec::new();
    for bot in playing {
        played.push(bot.await.unwrap().unwrap());
    }
    played
}

async fn five_at(server: &Server, table: &str) -> Vec<Bot> {
    let mut bots = Vec::new();
    for name in ["ann", "bob", "cat", "dan", "eve"] {
        bots.push(Bot::join(server, hello(name, at_table(table))).await);
    }
    bots
}

#[tokio::test(flavor = "multi_thread")]
async fn five_clients_finish_a_match_by_every_profile_and_its_record_holds() {
    let server = Server::start(&["--no-ladder"]).await;
    for profile in ["classic", "hunter", "ripper", "korean"] {
        let table = server.table(profile, 0, None).await;
        let bots = five_at(&server, &table).await;
        for matches in together(bots).await {
            let [over] = matches.as_slice() else { panic!("one match was played") };
            assert!(!over.another_follows);
            let last = over.events.last().unwrap().kind.as_ref();
            assert!(matches!(last, Some(v1::event::Kind::MatchEnded(_))));
        }
        let mut records = RecordServiceClient::new(server.channel.clone());
        let request = v1::GetRecordRequest { record_id: table };
        let record = records.get_record(request).await.unwrap().into_inner().record.unwrap();
        let verified = verify_line(&record.line).unwrap();
        assert_eq!(verified.differences, [], "{profile}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_plays_one_match_of_the_ladder_after_the_other() {
    let flags = ["--ladder-set", "match.hands=1", "--ladder-matches", "2"];
    let server = Server::start(&flags).await;
    let mut bots = Vec::new();
    for name in ["ann", "bob", "cat", "dan", "eve"] {
        bots.push(Bot::join(&server, hello(name, in_ladder(0))).await);
    }
    for matches in together(bots).await {
        assert_eq!(matches.len(), 2, "the ladder ends after two");
    }
    let mut ladder = LadderServiceClient::new(server.channel.clone());
    let standings = ladder.list_standings(v1::ListStandingsRequest {}).await.unwrap();
    assert_eq!(standings.into_inner().matches, 2);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lonely_bot_plays_as_many_matches_as_it_asked_for_against_house_bots() {
    let flags = ["--ladder-set", "match.hands=1", "--ladder-fill-after", "1ms"];
    let server = Server::start(&flags).await;
    let bot = Bot::join(&server, hello("solo", in_ladder(2))).await;
    let matches = bot.play().await.unwrap();
    let follows: Vec<bool> = matches.iter().map(|over| over.another_follows).collect();
    assert_eq!(follows, [true, false]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_was_cut_off_comes_back_and_misses_nothing() {
    let server = Server::start(&["--no-ladder"]).await;
    let table = server.table("classic", 4, None).await;
    let mut bot = Bot::join(&server, hello("ann", at_table(&table))).await;
    for _ in 0..8 {
        let turn = bot.until_turn().await;
        bot.answer(turn.number, &usual(&turn)).await;
    }
    let turn = bot.until_turn().await;
    let Bot { start, last_event, .. } = bot;
    let token = start.clone().unwrap().resume_token;
    let place = v1::hello::Place::Resume(v1::ResumePlace {
        resume_token: token.clone(),
        after_sequence: last_event,
    });
    let stranger = Bot::join(&server, hello("mallory", place.clone())).await;
    let (_, refused) = stranger.until_end().await;
    assert_eq!(reason(&refused.unwrap_err()), "NOT_YOUR_SEAT");
    let mut back = Bot::join(&server, hello("ann", place)).await;
    let again = back.until_turn().await;
    assert_eq!(again.number, turn.number);
    assert_eq!(again.default_text, turn.default_text);
    back.answer(again.number, &usual(&again)).await;
    assert_eq!(back.play().await.unwrap().len(), 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_stream_takes_the_seat_over() {
    let server = Server::start(&["--no-ladder"]).await;
    let table = server.table("classic", 4, None).await;
    let mut older = Bot::join(&server, hello("ann", at_table(&table))).await;
    older.until_turn().await;
    let resume_token = older.start.clone().unwrap().resume_token;
    let place = v1::hello::Place::Resume(v1::ResumePlace { resume_token, after_sequence: 0 });
    let newer = Bot::join(&server, hello("ann", place)).await;
    let (notices, end) = older.until_end().await;
    assert_eq!(notices, [v1::server_notice::Kind::TakenOver]);
    let end = end.unwrap_err();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Aborted, "TAKEN_OVER"));
    assert_eq!(newer.play().await.unwrap().len(), 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spectator_sees_what_all_may_see_and_no_more() {
    let server = Server::start(&["--no-ladder"]).await;
    let table = server.table("hunter", 0, None).await;
    let viewer = v1::follow_request::Viewer::Spectator(v1::Spectator {
        table_id: table.clone(),
        token: String::new(),
    });
    let request = v1::FollowRequest { viewer: Some(viewer) };
    let followed = server.tables().follow(request.clone()).await.unwrap();
    let watch = |mut followed: Streaming<v1::FollowResponse>| async move {
        let mut told = Vec::new();
        while let Some(response) = followed.message().await.unwrap() {
            told.push(response.update.unwrap().kind.unwrap());
        }
        told
    };
    let watching = tokio::spawn(watch(followed.into_inner()));
    together(five_at(&server, &table).await).await;
    let told = timeout(PATIENCE, watching).await.unwrap().unwrap();
    assert!(matches!(told[0], Kind::Waiting(_)));
    let mut next = 1;
    let mut observations = 0;
    for kind in &told {
        let events = match kind {
            Kind::Events(told) => told.events.as_slice(),
            Kind::MatchOver(over) => over.events.as_slice(),
            Kind::MatchStart(start) => {
                assert_eq!((start.seat, start.resume_token.as_str()), (None, ""));
                &[]
            }
            Kind::Snapshot(snapshot) => {
                let observation = snapshot.observation.as_ref().unwrap();
                assert!(observation.cards.is_empty() && observation.seat.is_none());
                observations += 1;
                next = snapshot.sequence + 1;
                &[]
            }
            Kind::Waiting(_) | Kind::Notice(_) => &[],
            Kind::Turn(_) | Kind::Accepted(_) | Kind::Refused(_) => panic!("not for spectators"),
        };
        for event in events {
            assert_eq!(event.sequence, next);
            next += 1;
            assert!(!matches!(
                event.kind.as_ref().unwrap(),
                v1::event::Kind::Dealt(_)
                    | v1::event::Kind::AskedToKeep(_)
                    | v1::event::Kind::Kept(_)
                    | v1::event::Kind::KittyTaken(_)
                    | v1::event::Kind::BuriedCards(_)
                    | v1::event::Kind::KittyMarked(_)
                    | v1::event::Kind::FriendTold(_)
            ));
        }
    }
    assert_eq!(observations, 1);
    // Who comes after the end is shown the end.
    let late = server.tables().follow(request).await.unwrap().into_inner();
    let told = timeout(PATIENCE, watch(late)).await.unwrap();
    let [Kind::MatchStart(_), Kind::Snapshot(snapshot), Kind::MatchOver(_)] = told.as_slice()
    else {
        panic!("start, snapshot and end are told: {told:?}")
    };
    assert_eq!(snapshot.sequence + 1, next);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_plays_with_follow_and_act() {
    let server = Server::start(&["--no-ladder"]).await;
    let table = server.table("ripper", 4, None).await;
    let viewer = v1::follow_request::Viewer::Player(hello("script", at_table(&table)));
    let request = v1::FollowRequest { viewer: Some(viewer) };
    let mut followed = server.tables().follow(request).await.unwrap().into_inner();
    let (mut token, mut refusals, mut is_over) = (String::new(), 0, false);
    while let Some(response) = timeout(PATIENCE, followed.message()).await.unwrap().unwrap() {
        match response.update.unwrap().kind.unwrap() {
            Kind::MatchStart(start) => token = start.resume_token,
            Kind::Turn(turn) => {
                let act = |token: &str, wanted: v1::answer::Move| {
                    let (match_id, r#move) = (turn.match_id.clone(), Some(wanted));
                    let answer = v1::Answer { match_id, turn: turn.number, r#move };
                    let (mut tables, resume_token) = (server.tables(), token.to_owned());
                    let request = v1::ActRequest { resume_token, answer: Some(answer) };
                    async move { tables.act(request).await }
                };
                let text = |text: &str| v1::answer::Move::Text(text.to_owned());
                // Nobody buries anything at its first turn.
                let cards = read_cards("ASAHJK").unwrap().into_iter().collect();
                let bury = v1::Bury { cards: encode::cards(cards) };
                let bury = v1::Move { kind: Some(v1::r#move::Kind::Bury(bury)) };
                if turn.number == 1 {
                    for (token, wanted, code, why, left) in [
                        (&*token, text("rubbish"), Code::InvalidArgument, "UNREADABLE", Some("2")),
                        (
                            &*token,
                            v1::answer::Move::Structured(bury),
                            Code::FailedPrecondition,
                            "WRONG_STAGE",
                            Some("1"),
                        ),
                        ("none", text("-"), Code::PermissionDenied, "UNKNOWN_RESUME_TOKEN", None),
                    ] {
                        let refused = act(token, wanted).await.unwrap_err();
                        assert_eq!((refused.code(), reason(&refused).as_str()), (code, why));
                        let info = refused.get_details_error_info().unwrap();
                        assert_eq!(info.metadata.get("tries_left").map(String::as_str), left);
                        refusals += 1;
                    }
                }
                act(&token, text(&usual(&turn))).await.unwrap();
            }
            Kind::MatchOver(_) => is_over = true,
            Kind::Waiting(_)
            | Kind::Snapshot(_)
            | Kind::Events(_)
            | Kind::Accepted(_)
            | Kind::Refused(_)
            | Kind::Notice(_) => {}
        }
    }
    assert!(is_over);
    assert_eq!(refusals, 3);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_hellos_are_refused_with_a_reason() {
    let server = Server::start(&["--no-ladder", "--hello", "200ms"]).await;
    let full = server.table("classic", 5, None).await;
    for (hello, code, why) in [
        (hello("", at_table("x")), Code::InvalidArgument, "INVALID_FIELD"),
        (hello("a b", at_table("x")), Code::InvalidArgument, "INVALID_FIELD"),
        (hello("cautious", at_table("x")), Code::InvalidArgument, "NAME_OF_HOUSE_BOT"),
        (hello("ann", at_table("x")), Code::NotFound, "NO_SUCH_TABLE"),
        (hello("ann", at_table(&full)), Code::FailedPrecondition, "NO_OPEN_SEAT"),
        (hello("ann", in_ladder(1)), Code::FailedPrecondition, "NO_LADDER"),
        (
            v1::Hello { place: None, ..hello("ann", in_ladder(1)) },
            Code::InvalidArgument,
            "INVALID_FIELD",
        ),
    ] {
        let (_, end) = Bot::join(&server, hello).await.until_end().await;
        let end = end.unwrap_err();
        assert_eq!((end.code(), reason(&end).as_str()), (code, why), "{end}");
    }
    // Whoever says nothing is not waited for; the head of the response is there at once all the same.
    let (_requests, stream) = mpsc::channel::<v1::PlayRequest>(1);
    let head = timeout(PATIENCE, server.tables().play(ReceiverStream::new(stream))).await;
    let mut silent = head.unwrap().unwrap().into_inner();
    let end = timeout(PATIENCE, silent.message()).await.unwrap().unwrap_err();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::DeadlineExceeded, "HELLO_TIMEOUT"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_are_made_listed_and_found() {
    let server = Server::start(&["--no-ladder", "--tables", "3"]).await;
    let wrong = |profile: &str, path: &str, house: &str| v1::CreateTableRequest {
        profile: profile.to_owned(),
        overrides: [(path.to_owned(), "1".to_owned())].into(),
        seats: vec![v1::SeatPlan { who: Some(v1::seat_plan::Who::House(house.to_owned())) }],
        clock: None,
    };
    for (request, why) in [
        (wrong("poker", "match.hands", "random"), "UNKNOWN_PROFILE"),
        (wrong("classic", "match.hand", "random"), "UNKNOWN_OPTION"),
        (wrong("classic", "auction.ranking", "random"), "WRONG_VALUE"),
        (wrong("classic", "match.hands", "nobody"), "NO_SUCH_HOUSE_BOT"),
    ] {
        let refused = server.tables().create_table(request).await.unwrap_err();
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, why));
    }
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.insert(0, server.table("classic", 1, None).await);
    }
    let request = wrong("classic", "match.hands", "random");
    let refused = server.tables().create_table(request).await.unwrap_err();
    assert_eq!(reason(&refused), "TOO_MANY_TABLES");
    let (mut listed, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = v1::ListTablesRequest { page_size: 2, page_token };
        let page = server.tables().list_tables(request).await.unwrap().into_inner();
        listed.extend(page.tables.into_iter().map(|table| table.table_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(listed, ids, "newest first");
    let request = v1::ListTablesRequest { page_size: 2, page_token: "nowhere".to_owned() };
    let refused = server.tables().list_tables(request).await.unwrap_err();
    assert_eq!((refused.code(), &*reason(&refused)), (Code::InvalidArgument, "INVALID_FIELD"));
    let request = v1::GetTableRequest { table_id: ids[0].clone() };
    let table = server.tables().get_table(request).await.unwrap().into_inner().table.unwrap();
    assert_eq!((table.state(), table.hands), (v1::table::State::Waiting, 2));
    assert_eq!(table.seats[0].name, "random");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_table_can_be_is_refused_in_a_text_that_every_client_can_read() {
    let server = Server::start(&["--no-ladder", "--longest-match", "7"]).await;
    let request = |profile: &str, value: &str, seconds, nanos| v1::CreateTableRequest {
        profile: profile.to_owned(),
        overrides: [("match.hands".to_owned(), value.to_owned())].into(),
        seats: Vec::new(),
        clock: Some(v1::Clock {
            bank: Some(prost_types::Duration { seconds, nanos }),
            increment: None,
        }),
    };
    for request in [
        request(&"\u{4ea4}".repeat(4000), "2", 1, 0),
        request("classic", &"[".repeat(9000), 1, 0),
        request("classic", "8", 1, 0),
        request("classic", "2", i64::MIN, i32::MIN),
        request("classic", "2", 0, -1),
        request("classic", "2", i64::MAX, i32::MAX),
        request("classic", "2", 0, 0),
    ] {
        let refused = server.tables().create_table(request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
        assert!(refused.message().len() < 1600, "{refused}");
    }
    let fits = server.tables().create_table(request("classic", "7", 1, 0)).await.unwrap();
    assert_eq!(fits.into_inner().table.unwrap().hands, 7);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_floods_is_told_so_and_hurts_nobody() {
    let server = Server::start(&["--no-ladder"]).await;
    let table = server.table("classic", 4, None).await;
    let mut bot = Bot::join(&server, hello("ann", at_table(&table))).await;
    let turn = bot.until_turn().await;
    let requests = bot.requests.clone().unwrap();
    let match_id = turn.match_id.clone();
    let flood = tokio::spawn(async move {
        for _ in 0..3000 {
            let answer = v1::Answer { match_id: match_id.clone(), turn: 999, r#move: None };
            let message = Some(v1::play_request::Message::Answer(answer));
            requests.send(v1::PlayRequest { message }).await.unwrap();
        }
    });
    flood.await.unwrap();
    // What a flood brings may be thrown away, so its bot repeats its answer until it is heard.
    let (mut turn, mut refused, mut is_over) = (turn, 0, false);
    while !is_over {
        let Ok(kind) = timeout(Duration::from_millis(200), bot.next()).await else {
            bot.answer(turn.number, &usual(&turn)).await;
            continue;
        };
        match kind.unwrap() {
            Some(Kind::Turn(next)) => {
                bot.answer(next.number, &usual(&next)).await;
                turn = next;
            }
            Some(Kind::Refused(why)) => {
                let known = [v1::RefusalReason::UnknownTurn, v1::RefusalReason::TooManyAnswers];
                assert!(known.contains(&why.reason()) && why.tries_left.is_none());
                refused += 1;
            }
            Some(_) => {}
            None => is_over = true,
        }
    }
    assert!(refused > 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_closes_its_sending_side_still_hears_how_the_match_ends() {
    let server = Server::start(&["--no-ladder"]).await;
    let bank = prost_types::Duration { seconds: 0, nanos: 20_000_000 };
    let clock = v1::Clock { bank: Some(bank), increment: Some(bank) };
    let table = server.table("classic", 4, Some(clock)).await;
    let mut bot = Bot::join(&server, hello("ann", at_table(&table))).await;
    bot.until_turn().await;
    bot.requests = None;
    let (notices, end) = bot.until_end().await;
    assert_eq!(notices, [v1::server_notice::Kind::SeatGivenUp], "its clock ran down");
    end.unwrap();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_is_done_and_the_match_goes_on() {
    let server = Server::start(&["--no-ladder"]).await;
    let table = server.table("classic", 4, None).await;
    let mut bot = Bot::join(&server, hello("ann", at_table(&table))).await;
    bot.until_turn().await;
    bot.send(v1::play_request::Message::Leave(v1::Leave {})).await;
    let (_, end) = bot.until_end().await;
    end.unwrap();
    let is_over = async {
        loop {
            let request = v1::GetTableRequest { table_id: table.clone() };
            let found = server.tables().get_table(request).await.unwrap().into_inner();
            let found = found.table.unwrap();
            if found.state() == v1::table::State::Over {
                return found;
            }
        }
    };
    let over = timeout(PATIENCE, is_over).await.unwrap();
    assert!(over.seats[4].given_up);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_stopped_lets_the_hand_finish_and_then_ends_all_streams() {
    let server = Server::start(&["--drain", "30s"]).await;
    let table = server.table("classic", 4, None).await;
    let mut bot = Bot::join(&server, hello("ann", at_table(&table))).await;
    let waiting = Bot::join(&server, hello("bob", in_ladder(1))).await;
    let turn = bot.until_turn().await;
    server.shutdown.gently.cancel();
    bot.answer(turn.number, &usual(&turn)).await;
    let mut notices = Vec::new();
    let mut hands = 0;
    let end = loop {
        match bot.next().await {
            Ok(Some(Kind::Turn(turn))) => bot.answer(turn.number, &usual(&turn)).await,
            Ok(Some(Kind::Notice(notice))) => notices.push(notice.kind()),
            Ok(Some(Kind::Events(told))) => {
                let ended =
                    |event: &&v1::Event| matches!(event.kind, Some(v1::event::Kind::HandEnded(_)));
                hands += told.events.iter().filter(ended).count();
            }
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream ends with a status"),
            Err(status) => break status,
        }
    };
    assert_eq!(end.code(), Code::Unavailable, "{end}");
    assert_eq!(hands, 1);
    use v1::server_notice::Kind::{BrokenOff, ShuttingDown};
    assert_eq!(notices, [ShuttingDown, BrokenOff]);
    let (_, end) = waiting.until_end().await;
    assert_eq!(reason(&end.unwrap_err()), "SHUTTING_DOWN");
    timeout(PATIENCE, server.served).await.expect("it ends by itself").unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_stopped_at_once_ends_whatever_its_clients_do() {
    let server = Server::start(&["--farewell", "100ms"]).await;
    let table = server.table("classic", 4, None).await;
    let mut bot = Bot::join(&server, hello("ann", at_table(&table))).await;
    bot.until_turn().await;
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    server.shutdown.at_once.cancel();
    let (notices, end) = bot.until_end().await;
    assert_eq!(notices, [v1::server_notice::Kind::BrokenOff]);
    assert_eq!(end.unwrap_err().code(), Code::Unavailable);
    timeout(PATIENCE, server.served).await.expect("it ends").unwrap().unwrap();
    let _ = silent.shutdown().await;
}

/// A house bot that breaks at its first card; the others are as ever.
fn house_with_a_fault(name: &str, seed: u64) -> Option<Box<dyn Player>> {
    struct Faulty;
    impl Player for Faulty {
        fn act(&mut self, _: &View, _: &Choices) -> Move {
            panic!("this house bot is made to break")
        }
    }
    if name == "faulty" { Some(Box::new(Faulty)) } else { mighty_house::by_name(name, seed) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_breaks_takes_no_other_with_it() {
    let server = Server::with_house(&["--no-ladder"], house_with_a_fault).await;
    let sound = server.table("classic", 4, None).await;
    let bystander = Bot::join(&server, hello("bob", at_table(&sound))).await;
    let seats = ["random", "random", "random", "faulty"];
    let seats =
        seats.map(|name| v1::SeatPlan { who: Some(v1::seat_plan::Who::House(name.to_owned())) });
    let request = v1::CreateTableRequest {
        profile: "classic".to_owned(),
        seats: seats.into(),
        ..v1::CreateTableRequest::default()
    };
    let created = server.tables().create_table(request).await.unwrap().into_inner();
    let broken = created.table.unwrap().table_id;
    let mut bot = Bot::join(&server, hello("ann", at_table(&broken))).await;
    let mut notices = Vec::new();
    let end = loop {
        match bot.next().await {
            Ok(Some(Kind::Turn(turn))) => bot.answer(turn.number, &usual(&turn)).await,
            Ok(Some(Kind::Notice(notice))) => notices.push(notice.kind()),
            Ok(Some(_)) => {}
            Ok(None) => panic!("this is no clean end"),
            Err(status) => break status,
        }
    };
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Internal, "BROKEN_OFF"));
    assert_eq!(notices, [v1::server_notice::Kind::BrokenOff]);
    assert_eq!(bystander.play().await.unwrap().len(), 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_explained() {
    let server = Server::start(&["--no-ladder"]).await;
    let mut rules = RulesServiceClient::new(server.channel.clone());
    let profiles = rules.list_profiles(v1::ListProfilesRequest {}).await.unwrap().into_inner();
    let names: Vec<&str> = profiles.profiles.iter().map(|profile| profile.name.as_str()).collect();
    assert_eq!(names, ["classic", "hunter", "ripper", "korean"]);
    let request = v1::DescribeProfileRequest {
        profile: "classic".to_owned(),
        overrides: [("auction.minimum".to_owned(), "15".to_owned())].into(),
    };
    let described = rules.describe_profile(request).await.unwrap().into_inner();
    let minimum = described.options.iter().find(|option| option.path == "auction.minimum");
    assert_eq!(minimum.unwrap().value, "15");
    server.stop().await;
}

/// What the server answers to these bytes of HTTP/1.1.
async fn http(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    String::from_utf8_lossy(&answer).to_ascii_lowercase()
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_are_answered_on_the_same_port() {
    let server = Server::start(&["--no-ladder"]).await;
    let page = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert!(http(&server, page).await.contains("mighty, a five-player trick game"));
    let preflight = "OPTIONS /mighty.v1.TableService/ListTables HTTP/1.1\r\nHost: localhost\r\n\
        Origin: http://localhost:5173\r\nAccess-Control-Request-Method: POST\r\n\
        Access-Control-Request-Headers: x-grpc-web\r\nConnection: close\r\n\r\n";
    let allowed = http(&server, preflight).await;
    assert!(allowed.contains("access-control-allow-origin: http://localhost:5173"), "{allowed}");
    let foreign = preflight.replace("localhost:5173", "example.org");
    assert!(!http(&server, &foreign).await.contains("access-control-allow-origin"));
    let call = "POST /mighty.v1.RulesService/ListProfiles HTTP/1.1\r\nHost: localhost\r\n\
        Origin: http://localhost:5173\r\nContent-Type: application/grpc-web+proto\r\n\
        X-Grpc-Web: 1\r\nContent-Length: 5\r\nConnection: close\r\n\r\n\0\0\0\0\0";
    let answer = http(&server, call).await;
    assert!(answer.contains("grpc-status:0"), "{answer}");
    assert!(answer.contains("classic"), "{answer}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_call_is_unimplemented_and_not_a_page() {
    let server = Server::start(&["--no-ladder"]).await;
    let mut client = tonic::client::Grpc::new(server.channel.clone());
    client.ready().await.unwrap();
    let path = "/mighty.v1.NoService/NoCall".parse().unwrap();
    let codec =
        tonic_prost::ProstCodec::<v1::ListProfilesRequest, v1::ListProfilesResponse>::default();
    let request = tonic::Request::new(v1::ListProfilesRequest {});
    let refused = client.unary(request, path, codec).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unimplemented, "NO_SUCH_CALL"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_does_not_come_whole_is_ended_and_a_stream_is_not() {
    let server = Server::start(&["--no-ladder", "--call-time", "50ms"]).await;
    let table = server.table("classic", 4, None).await;
    let mut bot = Bot::join(&server, hello("ann", at_table(&table))).await;
    let turn = bot.until_turn().await;
    let half = "POST /mighty.v1.TableService/ListTables HTTP/1.1\r\nHost: localhost\r\n\
        Content-Type: application/grpc-web+proto\r\nX-Grpc-Web: 1\r\nContent-Length: 5\r\n\
        Connection: close\r\n\r\n\0";
    let answer = http(&server, half).await;
    assert!(answer.contains("grpc-status: 4"), "{answer}");
    bot.answer(turn.number, &usual(&turn)).await;
    assert_eq!(bot.play().await.unwrap().len(), 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_that_says_nothing_is_closed() {
    let server = Server::start(&["--no-ladder", "--first-bytes", "50ms"]).await;
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let mut bytes = [0; 1];
    let read = timeout(PATIENCE, silent.read(&mut bytes)).await.expect("it is closed");
    assert!(matches!(read, Ok(0) | Err(_)));
    server.stop().await;
}
