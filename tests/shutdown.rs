//! The program is stopped in the middle of a hand, while streams are open.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use mighty_client::{Choices, Move, Options, Place, Player, Server, Session, Stopped, View};
use mighty_protocol::v1;
use mighty_protocol::v1::table_service_client::TableServiceClient;
use mighty_protocol::v1::update::Kind;
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Streaming};

/// Nothing that must come takes longer, unless something hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// The server's program, on a free port. A story that fails leaves none behind.
struct Program {
    child: Child,
    address: String,
    _out: BufReader<ChildStdout>,
}

impl Program {
    fn start(flags: &[&str]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mighty-server"));
        command.args(["--listen", "127.0.0.1:0", "--no-ladder", "--log", "error"]).args(flags);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut out = BufReader::new(child.stdout.take().expect("its output is piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("listening on ").expect("it says where it listens");
        Program { child, address: format!("http://{address}"), _out: out }
    }

    fn terminate(&self) {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.expect("there is a `kill`").success());
    }

    /// Waits for its end, on a thread where waiting holds nobody up.
    async fn ended(mut self) -> ExitStatus {
        let id = self.child.id().to_string();
        let waiting = spawn_blocking(move || self.child.wait().expect("it can be waited for"));
        match timeout(PATIENCE, waiting).await {
            Ok(ended) => ended.expect("waiting does not panic"),
            Err(_) => {
                // Else the thread would wait for it for ever.
                let _ = Command::new("kill").args(["-KILL", &id]).status();
                panic!("the program did not end");
            }
        }
    }

    fn tables(&self) -> TableServiceClient<Channel> {
        let endpoint = Endpoint::from_shared(self.address.clone()).expect("this is an address");
        TableServiceClient::new(endpoint.connect_lazy())
    }

    /// A table with an open seat among house bots.
    async fn table(&self) -> String {
        let random = v1::seat_plan::Who::House("random".to_owned());
        let request = v1::CreateTableRequest {
            profile: "korean".to_owned(),
            seats: vec![v1::SeatPlan { who: Some(random) }; 4],
            ..v1::CreateTableRequest::default()
        };
        let created = self.tables().create_table(request).await;
        created.expect("the table can be made").into_inner().table.expect("a table").table_id
    }

    /// Looks on at a table.
    async fn look_on(&self, table: &str) -> Streaming<v1::FollowResponse> {
        let spectator = v1::Spectator { table_id: table.to_owned(), token: String::new() };
        let viewer = Some(v1::follow_request::Viewer::Spectator(spectator));
        let followed = self.tables().follow(v1::FollowRequest { viewer }).await;
        followed.expect("the table can be followed").into_inner()
    }

    /// A bot of the SDK at a table.
    fn bot(&self, table: &str, player: impl Player + 'static) -> JoinHandle<Stopped> {
        let server = Server::at(&self.address).expect("this is an address");
        let session = Session::new(&server, Options::new("ann", Place::table(table)));
        tokio::spawn(session.play(player))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has ended, or its story has failed.
        let _ = self.child.kill();
    }
}

/// A bot that says so when it comes to its third turn, and then thinks until the other end is dropped.
struct Thinker {
    turns: u32,
    thinks: watch::Sender<bool>,
    until: mpsc::Receiver<()>,
}

impl Player for Thinker {
    fn act(&mut self, view: &View, _: &Choices) -> Move {
        self.turns += 1;
        if self.turns == 3 {
            self.thinks.send_replace(true);
            let _ = self.until.recv();
        }
        view.default_move().expect("it is this seat's turn")
    }
}

/// A hand in play, with a bot that thinks and a spectator.
struct Scene {
    program: Program,
    bot: JoinHandle<Stopped>,
    spectator: Streaming<v1::FollowResponse>,
    /// Dropped, it lets the bot go on.
    hold: mpsc::Sender<()>,
}

async fn in_the_middle_of_a_hand(flags: &[&str]) -> Scene {
    let program = Program::start(flags);
    let table = program.table().await;
    let spectator = program.look_on(&table).await;
    let (hold, until) = mpsc::channel();
    let thinks = watch::Sender::new(false);
    let mut thinking = thinks.subscribe();
    let bot = program.bot(&table, Thinker { turns: 0, thinks, until });
    soon(thinking.wait_for(|thinks| *thinks)).await.expect("it plays");
    Scene { program, bot, spectator, hold }
}

async fn soon<T>(coming: impl Future<Output = T>) -> T {
    timeout(PATIENCE, coming).await.expect("it comes")
}

/// Reads on to the notice that the server is stopping.
async fn until_notice(spectator: &mut Streaming<v1::FollowResponse>) {
    loop {
        let update = soon(spectator.message()).await.expect("the stream goes on");
        let kind = update.and_then(|response| response.update).and_then(|update| update.kind);
        if let Some(Kind::Notice(notice)) = kind {
            break assert_eq!(notice.kind(), v1::server_notice::Kind::ShuttingDown);
        }
    }
}

/// Reads on to the end of the stream, which tells that the server stops; the last hand event that came.
async fn until_end(mut spectator: Streaming<v1::FollowResponse>) -> Option<v1::event::Kind> {
    let mut last = None;
    loop {
        match soon(spectator.message()).await {
            Ok(response) => {
                let update = response.expect("the stream does not end well").update;
                if let Some(Kind::Events(told)) = update.and_then(|update| update.kind) {
                    last = told.events.into_iter().filter_map(|event| event.kind).next_back();
                }
            }
            Err(status) => {
                assert_eq!(status.code(), Code::Unavailable, "{status}");
                break last;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hand_in_play_is_finished() {
    let mut scene = in_the_middle_of_a_hand(&["--drain", "1h"]).await;
    scene.program.terminate();
    until_notice(&mut scene.spectator).await;
    drop(scene.hold);
    let last = until_end(scene.spectator).await;
    assert!(matches!(last, Some(v1::event::Kind::HandEnded(_))), "{last:?}");
    assert_eq!(soon(scene.bot).await.expect("no panic"), Stopped::BrokenOff);
    assert!(scene.program.ended().await.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hand_that_takes_too_long_is_broken_off() {
    let scene = in_the_middle_of_a_hand(&["--drain", "100ms"]).await;
    scene.program.terminate();
    let last = until_end(scene.spectator).await;
    assert!(!matches!(last, Some(v1::event::Kind::HandEnded(_))), "{last:?}");
    assert!(scene.program.ended().await.success());
    drop(scene.hold);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_it_at_once() {
    let mut scene = in_the_middle_of_a_hand(&["--drain", "1h"]).await;
    scene.program.terminate();
    until_notice(&mut scene.spectator).await;
    scene.program.terminate();
    until_end(scene.spectator).await;
    assert!(scene.program.ended().await.success());
    drop(scene.hold);
}
