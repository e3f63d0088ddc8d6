//! Stories at the task of a table, on a clock that stands still until it is waited for.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use mighty_rules::{BySeat, Profile, Rules, Seat, Seed};
use mighty_server::ladder::rating::RatingRules;
use mighty_server::matches::{MatchSpec, PlayerId, TimeControl};
use mighty_server::stalls::ServerClock;
use mighty_server::store::{Store, StoreLimits};
use mighty_server::table::effect::{Connection, ConnectionId, Ending};
use mighty_server::table::event::TableEvent;
use mighty_server::table::feed::{Inlet, Line, feed};
use mighty_server::table::standing::Progress;
use mighty_server::table::state::TableLimits;
use mighty_server::table::update::{Answer, ResumeToken, Update, Wanted};
use mighty_server::table::{FollowRefused, Sitting, TableHandle, TableSetting};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// One bot among four house bots.
struct Table {
    table: TableHandle,
    inlet: Inlet,
    ended: oneshot::Receiver<Ending>,
}

fn setting() -> TableSetting {
    TableSetting {
        limits: TableLimits {
            refusals: 3,
            defaults_in_a_row: 3,
            absence: 60 * SECOND,
            handover: 5 * SECOND,
            events_kept: 1000,
            stand_in: "cautious".into(),
        },
        mailbox: 64,
        followers: 1,
        clock: ServerClock::start(),
        store: Store::in_memory(&StoreLimits::default(), RatingRules::default()).unwrap(),
        house: mighty_house::by_name,
    }
}

fn sitting(id: u64, queue: usize) -> (Sitting, Inlet, oneshot::Receiver<Ending>) {
    let (outlet, inlet) = feed(queue);
    let (ended, end) = oneshot::channel();
    let id = ConnectionId(id);
    let connection = Connection { id, at_once: true, omits_observation: false, wants_more: false };
    (Sitting { connection, line: Line { outlet, ended } }, inlet, end)
}

fn bot() -> Seat {
    Seat::ALL[0]
}

/// A table of five hands with its bot at seat 0, whose queue holds so many updates.
fn open(queue: usize) -> Table {
    let rules = Rules::with_texts(Profile::Classic, [("match.hands", "5")]).unwrap();
    let player = |seat: Seat| match seat == bot() {
        true => PlayerId { name: "ann".to_owned(), version: String::new(), house: false },
        false => PlayerId { name: "random".to_owned(), version: String::new(), house: true },
    };
    let spec = MatchSpec {
        match_id: "m".to_owned(),
        rules: Arc::new(rules),
        duplicate: false,
        seed: Seed::new([7; 32]),
        players: BySeat::from_fn(player),
        time: TimeControl { bank: 10 * SECOND, increment: SECOND },
        ladder: false,
    };
    let (bots_seat, inlet, ended) = sitting(1, queue);
    let mut seats: BySeat<Option<Sitting>> = BySeat::default();
    seats[bot()] = Some(bots_seat);
    let mut tokens = BySeat::default();
    tokens[bot()] = Some(ResumeToken::new([1; 32]));
    let (table, opening) = TableHandle::open(&setting(), spec, tokens, seats, Vec::new());
    opening.begin();
    Table { table, inlet, ended }
}

async fn next(inlet: &mut Inlet) -> Update {
    poll_fn(|cx| inlet.poll_next(cx)).await.expect("something is told")
}

/// Reads until a turn comes; the time left for it.
async fn until_turn(inlet: &mut Inlet) -> Duration {
    loop {
        if let Update::Turn(turn) = next(inlet).await {
            return turn.time_left;
        }
    }
}

/// Reads until this event was told.
async fn until(inlet: &mut Inlet, wanted: impl Fn(&TableEvent) -> bool) {
    loop {
        if let Update::Events(events) = next(inlet).await
            && events.iter().any(|told| wanted(&told.event))
        {
            return;
        }
    }
}

fn is_default(event: &TableEvent) -> bool {
    matches!(event, TableEvent::DefaultMade { .. })
}

#[tokio::test(start_paused = true)]
async fn the_clock_runs_from_the_moment_when_the_turn_is_taken_out() {
    let Table { table: _table, mut inlet, .. } = open(256);
    until_turn(&mut inlet).await;
    let asked = Instant::now();
    until(&mut inlet, is_default).await;
    let waited = asked.elapsed();
    assert!(waited >= 11 * SECOND && waited < 12 * SECOND, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_does_not_read_is_defaulted_given_up_and_the_match_played_to_its_end() {
    let Table { table, inlet, .. } = open(256);
    let asked = Instant::now();
    assert_eq!(table.over().await, Progress::Over);
    // Three turns, each with the time that a turn may lie unread; the bank goes with the first.
    let waited = asked.elapsed();
    assert!(waited >= (16 + 6 + 6) * SECOND, "{waited:?}");
    assert!(table.standing().seats[bot()].given_up);
    drop(inlet);
}

#[tokio::test(start_paused = true)]
async fn a_seat_that_reads_too_slowly_is_cut_off_and_may_come_back() {
    let Table { table, mut inlet, ended } = open(8);
    // Its clock runs down turn by turn, it reads nothing, and its queue is full.
    assert_eq!(ended.await, Ok(Ending::TooSlow));
    assert!(poll_fn(|cx| inlet.poll_next(cx)).await.is_none(), "what it did not read is gone");
    let (sitting, mut inlet, _ended) = sitting(2, 64);
    table.sit(bot(), sitting, 0).await.unwrap().unwrap();
    assert!(matches!(next(&mut inlet).await, Update::MatchStart(_)));
    assert!(matches!(next(&mut inlet).await, Update::Snapshot(_)));
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_is_gone_for_a_minute_is_replaced() {
    let Table { table, inlet, .. } = open(256);
    let left = Instant::now();
    drop(inlet);
    table.lost(ConnectionId(1)).await;
    assert_eq!(table.over().await, Progress::Over);
    assert!(table.standing().seats[bot()].given_up);
    assert!(left.elapsed() <= 61 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn only_so_many_may_look_on() {
    let Table { table, .. } = open(256);
    let (first, _inlet, _ended) = sitting(2, 64);
    table.follow(first.line).await.unwrap();
    let (second, _other_inlet, _other_ended) = sitting(3, 64);
    let refused = table.follow(second.line).await.unwrap_err();
    assert_eq!(refused, FollowRefused::TooMany { limit: 1 });
}

#[tokio::test(start_paused = true)]
async fn who_cannot_be_told_how_things_are_does_not_look_on() {
    let Table { table, .. } = open(256);
    let (looker, mut inlet, ended) = sitting(2, 1);
    table.follow(looker.line).await.unwrap();
    assert_eq!(ended.await, Ok(Ending::TooSlow));
    assert!(poll_fn(|cx| inlet.poll_next(cx)).await.is_none(), "half of it is no use");
}

#[tokio::test(start_paused = true)]
async fn however_many_ask_an_answer_finds_its_way() {
    let Table { table, .. } = open(256);
    let ask = || async {
        table.record().await.unwrap();
    };
    let mut asking: Vec<_> = (0..1000).map(|_| Box::pin(ask())).collect();
    // All have asked before the table gets to do anything.
    let waiting = poll_fn(|cx| {
        let is_waiting = asking.iter_mut().map(|one| one.as_mut().poll(cx).is_pending());
        Poll::Ready(is_waiting.filter(|is_waiting| *is_waiting).count())
    });
    assert_eq!(waiting.await, 1000);
    let permit = Arc::new(Semaphore::new(1)).acquire_owned().await.unwrap();
    let wanted = Wanted::Text("-".to_owned());
    let answer = Answer { match_id: "m".to_owned(), turn: 1, wanted };
    table.answer(bot(), ConnectionId(1), answer, permit).expect("the table takes it");
    for one in asking {
        one.await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_record_of_a_match_that_goes_on_tells_no_seed() {
    let Table { table, .. } = open(256);
    let record = table.record().await.unwrap();
    assert_eq!((record.seed, record.rows.len()), (None, 0));
    assert!(record.commitment.is_some());
}
