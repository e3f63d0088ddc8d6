//! The commands that ask a server, started as programs against a server that plays its part from a script.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::pin::Pin;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use mighty_protocol::v1::update::Kind;
use mighty_protocol::{encode, v1};
use mighty_rules::{
    BySeat, Dealing, HandLine, MatchLine, Profile, Rules, Score, Seat, Seed, Setup, View, Viewer,
    replay,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::{TcpListenerStream, UnboundedReceiverStream};
use tonic::{Request, Response, Status, Streaming};

use v1::ladder_service_server::{LadderService, LadderServiceServer};
use v1::record_service_server::{RecordService, RecordServiceServer};
use v1::table_service_server::{TableService, TableServiceServer};

const VECTORS: &str = include_str!("../../../rules/tests/data/vectors.jsonl");
const MATCHES: &str = include_str!("../../../rules/tests/data/matches.jsonl");

/// What the server has to say.
#[derive(Clone, Default)]
struct Script {
    tables: Arc<Mutex<Vec<v1::Table>>>,
    /// How the next questions for tables fail.
    failures: Arc<Mutex<Vec<Status>>>,
    /// What followers of any table are told; the stream then stays open until it is over.
    updates: Arc<Mutex<Vec<Kind>>>,
    created: Arc<Mutex<Vec<v1::CreateTableRequest>>>,
}

type Answer<T> = Result<Response<T>, Status>;
type Told<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl TableService for Script {
    type PlayStream = Told<v1::PlayResponse>;
    type FollowStream = Told<v1::FollowResponse>;

    async fn create_table(
        &self,
        request: Request<v1::CreateTableRequest>,
    ) -> Answer<v1::CreateTableResponse> {
        self.created.lock().unwrap().push(request.into_inner());
        let table = Some(table("t-1", v1::table::State::Waiting));
        Ok(Response::new(v1::CreateTableResponse { table }))
    }

    async fn list_tables(
        &self,
        _: Request<v1::ListTablesRequest>,
    ) -> Answer<v1::ListTablesResponse> {
        if let Some(status) = self.failures.lock().unwrap().pop() {
            return Err(status);
        }
        let tables = self.tables.lock().unwrap().clone();
        Ok(Response::new(v1::ListTablesResponse { tables, next_page_token: String::new() }))
    }

    async fn get_table(&self, _: Request<v1::GetTableRequest>) -> Answer<v1::GetTableResponse> {
        Err(Status::unimplemented(""))
    }

    async fn play(&self, _: Request<Streaming<v1::PlayRequest>>) -> Answer<Self::PlayStream> {
        Err(Status::unimplemented(""))
    }

    async fn follow(&self, request: Request<v1::FollowRequest>) -> Answer<Self::FollowStream> {
        let viewer = request.into_inner().viewer;
        let Some(v1::follow_request::Viewer::Spectator(spectator)) = viewer else {
            return Err(Status::invalid_argument("a spectator was expected"));
        };
        if spectator.table_id == "missing" {
            return Err(Status::not_found("there is no table `missing`; list them"));
        }
        let (tell, told) = mpsc::unbounded_channel();
        let mut is_over = false;
        for kind in self.updates.lock().unwrap().iter() {
            is_over |= matches!(kind, Kind::MatchOver(_));
            let update = Some(v1::Update { kind: Some(kind.clone()) });
            tell.send(Ok(v1::FollowResponse { update })).unwrap();
        }
        if !is_over {
            tokio::spawn(async move { tell.closed().await });
        }
        Ok(Response::new(Box::pin(UnboundedReceiverStream::new(told))))
    }

    async fn act(&self, _: Request<v1::ActRequest>) -> Answer<v1::ActResponse> {
        Err(Status::unimplemented(""))
    }
}

#[tonic::async_trait]
impl LadderService for Script {
    async fn list_standings(
        &self,
        _: Request<v1::ListStandingsRequest>,
    ) -> Answer<v1::ListStandingsResponse> {
        let standing = v1::Standing {
            name: "evil\u{1b}[2J\u{202e}bot".to_owned(),
            version: "v1".to_owned(),
            matches: 3,
            hands: 30,
            points_per_100_hands: 12.34,
            points_interval: 5.0,
            rating: 25.5,
            rating_uncertainty: 8.3,
            wins: 1,
            ..v1::Standing::default()
        };
        Ok(Response::new(v1::ListStandingsResponse { standings: vec![standing], matches: 3 }))
    }

    async fn list_matches(
        &self,
        request: Request<v1::ListMatchesRequest>,
    ) -> Answer<v1::ListMatchesResponse> {
        let seat = |(at, name): (usize, &str)| v1::MatchSeat {
            name: name.to_owned(),
            total_half_points: 3 - at as i64,
            place: at as u32 + 1,
            rated: at != 4,
            ..v1::MatchSeat::default()
        };
        let one = v1::LadderMatch {
            record_id: "r-1".to_owned(),
            profile: "korean".to_owned(),
            seats: ["ada", "bob", "cy", "dan", "eve"].into_iter().enumerate().map(seat).collect(),
            hands: 10,
            ..v1::LadderMatch::default()
        };
        let matches = if request.get_ref().name.is_empty() { vec![one] } else { Vec::new() };
        Ok(Response::new(v1::ListMatchesResponse { matches, next_page_token: String::new() }))
    }

    async fn get_status(&self, _: Request<v1::GetStatusRequest>) -> Answer<v1::GetStatusResponse> {
        let waiting = v1::WaitingBot {
            name: "ada".to_owned(),
            reason: "four more bots are looked for".to_owned(),
            ..v1::WaitingBot::default()
        };
        Ok(Response::new(v1::GetStatusResponse {
            enabled: true,
            profile: "korean".to_owned(),
            playing: 1,
            finished: 7,
            waiting: vec![waiting],
            table_ids: vec!["t-9".to_owned()],
        }))
    }
}

#[tonic::async_trait]
impl RecordService for Script {
    type StreamRecordsStream = Told<v1::StreamRecordsResponse>;

    async fn get_record(
        &self,
        request: Request<v1::GetRecordRequest>,
    ) -> Answer<v1::GetRecordResponse> {
        let id = request.into_inner().record_id;
        let mut line: Value = serde_json::from_str(MATCHES.lines().next().unwrap()).unwrap();
        match id.as_str() {
            "r-1" => {}
            "bent" => line["totals"][0] = json!(77),
            _ => return Err(Status::not_found("there is no record with this id")),
        }
        let record = v1::Record { record_id: id, line: line.to_string(), ..v1::Record::default() };
        Ok(Response::new(v1::GetRecordResponse { record: Some(record) }))
    }

    async fn list_records(
        &self,
        _: Request<v1::ListRecordsRequest>,
    ) -> Answer<v1::ListRecordsResponse> {
        let record = v1::Record {
            record_id: "r-1".to_owned(),
            profile: "classic".to_owned(),
            names: ["ada", "bob", "cy", "dan", "eve"].map(str::to_owned).into(),
            totals_half_points: vec![1, 2, 3, -4, -2],
            ..v1::Record::default()
        };
        Ok(Response::new(v1::ListRecordsResponse {
            records: vec![record],
            next_page_token: String::new(),
        }))
    }

    async fn stream_records(
        &self,
        _: Request<v1::StreamRecordsRequest>,
    ) -> Answer<Self::StreamRecordsStream> {
        Err(Status::unimplemented(""))
    }
}

/// A server that runs as long as it is kept.
struct Server {
    runtime: Runtime,
    address: SocketAddr,
    script: Script,
}

impl Server {
    fn start() -> Server {
        let runtime = Runtime::new().unwrap();
        let address = "127.0.0.1:0".parse().unwrap();
        let mut server = Server { runtime, address, script: Script::default() };
        server.serve();
        server
    }

    /// Serves; again on the same port when it was stopped.
    fn serve(&mut self) {
        let script = self.script.clone();
        let listen = tokio::net::TcpListener::bind(self.address);
        let listener = self.runtime.block_on(listen).unwrap();
        self.address = listener.local_addr().unwrap();
        let incoming = TcpListenerStream::new(listener);
        self.runtime.spawn(async move {
            tonic::transport::Server::builder()
                .add_service(TableServiceServer::new(script.clone()))
                .add_service(LadderServiceServer::new(script.clone()))
                .add_service(RecordServiceServer::new(script))
                .serve_with_incoming(incoming)
                .await
                .unwrap();
        });
    }

    /// Stops at once, as if killed: every task of it ends.
    fn stop(&mut self) {
        let runtime = std::mem::replace(&mut self.runtime, Runtime::new().unwrap());
        runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mighty"));
        command
            .args(args)
            .env("MIGHTY_SERVER", format!("http://{}", self.address))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Exit code, output and complaints of a command that ends by itself.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        ended(self.command(args).output().unwrap())
    }
}

fn ended(output: Output) -> (i32, String, String) {
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().expect("it was not killed"), text(stdout), text(stderr))
}

fn table(id: &str, state: v1::table::State) -> v1::Table {
    let seat = |name: &str| v1::SeatInfo {
        name: name.to_owned(),
        present: true,
        ..v1::SeatInfo::default()
    };
    v1::Table {
        table_id: id.to_owned(),
        state: state.into(),
        rules: Some((&Rules::of(Profile::Classic)).into()),
        seats: ["ada", "bob", "cy\u{7}", "dan", ""].map(seat).into(),
        hand: 2,
        hands: 10,
        totals_half_points: vec![1, 0, 0, 0, -1],
        ..v1::Table::default()
    }
}

/// The updates of a match of one hand: how it stands before the deal, the hand, and the end.
fn a_match() -> Vec<Kind> {
    let line: HandLine = serde_json::from_str(VECTORS.lines().nth(3).unwrap()).unwrap();
    let rules = Arc::new(Rules::of(Profile::named(&line.profile).unwrap()));
    let dealer = Seat::new(line.dealer).unwrap();
    let setup = Setup { dealer, first_bidder: dealer.next(), pot: 0 };
    let replay = replay(rules.clone(), &line.deck.parse().unwrap(), setup, &line.moves);
    let totals = BySeat([Score::ZERO; 5]);
    let view = View::new(rules.clone(), setup, Viewer::Spectator);
    let table = table("t-1", v1::table::State::Playing);
    let seed = Seed::new([7; 32]);
    let start = v1::MatchStart {
        match_id: "m-1".to_owned(),
        table_id: "t-1".to_owned(),
        rules: table.rules,
        seats: table.seats,
        commitment: seed.commitment(),
        cut: seed.cut().cards.0.map(|card| v1::Card::from(card).into()).into(),
        ..v1::MatchStart::default()
    };
    let snapshot = v1::Snapshot {
        sequence: 1,
        observation: Some(encode::observation(&view, 1, 0, &totals)),
        totals_half_points: encode::half_points(&totals),
        missed: 0,
    };
    let dealt = v1::Event {
        sequence: 1,
        kind: Some(v1::event::Kind::HandStarted(Dealing { hand: 1, redeal: 0, setup }.into())),
    };
    let log = replay.hand.log().iter().filter(|notice| notice.audience.includes(Viewer::Spectator));
    let hand = log.zip(2..).map(|(notice, sequence)| encode::event(sequence, notice.event));
    let ended = v1::MatchEnded {
        totals_half_points: encode::half_points(&totals),
        places: vec![1; 5],
        seed: seed.reveal().to_vec(),
        record_id: "r-1".to_owned(),
    };
    let events: Vec<v1::Event> = std::iter::once(dealt).chain(hand).collect();
    let sequence = events.len() as u64 + 1;
    let ended = v1::Event { sequence, kind: Some(v1::event::Kind::MatchEnded(ended)) };
    vec![
        Kind::MatchStart(start),
        Kind::Snapshot(snapshot),
        Kind::Events(v1::Events { events }),
        Kind::MatchOver(v1::MatchOver {
            match_id: "m-1".to_owned(),
            events: vec![ended],
            another_follows: false,
        }),
    ]
}

/// Reads lines until one has this text; the test harness's own time is the bound.
fn read_until(lines: &mut impl Iterator<Item = std::io::Result<String>>, wanted: &str) -> String {
    let line = lines.map(Result::unwrap).find(|line| line.contains(wanted));
    line.unwrap_or_else(|| panic!("the output ended without `{wanted}`"))
}

fn interrupt(child: &Child) {
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
}

#[test]
fn without_a_server_every_command_says_how_to_start_one_and_exits_with_3() {
    // Nothing listens on this port once the listener is dropped.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = format!("http://{free}");
    let commands: [&[&str]; 9] = [
        &["tables"],
        &["standings"],
        &["matches"],
        &["status"],
        &["create-table", "--profile", "korean"],
        &["record", "get", "r-1"],
        &["record", "show", "r-1"],
        &["record", "list"],
        &["watch"],
    ];
    for args in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mighty"));
        let output = command.args(args).args(["--server", &address]).output().unwrap();
        let (code, _, complaints) = ended(output);
        assert_eq!(code, 3, "{args:?}: {complaints}");
        assert!(
            complaints.contains(&address) && complaints.contains("make ladder"),
            "{complaints}"
        );
    }
}

#[test]
fn an_address_needs_no_scheme() {
    let server = Server::start();
    let (code, _, complaints) =
        server.run(&["watch", "missing", "--server", &server.address.to_string()]);
    assert_eq!((code, complaints.as_str()), (1, "there is no table `missing`; list them\n"));
}

#[test]
fn something_else_that_answers_is_told_from_a_server() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().map(Result::unwrap) {
            let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            // The answer is not lost to a connection that is reset.
            let _ = std::io::copy(&mut connection, &mut std::io::sink());
        }
    });
    let commands: [&[&str]; 3] = [&["tables"], &["standings"], &["watch", "t-1"]];
    for args in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mighty"));
        let (code, _, complaints) =
            ended(command.args(args).args(["--server", &address]).output().unwrap());
        assert_eq!(code, 3, "{args:?}: {complaints}");
        let said = format!("something answers at http://{address}, but it is no Mighty server");
        assert!(complaints.starts_with(&said), "{args:?}: {complaints}");
    }
}

#[test]
fn a_number_that_makes_no_sense_exits_with_2() {
    let commands: [&[&str]; 4] = [
        &["tables", "--limit", "0"],
        &["matches", "--limit", "many"],
        &["record", "list", "--limit", "4294967296"],
        &["record", "show", "r-1", "--hand", "0"],
    ];
    for args in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mighty"));
        let (code, _, complaints) = ended(command.args(args).output().unwrap());
        assert_eq!(code, 2, "{args:?}: {complaints}");
        assert!(complaints.contains("write a whole number from 1 to"), "{args:?}: {complaints}");
    }
}

#[test]
fn an_address_that_is_none_exits_with_2() {
    for wrong in ["", "nowhere", "https://127.0.0.1:1", "ftp://a", "http://", "\u{1b}[2J"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mighty"));
        let output = command.args(["tables", "--server", wrong]).output().unwrap();
        let (code, _, complaints) = ended(output);
        assert_eq!(code, 2, "{wrong}: {complaints}");
        assert!(complaints.contains("is no address of a server"), "{complaints}");
    }
}

#[test]
fn tables_are_listed_as_text_and_as_json() {
    let server = Server::start();
    let (code, out, _) = server.run(&["tables"]);
    assert_eq!((code, out.contains("There are no tables.")), (0, true), "{out}");
    server.script.tables.lock().unwrap().push(table("t-1", v1::table::State::Playing));
    let (_, out, _) = server.run(&["tables"]);
    assert_eq!(
        out,
        "table  state    profile  hand  followers  seats\n\
         t-1    playing  classic  2/10  0          ada, bob, cy, dan, (open)\n"
    );
    let (_, out, _) = server.run(&["tables", "--json"]);
    let tables: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(tables[0]["table"], "t-1");
    assert_eq!(tables[0]["totals"], json!([0.5, 0, 0, 0, -0.5]));
}

#[test]
fn a_table_is_created_as_asked() {
    let server = Server::start();
    let (code, out, complaints) = server.run(&[
        "create-table",
        "--profile",
        "korean",
        "--set",
        "auction.minimum=15",
        "--set",
        "auction.ranking=suits",
        "--seat",
        "1=house:cautious",
        "--seat",
        "4=open",
    ]);
    assert_eq!(code, 0, "{complaints}");
    assert!(out.contains("Table t-1 is waiting") && out.contains("mighty watch t-1"), "{out}");
    assert!(out.contains("mighty-bot --name NAME --table t-1"), "{out}");
    let created = server.script.created.lock().unwrap().remove(0);
    assert_eq!(created.profile, "korean");
    assert_eq!(created.overrides["auction.minimum"], "15");
    assert_eq!(created.overrides["auction.ranking"], "\"suits\"");
    let house = |plan: &v1::SeatPlan| match &plan.who {
        Some(v1::seat_plan::Who::House(name)) => Some(name.clone()),
        Some(v1::seat_plan::Who::Open(_)) | None => None,
    };
    let house: Vec<_> = created.seats.iter().map(house).collect();
    assert_eq!(house, [None, Some("cautious".to_owned()), None, None, None]);
}

#[test]
fn a_table_that_makes_no_sense_exits_with_2() {
    let server = Server::start();
    let table: [(&[&str], &str); 6] = [
        (&["--profile", "chess"], "there are classic, hunter, ripper and korean"),
        (&["--profile", "korean", "--set", "auction.minimum=99"], "is not from 2 to 20"),
        (&["--profile", "korean", "--set", "auction.minimum"], "a path and a value"),
        (&["--profile", "korean", "--seat", "5=open"], "a seat from 0 to 4"),
        (&["--profile", "korean", "--seat", "1=house:"], "a seat from 0 to 4"),
        (&["--profile", "korean", "--seat", "1=open", "--seat", "1=open"], "given twice"),
    ];
    for (args, complaint) in table {
        let (code, _, complaints) = server.run(&[&["create-table"], args].concat());
        assert_eq!(code, 2, "{args:?}: {complaints}");
        assert!(complaints.contains(complaint), "{args:?}: {complaints}");
    }
    assert!(server.script.created.lock().unwrap().is_empty());
}

#[test]
fn the_ladder_is_told_and_names_cannot_steer_the_terminal() {
    let server = Server::start();
    let (_, out, _) = server.run(&["standings"]);
    assert_eq!(
        out,
        "#  bot            points/100 ±  rating ±    matches  hands  wins  faults d/r/g\n\
         1  evil[2Jbot v1  +12.3 ± 5.0   25.5 ± 8.3  3        30     1     0/0/0\n\
         points/100: points won in 100 hands; rating: skill, from the places (Weng-Lin)\n\
         faults d/r/g: default moves, refused answers, times given up\n\
         These standings rest on 3 matches.\n"
    );
    let (_, out, _) = server.run(&["standings", "--json"]);
    let standings: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(standings["standings"][0]["points_per_100_hands"], 12.34);
    let (_, out, _) = server.run(&["matches"]);
    assert!(
        out.contains("1. ada +1.5, 2. bob +1, 3. cy +0.5, 4. dan 0, 5. eve -0.5 unrated"),
        "{out}"
    );
    let (_, out, _) = server.run(&["matches", "--name", "nobody"]);
    assert_eq!(out, "No match with a bot named nobody was finished.\n");
    let (_, out, _) = server.run(&["status"]);
    assert!(out.contains("matches going on 1, finished 7") && out.contains("table t-9"), "{out}");
    assert!(out.contains("four more bots are looked for"), "{out}");
}

#[test]
fn records_are_fetched_shown_and_listed() {
    let server = Server::start();
    let stored = MATCHES.lines().next().unwrap();
    let stored: MatchLine = serde_json::from_str(stored).unwrap();
    let (_, out, _) = server.run(&["record", "get", "r-1"]);
    let fetched: MatchLine = serde_json::from_str(&out).unwrap();
    assert_eq!(fetched.rows.len(), stored.rows.len());

    let file = std::env::temp_dir().join(format!("mighty-record-{}.jsonl", std::process::id()));
    let (code, out, _) = server.run(&["record", "get", "r-1", "-o", file.to_str().unwrap()]);
    let (verified, _, summary) = server.run(&["verify", "--quiet", file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    assert_eq!((code, out.as_str(), verified), (0, "", 0));
    assert!(summary.contains("1 match, 1 commitment checked: no difference"), "{summary}");

    let (code, out, _) = server.run(&["record", "show", "r-1", "--hand", "1"]);
    assert_eq!(code, 0);
    assert!(out.contains("Hand 1: seat 2 deals") && !out.contains("Hand 2"), "{out}");
    let (_, out, _) = server.run(&["record", "show", "r-1", "--hand", "2", "--json"]);
    let hands: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((hands.len(), &hands[1]["redeal"]), (2, &json!(1)));

    let (code, out, complaints) = server.run(&["record", "show", "bent"]);
    assert_eq!((code, out.is_empty()), (1, false));
    assert!(complaints.contains("totals[0]: the line says 77"), "{complaints}");
    let (code, _, complaints) = server.run(&["record", "get", "nothing"]);
    assert_eq!(
        (code, complaints.as_str()),
        (1, "there is no record with this id; `mighty record list` names them\n")
    );
    for form in [&["--hand=99"][..], &["--hand=99", "--json"]] {
        let (code, _, complaints) = server.run(&[&["record", "show", "r-1"], form].concat());
        assert_eq!(
            (code, complaints.as_str()),
            (2, "the record has no hand 99; it has hands 1 to 10\n")
        );
    }
    let (_, out, _) = server.run(&["record", "list"]);
    assert!(out.contains("ada +0.5, bob +1, cy +1.5, dan -2, eve -1"), "{out}");
}

#[test]
fn a_named_table_is_followed_to_its_end() {
    let server = Server::start();
    *server.script.updates.lock().unwrap() = a_match();
    let (code, out, complaints) = server.run(&["watch", "t-1"]);
    assert_eq!((code, complaints.as_str()), (0, ""));
    assert!(!out.contains('\u{1b}'), "{out}");
    assert_eq!(out.matches("Table t-1").count(), 1, "{out}");
    let told = [
        "Table t-1   classic",
        "Hand 1: 3 dan deals",
        "0 ada bids 13C",
        "1 bob with 0 ada failed 18C",
        "the match is over: totals 0 0 0 0 0, places 1 1 1 1 1, record r-1",
    ];
    let mut rest = out.as_str();
    for told in told {
        rest = rest.split_once(told).unwrap_or_else(|| panic!("no `{told}` in {rest}")).1;
    }
    let (_, out, _) = server.run(&["watch", "t-1", "--json"]);
    let objects: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects[1]["event"], "snapshot");
    assert_eq!(objects.last().unwrap()["event"], "match_ended");
}

#[test]
fn once_prints_the_table_as_it_stands() {
    let server = Server::start();
    *server.script.updates.lock().unwrap() = a_match()[..2].to_vec();
    let (code, out, _) = server.run(&["watch", "t-1", "--once"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("cards      10           10           10           10           10 <"),
        "{out}"
    );
    let (code, _, complaints) = server.run(&["watch", "--once"]);
    assert_eq!(code, 1);
    assert!(complaints.contains("nothing is being played"), "{complaints}");
}

#[test]
fn a_table_that_there_is_not_exits_with_1() {
    let server = Server::start();
    let (code, _, complaints) = server.run(&["watch", "missing"]);
    assert_eq!((code, complaints.as_str()), (1, "there is no table `missing`; list them\n"));
}

#[test]
fn it_waits_until_something_is_played_and_ends_cleanly_when_interrupted() {
    let server = Server::start();
    *server.script.updates.lock().unwrap() = a_match();
    let mut child = server.command(&["watch"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    read_until(&mut lines, "nothing is being played");
    server.script.tables.lock().unwrap().push(table("t-1", v1::table::State::Playing));
    read_until(&mut lines, "the match is over");
    // The same table is not followed again; the next one is.
    read_until(&mut lines, "nothing is being played");
    server.script.tables.lock().unwrap().insert(0, table("t-2", v1::table::State::Playing));
    read_until(&mut lines, "the match is over");
    interrupt(&child);
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn it_waits_for_a_server_that_goes_while_it_is_asked() {
    let server = Server::start();
    *server.script.updates.lock().unwrap() = a_match();
    server.script.tables.lock().unwrap().push(table("t-1", v1::table::State::Playing));
    // As the transport tells of a connection that breaks.
    let broken =
        [Status::cancelled("operation was canceled"), Status::unknown("h2 protocol error")];
    *server.script.failures.lock().unwrap() = broken.to_vec();
    let mut child = server.command(&["watch"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    read_until(&mut lines, "the server is gone");
    read_until(&mut lines, "the match is over");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn it_comes_back_when_the_server_does_and_says_so() {
    let mut server = Server::start();
    *server.script.updates.lock().unwrap() = a_match()[..2].to_vec();
    let mut child = server.command(&["watch", "t-1"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    read_until(&mut lines, "Hand 1: 3 dan deals");
    server.stop();
    read_until(&mut lines, "connection lost");
    *server.script.updates.lock().unwrap() = a_match();
    server.serve();
    read_until(&mut lines, "the match is over");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
