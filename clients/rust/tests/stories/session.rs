//! A session against a server that plays a script.

use std::sync::{Arc, Mutex};

use crate::script::{Script, Seating, Table, options, read, soon};
use mighty_client::{
    Choices, Move, News, Place, Player, Profile, Seat, Server, Session, Stopped, View, Viewer,
    play_many,
};
use mighty_protocol::v1;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::{Code, Status};

/// A player that plays the default and remembers what it saw.
#[derive(Clone, Default)]
struct Witness {
    seen: Arc<Mutex<Vec<View>>>,
}

impl Witness {
    fn asked(&self) -> usize {
        self.seen.lock().expect("no test panics holding it").len()
    }
}

impl Player for Witness {
    fn act(&mut self, view: &View, _: &Choices) -> Move {
        self.seen.lock().expect("no test panics holding it").push(view.clone());
        view.default_move().expect("it is this seat's turn")
    }
}

/// A player that plays what it is given, one after the other.
struct Scripted(Vec<Move>);

impl Player for Scripted {
    fn act(&mut self, _: &View, _: &Choices) -> Move {
        self.0.remove(0)
    }
}

const SEAT: Seat = Seat::ALL[2];

fn table(match_id: &str) -> Table {
    Table::new(match_id, Profile::Hunter, Viewer::Seat(SEAT))
}

fn play(script: &Script, place: Place, player: impl Player + 'static) -> JoinHandle<Stopped> {
    tokio::spawn(Session::new(&script.server, options(place)).play(player))
}

async fn stopped(session: JoinHandle<Stopped>) -> Stopped {
    soon("the end of the session", session).await.expect("the session does not panic")
}

/// Plays a match from where it is to its end, and gives the views that the seat should have had.
async fn play_out(seating: &mut Seating, table: &mut Table, another_follows: bool) -> Vec<View> {
    let mut views = Vec::new();
    while let Some(turn) = table.turn() {
        views.push(table.hand.view(Viewer::Seat(SEAT)));
        seating.say(turn).await;
        let answer = seating.answer().await;
        table.play(&answer);
    }
    seating.say(table.over(another_follows)).await;
    views
}

async fn begin(seating: &Seating, table: &mut Table) {
    seating.say(table.start()).await;
    seating.say(table.events()).await;
}

fn refused(turn: u64, reason: v1::RefusalReason, tries_left: Option<u32>) -> v1::update::Kind {
    let (reason, message) = (reason.into(), "play otherwise".to_owned());
    v1::update::Kind::Refused(v1::AnswerRefused { turn, reason, message, tries_left })
}

fn notice(kind: v1::server_notice::Kind) -> v1::update::Kind {
    let (kind, message) = (kind.into(), "so it is".to_owned());
    v1::update::Kind::Notice(v1::ServerNotice { kind, message, retry_after: None })
}

#[tokio::test]
async fn a_bot_plays_two_matches_on_one_stream_and_folds_every_view() {
    let mut script = Script::start().await;
    let witness = Witness::default();
    let session = play(&script, Place::ladder(2), witness.clone());

    let (mut seating, hello) = script.seated().await;
    assert_eq!((hello.name.as_str(), hello.version.as_str()), ("alice", "7"));
    assert_eq!(hello.token, "secret");
    assert!(hello.omit_observation);
    let ladder = v1::hello::Place::Ladder(v1::LadderPlace { matches: 2 });
    assert_eq!(hello.place, Some(ladder));

    let waiting = v1::Waiting { reason: "three more are looked for".to_owned(), seats_open: 3 };
    seating.say(v1::update::Kind::Waiting(waiting)).await;
    let mut views = Vec::new();
    for (match_id, another_follows) in [("m1", true), ("m2", false)] {
        let mut table = table(match_id);
        begin(&seating, &mut table).await;
        views.extend(play_out(&mut seating, &mut table, another_follows).await);
    }
    drop(seating);

    assert_eq!(stopped(session).await, Stopped::Finished { matches: 2 });
    let seen = witness.seen.lock().expect("the session is over");
    assert_eq!(seen.len(), 2 * 14, "a call, burying, contract, friend and ten tricks");
    assert_eq!(*seen, views);
}

#[tokio::test]
async fn a_lost_bot_comes_back_to_its_seat_and_repeats_its_answer() {
    let mut script = Script::start().await;
    let witness = Witness::default();
    let session = play(&script, Place::table("t1"), witness.clone());
    let mut table = table("m1");

    let (mut seating, hello) = script.seated().await;
    let at_table = v1::TablePlace { table_id: "t1".to_owned(), seat: None };
    assert_eq!(hello.place, Some(v1::hello::Place::Table(at_table)));
    begin(&seating, &mut table).await;
    seating.say(table.turn().expect("a turn")).await;
    let told = table.last_sent();
    let lost_answer = seating.answer().await;
    seating.fail(Status::unknown("broken pipe")).await;

    let (mut seating, hello) = script.seated().await;
    let Some(v1::hello::Place::Resume(resume)) = hello.place else {
        panic!("the seat is resumed: {hello:?}");
    };
    assert_eq!(resume.resume_token, "token of m1");
    assert_eq!(resume.after_sequence, told);
    seating.say(table.start()).await;
    seating.say(table.snapshot(0)).await;
    seating.say(table.same_turn()).await;
    assert_eq!(seating.answer().await, lost_answer);
    assert_eq!(witness.asked(), 1, "the player is not asked twice about one turn");

    table.play(&lost_answer);
    play_out(&mut seating, &mut table, false).await;
    drop(seating);
    assert_eq!(stopped(session).await, Stopped::Finished { matches: 1 });
}

#[tokio::test]
async fn a_bot_that_missed_events_goes_on_from_the_snapshot() {
    let mut script = Script::start().await;
    let witness = Witness::default();
    let session = play(&script, Place::table("t1"), witness.clone());
    let mut table = table("m1");

    let (seating, _) = script.seated().await;
    begin(&seating, &mut table).await;
    seating.fail(Status::resource_exhausted("you read too slowly")).await;

    // While it is away its turn passes.
    table.turn().expect("a turn");
    table.play_default();
    table.turn().expect("the next turn");
    let (mut seating, _) = script.seated().await;
    seating.say(table.start()).await;
    seating.say(table.snapshot(0)).await;
    seating.say(table.same_turn()).await;
    let answer = seating.answer().await;
    let views = vec![table.hand.view(Viewer::Seat(SEAT))];
    assert_eq!(*witness.seen.lock().expect("nobody panics holding it"), views);
    assert_eq!((answer.turn, answer.match_id.as_str()), (2, "m1"));
    drop(seating);
    session.abort();
}

#[tokio::test]
async fn a_gap_in_the_events_makes_the_bot_come_back_for_a_snapshot() {
    let mut script = Script::start().await;
    let session = play(&script, Place::table("t1"), Witness::default());
    let mut table = table("m1");

    let (seating, _) = script.seated().await;
    begin(&seating, &mut table).await;
    let told = table.last_sent();
    table.play_default();
    drop(table.news());
    seating.say(table.turn().expect("a turn")).await;

    let (_seating, hello) = script.seated().await;
    let Some(v1::hello::Place::Resume(resume)) = hello.place else {
        panic!("the seat is resumed: {hello:?}");
    };
    assert_eq!(resume.after_sequence, told);
    session.abort();
}

#[tokio::test]
async fn a_refused_bot_is_asked_once_more_and_then_plays_the_default() {
    let mut script = Script::start().await;
    let player = Scripted(vec![Move::Keep, Move::ThrowIn]);
    let session = play(&script, Place::table("t1"), player);
    let mut table = table("m1");

    let (mut seating, _) = script.seated().await;
    begin(&seating, &mut table).await;
    seating.say(table.turn().expect("a turn")).await;
    assert_eq!(read(&seating.answer().await), Move::Keep);
    seating.say(refused(1, v1::RefusalReason::WrongStage, Some(2))).await;
    assert_eq!(read(&seating.answer().await), Move::ThrowIn);
    seating.say(refused(1, v1::RefusalReason::MayNotThrowIn, Some(1))).await;
    assert_eq!(read(&seating.answer().await), Move::Pass, "the default");
    session.abort();
}

#[tokio::test]
async fn a_late_answer_is_no_reason_to_answer_again() {
    let mut script = Script::start().await;
    let player = Scripted(vec![Move::Pass, Move::Pass]);
    let session = play(&script, Place::table("t1"), player);
    let mut table = table("m1");

    let (mut seating, _) = script.seated().await;
    begin(&seating, &mut table).await;
    seating.say(table.turn().expect("a turn")).await;
    seating.answer().await;
    table.play_default();
    seating.say(refused(1, v1::RefusalReason::StaleTurn, None)).await;
    seating.say(table.turn().expect("another turn")).await;
    assert_eq!(seating.answer().await.turn, 2);
    session.abort();
}

#[tokio::test]
async fn an_answer_that_came_too_fast_is_sent_again() {
    let mut script = Script::start().await;
    let session = play(&script, Place::table("t1"), Scripted(vec![Move::Pass]));
    let mut table = table("m1");

    let (mut seating, _) = script.seated().await;
    begin(&seating, &mut table).await;
    seating.say(table.turn().expect("a turn")).await;
    let answer = seating.answer().await;
    seating.say(refused(1, v1::RefusalReason::TooManyAnswers, None)).await;
    assert_eq!(seating.answer().await, answer);
    session.abort();
}

#[tokio::test]
async fn a_bot_that_was_taken_over_stops() {
    let mut script = Script::start().await;
    let told = play(&script, Place::table("t1"), Witness::default());
    let (seating, _) = script.seated().await;
    seating.say(notice(v1::server_notice::Kind::TakenOver)).await;
    assert_eq!(stopped(told).await, Stopped::TakenOver);

    let untold = play(&script, Place::table("t1"), Witness::default());
    let (seating, _) = script.seated().await;
    seating.fail(Status::aborted("another stream has taken the seat over")).await;
    assert_eq!(stopped(untold).await, Stopped::TakenOver);
}

#[tokio::test]
async fn a_bot_whose_seat_was_given_up_says_so() {
    let mut script = Script::start().await;
    let session = play(&script, Place::table("t1"), Witness::default());
    let mut table = table("m1");
    let (seating, _) = script.seated().await;
    begin(&seating, &mut table).await;
    seating.say(notice(v1::server_notice::Kind::SeatGivenUp)).await;
    drop(seating);
    assert_eq!(stopped(session).await, Stopped::SeatGivenUp);
}

#[tokio::test]
async fn a_match_that_is_broken_off_ends_the_session() {
    let mut script = Script::start().await;
    let session = play(&script, Place::table("t1"), Witness::default());
    let mut table = table("m1");
    let (seating, _) = script.seated().await;
    begin(&seating, &mut table).await;
    seating.say(notice(v1::server_notice::Kind::BrokenOff)).await;
    seating.fail(Status::internal("a fault")).await;
    assert_eq!(stopped(session).await, Stopped::BrokenOff);
}

#[tokio::test]
async fn a_refusing_server_is_quoted() {
    let mut script = Script::start().await;
    let session = play(&script, Place::table("t9"), Witness::default());
    let (seating, _) = script.seated().await;
    seating.fail(Status::not_found("there is no table t9; see ListTables")).await;
    let stopped = stopped(session).await;
    let Stopped::Refused { code: Code::NotFound, .. } = stopped else { panic!("{stopped:?}") };
    assert_eq!(
        stopped.to_string(),
        "the server refused (NotFound): there is no table t9; see ListTables"
    );
}

#[tokio::test]
async fn a_waiting_bot_enters_the_ladder_anew() {
    let mut script = Script::start().await;
    let session = play(&script, Place::ladder(2), Witness::default());
    let (mut seating, _) = script.seated().await;
    let mut first = table("m1");
    begin(&seating, &mut first).await;
    play_out(&mut seating, &mut first, true).await;
    seating.fail(Status::unavailable("the server is stopping")).await;

    let (_seating, hello) = script.seated().await;
    let ladder = v1::hello::Place::Ladder(v1::LadderPlace { matches: 1 });
    assert_eq!(hello.place, Some(ladder), "one match is left");
    session.abort();
}

#[tokio::test]
async fn a_bot_whose_match_ended_without_it_enters_the_ladder_anew() {
    let mut script = Script::start().await;
    let session = play(&script, Place::Ladder { matches: None }, Witness::default());
    let (seating, _) = script.seated().await;
    begin(&seating, &mut table("m1")).await;
    seating.fail(Status::unavailable("the server is stopping")).await;
    let (seating, hello) = script.seated().await;
    assert!(matches!(hello.place, Some(v1::hello::Place::Resume(_))));
    seating.fail(Status::permission_denied("this resume token opens no seat")).await;
    let (_seating, hello) = script.seated().await;
    let ladder = v1::hello::Place::Ladder(v1::LadderPlace { matches: 0 });
    assert_eq!(hello.place, Some(ladder));
    session.abort();
}

#[tokio::test]
async fn a_bot_that_was_away_too_long_goes_on_in_the_ladder() {
    let mut script = Script::start().await;
    let session = play(&script, Place::ladder(3), Witness::default());
    let mut first = table("m1");
    let (seating, _) = script.seated().await;
    begin(&seating, &mut first).await;
    seating.fail(Status::unavailable("the server is stopping")).await;
    let (seating, _) = script.seated().await;
    seating.say(first.start()).await;
    seating.say(first.snapshot(0)).await;
    seating.say(notice(v1::server_notice::Kind::SeatGivenUp)).await;
    seating.say(first.over(false)).await;
    drop(seating);
    let (_seating, hello) = script.seated().await;
    let ladder = v1::hello::Place::Ladder(v1::LadderPlace { matches: 2 });
    assert_eq!(hello.place, Some(ladder));
    session.abort();
}

#[tokio::test]
async fn a_server_that_stops_after_the_last_match_is_not_missed() {
    let mut script = Script::start().await;
    let session = play(&script, Place::table("t1"), Witness::default());
    let mut table = table("m1");
    let (mut seating, _) = script.seated().await;
    begin(&seating, &mut table).await;
    play_out(&mut seating, &mut table, false).await;
    seating.fail(Status::unavailable("the server is stopping")).await;
    assert_eq!(stopped(session).await, Stopped::Finished { matches: 1 });
}

#[tokio::test]
async fn a_bot_leaves_when_it_is_asked_to() {
    let mut script = Script::start().await;
    let (leave, asked) = oneshot::channel::<()>();
    let session = Session::new(&script.server, options(Place::table("t1")))
        .leave_when(async { drop(asked.await) })
        .play(Witness::default());
    let session = tokio::spawn(session);
    let (mut seating, _) = script.seated().await;
    begin(&seating, &mut table("m1")).await;
    leave.send(()).expect("the session listens");
    assert_eq!(seating.said().await, Some(v1::play_request::Message::Leave(v1::Leave {})));
    drop(seating);
    assert_eq!(stopped(session).await, Stopped::Left { matches: 0 });
}

#[tokio::test]
async fn a_bot_without_a_server_gives_up_and_says_why() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound listener");
    drop(listener);
    let server = Server::at(&format!("http://{address}")).expect("an address");
    let news = Arc::new(Mutex::new(Vec::new()));
    let noted = news.clone();
    let session = Session::new(&server, options(Place::table("t1")))
        .on_news(move |news| noted.lock().expect("nobody panics holding it").push(news.clone()))
        .play(Witness::default());
    let stopped = soon("the end of the session", session).await;
    let stopped = stopped.to_string();
    assert!(stopped.starts_with(&format!("gave up connecting to http://{address} (")), "{stopped}");
    let news = news.lock().expect("the session is over");
    assert_eq!(news.len(), 5, "as many attempts as the options allow");
    assert!(news.iter().all(|news| matches!(news, News::Reconnecting { .. })));
}

#[tokio::test]
async fn five_seats_play_on_one_connection() {
    let mut script = Script::start().await;
    let server = script.server.clone();
    let place = |number| Place::Table { table_id: "t1".to_owned(), seat: Seat::new(number) };
    let sessions = tokio::spawn(play_many(5, move |number| {
        (Session::new(&server, options(place(number))), Witness::default())
    }));
    let mut seats = Vec::new();
    for _ in 0..5 {
        let (seating, hello) = script.seated().await;
        let Some(v1::hello::Place::Table(v1::TablePlace { seat: Some(seat), .. })) = hello.place
        else {
            panic!("a seat was named: {hello:?}");
        };
        seats.push(seat);
        seating.fail(Status::not_found(format!("no seat {seat}"))).await;
    }
    seats.sort_unstable();
    assert_eq!(seats, [0, 1, 2, 3, 4]);
    let stopped = soon("the end of the sessions", sessions).await.expect("no session panics");
    for (number, stopped) in stopped.iter().enumerate() {
        assert!(stopped.to_string().ends_with(&format!("no seat {number}")), "{stopped}");
    }
}
