//! Stories about the store: what it keeps, also when it is killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use mighty_rules::{MatchLine, Profile, Rules, Score, Seat};
use proptest::prelude::*;

use super::*;

const RECORDED: &str = include_str!("../../../rules/tests/data/matches.jsonl");

/// A folder of its own that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let folder = std::env::temp_dir().join(format!("mighty-store-{}", uuid::Uuid::now_v7()));
        fs::create_dir(&folder).expect("the folder for temporary files can be written");
        Folder(folder)
    }

    fn store(&self) -> PathBuf {
        self.0.join("mighty.db")
    }

    /// What is left of a store when its process is killed now, its log cut after so many bytes.
    fn killed(&self, log_bytes: Option<usize>) -> Folder {
        let left = Folder::new();
        fs::copy(self.store(), left.store()).expect("the store's file is there");
        let mut log = fs::read(self.log()).expect("the store's log is there");
        log.truncate(log_bytes.unwrap_or(log.len()));
        fs::write(left.log(), log).expect("the folder can be written");
        left
    }

    fn log(&self) -> PathBuf {
        self.0.join("mighty.db-wal")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn open(path: &Path) -> Store {
    Store::open(path, &StoreLimits::default(), RatingRules::default()).expect("it is a store")
}

fn in_memory() -> Store {
    Store::in_memory(&StoreLimits::default(), RatingRules::default()).expect("there is memory")
}

pub(crate) fn bot(name: &str) -> PlayerId {
    PlayerId { name: name.to_owned(), version: String::new(), house: false }
}

/// A ladder match of ten hands: who sat at seats 0 to 4 with how many points.
pub(crate) fn finished(id: &str, seats: [(&str, i64); 5]) -> FinishedMatch {
    let line = RECORDED.lines().next().expect("a record of a match");
    let mut record: MatchLine = serde_json::from_str(line).expect("a match line");
    record.record = Some(id.to_owned());
    record.rules_hash = Some(Rules::of(Profile::Classic).hash().to_owned());
    record.players = Some(seats.map(|(name, _)| name.to_owned()));
    record.totals = Some(seats.map(|(_, points)| Score::points(points)).to_vec());
    let seats = BySeat(seats).map(|(name, points)| SeatReport {
        player: bot(name),
        total: Score::points(points),
        place: 1 + seats.iter().filter(|(_, others)| *others > points).count() as u8,
        defaults: 0,
        refusals: 0,
        given_up: false,
    });
    let ended_at = UNIX_EPOCH + Duration::from_millis(1_800_000_000_123);
    FinishedMatch { match_id: id.to_owned(), ended_at, ladder: true, record, seats, hands: 10 }
}

pub(crate) const FIVE: [(&str, i64); 5] =
    [("ada", 40), ("ben", 10), ("cat", 0), ("dan", -20), ("eve", -30)];

async fn save_matches(store: &Store, ids: impl IntoIterator<Item = usize>) {
    for id in ids {
        let saved = store.save(finished(&format!("m{id}"), FIVE)).await.expect("it can be saved");
        assert_eq!(saved, Saved::Now);
    }
}

fn all(size: u32) -> MatchQuery {
    MatchQuery { name: String::new(), ladder_only: false, before: None, size }
}

fn ids(page: &MatchPage) -> Vec<&str> {
    page.matches.iter().map(|saved| &*saved.id).collect()
}

#[track_caller]
fn check_sound(recount: &Recount, standings: &Standings) {
    assert!(recount.differences.is_empty(), "{:#?}", recount.differences);
    assert_eq!(recount.standings, *standings);
}

#[tokio::test]
async fn a_match_comes_back_as_it_was_saved() {
    let store = in_memory();
    let mut played = finished("m1", FIVE);
    played.seats.0[1].player = PlayerId { name: "ben".into(), version: "1.2".into(), house: true };
    played.seats.0[2].defaults = 3;
    played.seats.0[3].refusals = 4;
    played.seats.0[4].given_up = true;
    played.seats.0[4].total = Score::halves(-61);
    store.save(played.clone()).await.expect("it can be saved");

    let SavedRecord { saved, line } =
        store.record("m1").await.expect("it can be read").expect("it is there");
    assert_eq!((saved.number, &*saved.id, &*saved.profile), (1, "m1", "classic"));
    assert_eq!((saved.ended_at, saved.ladder, saved.hands), (played.ended_at, true, 10));
    assert_eq!(saved.rules_hash.as_deref(), Some(Rules::of(Profile::Classic).hash()));
    assert_eq!(saved.seats.clone().map(|seat| seat.report), played.seats);
    assert_eq!(saved.seats.map(|seat| seat.rated).0, [false, false, false, false, true]);
    assert_eq!(line, serde_json::to_string(&played.record).expect("it is plain data"));
    assert_eq!(store.record("m2").await.expect("it can be read"), None);
}

#[tokio::test]
async fn a_match_is_taken_out_once_and_one_of_the_ladder_never() {
    let store = in_memory();
    save_matches(&store, [1]).await;
    store.save(FinishedMatch { ladder: false, ..finished("m2", FIVE) }).await.expect("it is saved");
    assert_eq!(store.take("m1").await.expect("it can be asked for"), None);
    let taken = store.take("m2").await.expect("it can be taken").expect("it is there");
    assert_eq!(taken.saved.id, "m2");
    assert_eq!(store.take("m2").await.expect("it can be asked for"), None);
    let left = store.matches(all(9)).await.expect("they can be read");
    assert_eq!(ids(&left), ["m1"]);
}

#[tokio::test]
async fn a_match_that_is_saved_twice_counts_once() {
    let store = in_memory();
    save_matches(&store, [1]).await;
    let once = store.standings().await.expect("they can be read");

    let mut other = finished("m1", FIVE);
    other.seats.0[4].total = Score::points(500);
    assert_eq!(store.save(other).await.expect("it can be asked"), Saved::Before);
    assert_eq!(store.standings().await.expect("they can be read"), once);
    assert_eq!(ids(&store.matches(all(9)).await.expect("they can be read")), ["m1"]);
}

#[tokio::test]
async fn a_match_beside_the_ladder_leaves_a_record_and_no_standing() {
    let store = in_memory();
    let friendly = FinishedMatch { ladder: false, ..finished("friendly", FIVE) };
    store.save(friendly).await.expect("it can be saved");
    save_matches(&store, [1]).await;

    let standings = store.standings().await.expect("they can be read");
    assert_eq!(standings.matches, 1);
    assert!(standings.standings.iter().all(|standing| standing.tally.matches == 1));
    let ladder = MatchQuery { ladder_only: true, ..all(9) };
    assert_eq!(ids(&store.matches(ladder.clone()).await.expect("they can be read")), ["m1"]);
    let of_ada = MatchQuery { name: "ada".to_owned(), ..ladder };
    assert_eq!(ids(&store.matches(of_ada).await.expect("they can be read")), ["m1"]);
    let every = store.matches(all(9)).await.expect("they can be read");
    assert_eq!(ids(&every), ["m1", "friendly"]);
    assert!(every.matches[1].seats.0.iter().all(|seat| !seat.rated));
}

#[tokio::test]
async fn standings_follow_from_the_matches_by_hand() {
    let store = in_memory();
    store.save(finished("m1", FIVE)).await.expect("it can be saved");
    let mut second =
        finished("m2", [("eve", 30), ("ada", 30), ("ben", 0), ("cat", -20), ("dan", -40)]);
    second.seats.0[0].defaults = 2;
    store.save(second).await.expect("it can be saved");
    let mut dan_left =
        finished("m3", [("dan", 50), ("eve", 0), ("ada", -10), ("ben", -20), ("fay", -20)]);
    dan_left.seats.0[0].given_up = true;
    store.save(dan_left).await.expect("it can be saved");

    let Standings { standings, matches } = store.standings().await.expect("they can be read");
    assert_eq!(matches, 3);
    let told: Vec<(&str, u64, u64, f64, u64)> = standings
        .iter()
        .map(|Standing { player, tally, .. }| {
            (&*player.name, tally.matches, tally.hands, tally.points_per_100_hands(), tally.wins)
        })
        .collect();
    // ada 40 + 30 in 20 hands, and so on; in the third match only dan's points count, since it left.
    let by_hand = [
        ("ada", 3, 20, 350.0, 2),
        ("ben", 3, 20, 50.0, 0),
        ("eve", 3, 20, 0.0, 1),
        ("dan", 3, 30, -10.0 / 30.0 * 100.0, 1),
        ("cat", 2, 20, -100.0, 0),
        ("fay", 1, 0, 0.0, 0),
    ];
    let sorted: Vec<&str> = told.iter().map(|row| row.0).collect();
    assert_eq!(sorted, ["ada", "ben", "eve", "dan", "cat", "fay"]);
    for ((name, matches, hands, points, wins), by_hand) in told.into_iter().zip(by_hand) {
        assert_eq!((name, matches, hands, wins), (by_hand.0, by_hand.1, by_hand.2, by_hand.4));
        assert!((points - by_hand.3).abs() < 1e-9, "{name}: {points}");
    }

    let eve = store.standing(bot("eve")).await.expect("it can be read").expect("it has played");
    assert_eq!(eve.tally.defaults, 2);
    assert_eq!(store.standing(bot("gus")).await.expect("it can be read"), None);
}

#[tokio::test]
async fn pages_stay_as_they_are_while_matches_arrive() {
    let store = in_memory();
    save_matches(&store, 1..=5).await;
    let first = store.matches(all(2)).await.expect("they can be read");
    assert_eq!(ids(&first), ["m5", "m4"]);

    save_matches(&store, 6..=7).await;
    let second = MatchQuery { before: first.next_before, ..all(2) };
    let second = store.matches(second).await.expect("they can be read");
    assert_eq!(ids(&second), ["m3", "m2"]);
    let third = MatchQuery { before: second.next_before, ..all(2) };
    let third = store.matches(third).await.expect("they can be read");
    assert_eq!(ids(&third), ["m1"]);
    assert_eq!(third.next_before, None);
}

#[tokio::test]
async fn lists_keep_to_a_name() {
    let store = in_memory();
    for (id, last) in [("m1", "eve"), ("m2", "fay"), ("m3", "eve"), ("m4", "ada"), ("m5", "eve")] {
        let mut seats = FIVE;
        seats[4].0 = last;
        store.save(finished(id, seats)).await.expect("it can be saved");
    }
    let of = |name: &str, before| MatchQuery { name: name.to_owned(), before, ..all(2) };
    let eve = store.matches(of("eve", None)).await.expect("they can be read");
    assert_eq!(ids(&eve), ["m5", "m3"]);
    let rest = store.matches(of("eve", eve.next_before)).await.expect("they can be read");
    assert_eq!((ids(&rest), rest.next_before), (vec!["m1"], None));
    let ada = store.matches(of("ada", None)).await.expect("they can be read");
    assert_eq!(ids(&ada), ["m5", "m4"], "two seats in m4, one match");
    let nobody = store.matches(of("gus", None)).await.expect("they can be read");
    assert_eq!((ids(&nobody), nobody.next_before), (vec![], None));

    let records = store.records_after(1, "eve", 9).await.expect("they can be read");
    let ids: Vec<&str> = records.iter().map(|record| &*record.saved.id).collect();
    assert_eq!(ids, ["m3", "m5"], "oldest first, after the first match");
}

#[tokio::test]
async fn what_is_saved_outlives_a_kill() {
    let folder = Folder::new();
    let store = open(&folder.store());
    save_matches(&store, 1..=20).await;
    let before = store.standings().await.expect("they can be read");

    let left = folder.killed(None);
    let store = open(&left.store());
    check_sound(&store.recount().await.expect("they can be read"), &before);
    let page = store.matches(all(99)).await.expect("they can be read");
    assert_eq!(page.matches.len(), 20);
    assert_eq!(store.save(finished("m20", FIVE)).await.expect("it can be asked"), Saved::Before);
    save_matches(&store, [21]).await;
}

#[tokio::test]
async fn what_is_saved_is_synced_before_it_is_told() {
    // No test can cut the power; SQLite promises it for these settings.
    let folder = Folder::new();
    let settings = |connection: &mut Connection| {
        let journal: String =
            connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        let synchronous: u8 =
            connection.pragma_query_value(None, "synchronous", |row| row.get(0))?;
        Ok((journal, synchronous))
    };
    let (journal, synchronous) = open(&folder.store()).ask(settings).await.expect("it is open");
    assert_eq!((&*journal, synchronous), ("wal", 2));
}

#[tokio::test]
async fn a_torn_log_loses_whole_matches_from_its_end_only() {
    let folder = Folder::new();
    let store = open(&folder.store());
    save_matches(&store, 1..=6).await;
    let length = fs::metadata(folder.log()).expect("the store's log is there").len() as usize;

    let mut most = 6;
    for cut in (0..=length).rev().step_by(length / 40) {
        let left = folder.killed(Some(cut));
        let store = open(&left.store());
        let standings = store.standings().await.expect("they can be read");
        check_sound(&store.recount().await.expect("they can be read"), &standings);
        let matches = store.matches(all(9)).await.expect("they can be read").matches;
        assert!(matches.len() <= most, "{cut} bytes hold more than a longer log");
        most = matches.len();
        let wanted: Vec<String> = (1..=most).rev().map(|id| format!("m{id}")).collect();
        let kept: Vec<&str> = matches.iter().map(|saved| &*saved.id).collect();
        assert_eq!(kept, wanted, "{cut} bytes of the log");
        save_matches(&store, [most + 1]).await;
    }
    assert!(most < 3, "the cuts reached the first matches");
}

#[tokio::test]
async fn a_closed_store_opens_again() {
    let folder = Folder::new();
    let store = open(&folder.store());
    save_matches(&store, 1..=3).await;
    drop(store);
    let store = open(&folder.store());
    save_matches(&store, 4..=5).await;
    let page = store.matches(all(9)).await.expect("they can be read");
    assert_eq!(ids(&page), ["m5", "m4", "m3", "m2", "m1"]);
}

#[track_caller]
fn refusal(path: &Path) -> String {
    let opened = Store::open(path, &StoreLimits::default(), RatingRules::default());
    opened.expect_err("it is to be refused").to_string()
}

#[test]
fn files_that_cannot_be_used_are_refused_with_advice() {
    let folder = Folder::new();
    let path = folder.store();
    let shown = path.display();

    drop(open(&path));
    let connection = Connection::open(&path).expect("the file is there");
    connection.pragma_update(None, "user_version", 7).expect("the file can be written");
    drop(connection);
    assert_eq!(
        refusal(&path),
        format!(
            "the store {shown} cannot be opened: its schema has version 7 and this server knows up to 1; \
             start a newer server, or give another path"
        )
    );

    let advice =
        "it is no store of Mighty; give the path of one, or of a file that does not exist yet";
    fs::write(&path, "Dear diary, today I lost with the joker in hand.".repeat(100))
        .expect("a file");
    assert_eq!(refusal(&path), format!("the store {shown} cannot be opened: {advice}"));

    let path = folder.0.join("recipes.db");
    let connection = Connection::open(&path).expect("a file");
    connection.execute_batch("CREATE TABLE recipes (name TEXT)").expect("a table");
    assert!(refusal(&path).ends_with(advice), "{}", refusal(&path));

    let nowhere = folder.0.join("missing").join("mighty.db");
    assert!(refusal(&nowhere).contains("unable to open database file"), "{}", refusal(&nowhere));
}

#[tokio::test]
async fn a_question_is_refused_while_too_many_wait_and_a_match_is_not() {
    let limits = StoreLimits { queue: 2, ..StoreLimits::default() };
    let store = Store::in_memory(&limits, RatingRules::default()).expect("there is memory");
    let (go_on, stopped) = std::sync::mpsc::channel::<()>();
    let (begun, begins) = oneshot::channel();
    let blocking = {
        let store = store.clone();
        tokio::spawn(async move {
            let hold = move |_: &mut Connection| {
                let _ = begun.send(());
                let _ = stopped.recv_timeout(Duration::from_secs(30));
                Ok(())
            };
            store.ask(hold).await
        })
    };
    begins.await.expect("the store's thread has begun");

    let mut waiting = Vec::new();
    for _ in 0..limits.queue {
        let (job, answer) = job(|_| Ok(()));
        store.jobs.try_send(job).expect("there is room for two");
        waiting.push(answer);
    }
    let refused = store.standings().await.expect_err("the queue is full");
    assert_eq!(
        refused.to_string(),
        "the store is busy: 2 requests wait already; ask again in a moment"
    );
    let saving = {
        let store = store.clone();
        tokio::spawn(async move { store.save(finished("m1", FIVE)).await })
    };
    tokio::task::yield_now().await;
    assert!(!saving.is_finished(), "it waits for room");

    go_on.send(()).expect("the store's thread waits");
    blocking.await.expect("no panic").expect("it was done");
    for answer in waiting {
        answer.await.expect("the store goes on").expect("it was done");
    }
    assert_eq!(saving.await.expect("no panic").expect("it was saved"), Saved::Now);
}

#[tokio::test]
async fn a_thousand_matches_that_arrive_at_once_are_all_saved() {
    let folder = Folder::new();
    let limits = StoreLimits { queue: 8, ..StoreLimits::default() };
    let store = Store::open(&folder.store(), &limits, RatingRules::default()).expect("a new file");
    let mut saves = tokio::task::JoinSet::new();
    for id in 0..1000 {
        let store = store.clone();
        saves.spawn(async move { store.save(finished(&format!("m{id}"), FIVE)).await });
    }
    let all_saved = async {
        while let Some(saved) = saves.join_next().await {
            assert_eq!(saved.expect("no panic").expect("it can be saved"), Saved::Now);
        }
    };
    tokio::time::timeout(Duration::from_secs(60), all_saved).await.expect("they are saved quickly");
    let standings = store.standings().await.expect("they can be read");
    assert_eq!(standings.matches, 1000);
    assert!(standings.standings.iter().all(|standing| standing.tally.hands == 10_000));
}

#[tokio::test]
async fn a_recount_tells_what_was_tampered_with() {
    let store = in_memory();
    save_matches(&store, 1..=3).await;
    let tamper = |connection: &mut Connection| {
        connection.execute("UPDATE bots SET half_points = 999 WHERE name = 'eve'", [])?;
        connection.execute(
            "UPDATE match_seats SET total_half_points = 1 WHERE match = 2 AND seat = 0",
            [],
        )?;
        connection.execute("UPDATE records SET line = 'torn' WHERE match = 3", [])?;
        Ok(())
    };
    store.ask(tamper).await.expect("the tables are there");

    let told = store.recount().await.expect("they can be read").differences;
    let wanted = [
        "the record of match m2 has the totals Some([40, 10, 0, -20, -30]), its seats have [0.5, 10, 0, -20, -30]",
        "the record of match m3 cannot be read",
        "ada stands at",
        "eve stands at",
    ];
    assert_eq!(told.len(), wanted.len(), "{told:#?}");
    for (told, wanted) in told.iter().zip(wanted) {
        assert!(told.starts_with(wanted), "{told}");
    }
}

/// Any match of a ladder with seven bots and two house bots, often with somebody twice or leaving.
fn any_match() -> impl Strategy<Value = FinishedMatch> {
    const NAMES: [&str; 9] = ["ada", "ben", "cat", "dan", "eve", "fay", "gus", "calm", "bold"];
    let seat = (0..NAMES.len(), -80..80_i64, prop::bool::weighted(0.05), 0..4_u32);
    let seats = prop::array::uniform5(seat);
    (seats, 0..12_u32, prop::bool::weighted(0.8), 0..15_u32).prop_map(
        |(seats, hands, ladder, id)| {
            let mut played =
                finished(&format!("m{id}"), seats.map(|(name, points, ..)| (NAMES[name], points)));
            for (seat, (name, _, given_up, defaults)) in Seat::ALL.into_iter().zip(seats) {
                let report = &mut played.seats[seat];
                report.player.house = name >= 7;
                report.given_up = given_up && name < 7;
                report.defaults = defaults;
            }
            FinishedMatch { hands, ladder, ..played }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// The sums that are kept match by match are those of all matches, whatever was played and however often it was sent.
    #[test]
    fn standings_follow_from_the_stored_matches_alone(matches in prop::collection::vec(any_match(), 0..30)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let store = in_memory();
            let mut counted: Vec<FinishedMatch> = Vec::new();
            for played in matches {
                let is_new = counted.iter().all(|other| other.match_id != played.match_id);
                let wanted = if is_new { Saved::Now } else { Saved::Before };
                assert_eq!(store.save(played.clone()).await.expect("it can be saved"), wanted);
                if is_new {
                    counted.push(played);
                }
            }
            let standings = store.standings().await.expect("they can be read");
            check_sound(&store.recount().await.expect("they can be read"), &standings);

            counted.retain(|played| played.ladder);
            assert_eq!(standings.matches, counted.len() as u64);
            for Standing { player, tally, .. } in &standings.standings {
                let mut points = Score::ZERO;
                let mut hands = 0;
                for played in &counted {
                    let somebody_left = played.seats.0.iter().any(|seat| seat.given_up);
                    // A bot that left one of two seats of its own keeps the points of both.
                    let left = played.seats.0.iter().any(|seat| seat.player == *player && seat.given_up);
                    for seat in played.seats.0.iter().filter(|seat| seat.player == *player) {
                        if left || !somebody_left {
                            points += seat.total;
                            hands += u64::from(played.hands);
                        }
                    }
                }
                assert_eq!((tally.half_points, tally.hands), (points.in_halves(), hands), "{player:?}");
            }
        });
    }
}
