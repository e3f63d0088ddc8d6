//! Stories over a whole arena: its server, house bots in process, and bots in processes of their own.

use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mighty_arena::contest::{Contest, Contestant, all_comers, comparison};
use mighty_arena::play::{ArenaError, Finish, Settings, play};
use mighty_arena::results::Results;
use mighty_arena::schedule::{Form, Schedule};
use mighty_arena::sequential::{Answer, Question};
use mighty_client::{Options, Place, Server, Session, play_many};
use mighty_house::Player;
use mighty_rules::{Choices, MatchLine, Move, Profile, Rules, View, verify_line};
use mighty_server::matches::TimeControl;
use tokio::time::timeout;

/// The bot that the stories start as a process: this very program, which plays when it is asked to.
#[test]
#[ignore = "it is a bot, and plays only where an arena starts it"]
fn bot() {
    let Ok(server) = std::env::var("MIGHTY_SERVER") else { return };
    let name = std::env::var("BOT_NAME").or_else(|_| std::env::var("MIGHTY_NAME"));
    let name = name.expect("the arena names its bots");
    let seats = std::env::var("MIGHTY_SEATS").ok().and_then(|seats| seats.parse().ok());
    let habit = std::env::var("HABIT").unwrap_or_default();
    let runtime = tokio::runtime::Runtime::new().expect("there is room for a runtime");
    runtime.block_on(async {
        let server = Server::at(&server).expect("the arena gives an address");
        play_many(seats.expect("the arena says how many"), |_| {
            let options = Options::new(name.clone(), Place::Ladder { matches: None });
            (Session::new(&server, options), Habitual { habit: habit.clone(), moves: 0 })
        })
        .await
    });
}

/// A bot that plays as `cautious` but for its habit.
struct Habitual {
    habit: String,
    moves: u32,
}

impl Player for Habitual {
    fn act(&mut self, view: &View, choices: &Choices) -> Move {
        self.moves += 1;
        match self.habit.as_str() {
            "crash" if self.moves > 40 => {
                eprintln!("I cannot count beyond forty");
                std::process::exit(3);
            }
            "stubborn" => return Move::Pass,
            "slow" => std::thread::sleep(Duration::from_millis(400)),
            _ => {}
        }
        mighty_house::by_name("cautious", 0).expect("it is a house bot").act(view, choices)
    }
}

/// The command line of the bot, with this before it.
fn command(environment: &str) -> String {
    let program = std::env::current_exe().expect("a test is a program");
    format!("{environment} exec '{}' --ignored --exact bot --nocapture", program.display())
}

/// An arena in a directory of its own, which is removed at the end.
struct Arena {
    contest: Contest,
    settings: Settings,
    directory: PathBuf,
}

impl Arena {
    fn new(story: &str, bots: &[Contestant]) -> Arena {
        let (bots, schedule) = all_comers(bots.to_vec(), Form::Rotations).expect("they take part");
        Arena::of(story, bots, schedule)
    }

    fn of(story: &str, bots: Vec<Contestant>, schedule: Schedule) -> Arena {
        let directory =
            std::env::temp_dir().join(format!("mighty-arena-{story}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        let rules = Rules::with_texts(Profile::Korean, [("match.hands", "1")]);
        let contest = Contest {
            bots,
            schedule,
            rules: Arc::new(rules.expect("there are such rules")),
            seed: story.to_owned(),
            time: TimeControl { bank: Duration::from_secs(20), increment: Duration::from_secs(1) },
        };
        let settings = Settings { blocks: 2, parallel: 2, ..Settings::default() };
        Arena { contest, settings, directory }
    }

    fn results(&self) -> Results {
        let results = Results::open(&self.directory, &self.contest, Question::default());
        results.expect("its directory can be used")
    }

    async fn play(&self) -> (Results, Result<Finish, ArenaError>) {
        let mut results = self.results();
        let played = play(&self.contest, &self.settings, &mut results, pending(), |_| {});
        let finish = timeout(Duration::from_secs(120), played).await.expect("it ends in time");
        (results, finish)
    }

    fn records(&self) -> Vec<MatchLine> {
        let text = std::fs::read_to_string(self.directory.join("records.jsonl"));
        let text = text.expect("there are records");
        let read = |line: &str| {
            let verified = verify_line(line).expect("a record can be read");
            assert!(verified.differences.is_empty(), "{:?}", verified.differences);
            assert!(verified.is_match && verified.commitment_checked);
            serde_json::from_str(line).expect("a record is a match line")
        };
        text.lines().map(read).collect()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn house(name: &str) -> Contestant {
    Contestant::house(name).expect("it is a house bot")
}

fn process(name: &str, environment: &str) -> Contestant {
    Contestant::command(name, &command(environment)).expect("it can take part")
}

#[tokio::test]
async fn a_deal_goes_round_the_five_seats_and_every_table_can_be_verified() {
    let arena = Arena::new("rotations", &[house("cautious"), house("random")]);
    let (results, finish) = arena.play().await;
    assert_eq!(finish.expect("it is played"), Finish::Played);
    let summary = results.tally().summary();
    assert_eq!((summary.blocks, summary.tables), (2, 10));
    assert_eq!((summary.bots[0].hands, summary.bots[1].hands), (10, 40));
    let records = arena.records();
    assert_eq!(records.len(), 10);
    for (at, block) in records.chunks(5).enumerate() {
        for (table, record) in block.iter().enumerate() {
            assert!(record.duplicate);
            assert_eq!(record.seed, block[0].seed, "one deal a block");
            let players = record.players.as_ref().expect("a record names its players");
            let seat = players.iter().position(|name| name == "cautious");
            assert_eq!(seat, Some(table), "block {at}");
        }
    }
    assert_ne!(records[0].seed, records[5].seed);
}

#[tokio::test]
async fn an_arena_goes_on_where_it_was_interrupted() {
    let mut arena = Arena::new("interrupted", &[house("cautious"), house("random")]);
    arena.settings.blocks = 6;
    let mut results = arena.results();
    let (enough, had_enough) = tokio::sync::oneshot::channel();
    let mut enough = Some(enough);
    let interrupt = async { had_enough.await.expect("somebody has enough") };
    let watch = |_: &Results| {
        let _ = enough.take().map(|enough| enough.send(()));
    };
    let finish = play(&arena.contest, &arena.settings, &mut results, interrupt, watch).await;
    let kept = results.tally().blocks();
    // The interruption may lose against blocks that are over at the same moment, but not against all.
    assert!(matches!(finish, Ok(Finish::Interrupted | Finish::Played)), "{finish:?}");
    assert!(kept >= 1);
    let before = arena.records();
    assert_eq!(before.len() as u64, 5 * kept);
    drop(results);
    let (results, finish) = arena.play().await;
    assert_eq!(finish.expect("it is played"), Finish::Played);
    assert_eq!(results.tally().blocks(), 6);
    let after = arena.records();
    assert_eq!(after.len(), 30);
    let ids = |records: &[MatchLine]| -> Vec<_> {
        records.iter().map(|record| record.record.clone()).collect()
    };
    assert_eq!(ids(&after[..before.len()]), ids(&before), "nothing was played twice");
}

#[tokio::test]
async fn a_bot_in_a_process_plays_as_the_same_bot_in_the_house() {
    let bots = [process("new", ""), house("cautious")];
    let arena = Arena::new("process", &bots);
    let (results, finish) = arena.play().await;
    assert_eq!(finish.expect("it is played"), Finish::Played);
    let summary = results.tally().summary();
    assert_eq!(summary.bots[0].hands, 10);
    assert_eq!(summary.bots[0].trouble, Default::default());
    assert_eq!(summary.bots[1].trouble, Default::default());
    arena.records();
    // The same five policies at every table: the deal is as good for the one as for the others.
    let points = |bot: usize| summary.bots[bot].points.expect("it played").points;
    assert!((points(0) + 4.0 * points(1)).abs() < 1e-6, "{summary:?}");
}

#[tokio::test]
async fn a_bot_that_crashes_is_counted_and_its_last_words_are_kept() {
    let bots = [process("new", "HABIT=crash"), house("cautious")];
    let mut arena = Arena::new("crash", &bots);
    arena.settings.blocks = 3;
    let (results, finish) = arena.play().await;
    assert_eq!(finish.expect("it is played all the same"), Finish::Played);
    let trouble = results.tally().summary().bots[0].trouble;
    assert!(trouble.crashes >= 1 && trouble.given_up >= 1, "{trouble:?}");
    let complaint =
        results.complaints.iter().find(|complaint| complaint.what.contains("too early"));
    let complaint = complaint.expect("its crash is told");
    assert_eq!(complaint.bot, "new");
    assert!(complaint.lines.iter().any(|line| line.contains("beyond forty")), "{complaint:?}");
    assert!(complaint.what.contains("exit status: 3"), "{complaint:?}");
    arena.records();
}

#[tokio::test]
async fn moves_that_are_not_legal_are_counted() {
    let arena = Arena::new("stubborn", &[process("new", "HABIT=stubborn"), house("cautious")]);
    let (results, finish) = arena.play().await;
    assert_eq!(finish.expect("it is played all the same"), Finish::Played);
    let trouble = results.tally().summary().bots[0].trouble;
    assert!(trouble.refusals >= 3, "{trouble:?}");
    assert_eq!(trouble.crashes, 0);
}

#[tokio::test]
async fn a_bot_that_is_late_is_played_for_and_counted() {
    let mut arena = Arena::new("late", &[process("new", "HABIT=slow"), house("cautious")]);
    arena.contest.time =
        TimeControl { bank: Duration::from_millis(100), increment: Duration::from_millis(50) };
    arena.settings.blocks = 1;
    let (results, finish) = arena.play().await;
    assert_eq!(finish.expect("it is played all the same"), Finish::Played);
    let trouble = results.tally().summary().bots[0].trouble;
    assert!(trouble.defaults >= 3 && trouble.given_up >= 1, "{trouble:?}");
}

#[tokio::test]
async fn a_bot_that_cannot_play_ends_the_arena_with_what_to_do() {
    for (story, bot, said) in [
        ("missing", Contestant::command("new", "./no-such-bot"), vec!["no-such-bot", "127"]),
        ("silent", Contestant::command("new", "sleep 60"), vec!["MIGHTY_SERVER", "MIGHTY_NAME"]),
        ("stranger", Ok(process("new", "BOT_NAME=somebody")), vec!["`new`"]),
    ] {
        let mut arena = Arena::new(story, &[bot.expect("it can be named"), house("cautious")]);
        arena.settings.patience = Duration::from_secs(3);
        let (results, finish) = arena.play().await;
        let error = finish.expect_err(story).to_string();
        assert!(said.iter().all(|said| error.contains(said)), "{story}: {error}");
        assert_eq!(results.tally().blocks(), 0);
    }
}

#[tokio::test]
async fn a_comparison_stops_when_the_answer_is_in() {
    let (bots, schedule) =
        comparison(house("cautious"), house("random"), vec![house("cautious")]).expect("it fits");
    let mut arena = Arena::of("compare", bots, schedule);
    arena.settings.blocks = 2000;
    let (results, finish) = arena.play().await;
    assert_eq!(finish.expect("it is played"), Finish::Answered);
    assert_eq!(results.answer(), Some(Answer::FirstBetter));
    let blocks = results.tally().blocks();
    assert!(blocks < 2000, "{blocks}");
    assert_eq!(arena.records().len() as u64, 10 * blocks);
    drop(results);
    // Asked again, it has the answer without playing.
    let (results, finish) = arena.play().await;
    assert_eq!(finish.expect("it is answered"), Finish::Answered);
    assert_eq!(results.tally().blocks(), blocks);
}
