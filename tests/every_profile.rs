//! Five bots of the Rust SDK play a whole match in each profile.

use std::sync::{Arc, Mutex};

use mighty_client::{
    Choices, Event, MatchEnd, Move, News, Options, Place, Player, Profile, Seat, Session, Stopped,
    Told, View, Viewer, play_many,
};
use mighty_protocol::encode;
use mighty_tests::{TestServer, relive, retold, soon};

/// What a bot saw and was told.
#[derive(Default)]
struct Diary {
    views: Vec<View>,
    events: Vec<Event>,
    end: Option<MatchEnd>,
}

/// A bot that keeps a diary.
struct Diarist {
    player: Box<dyn Player>,
    diary: Arc<Mutex<Diary>>,
}

impl Player for Diarist {
    fn act(&mut self, view: &View, choices: &Choices) -> Move {
        self.diary.lock().expect("no bot panics").views.push(view.clone());
        self.player.act(view, choices)
    }
}

fn write_down(diary: &Mutex<Diary>, news: &News) {
    let mut diary = diary.lock().expect("no bot panics");
    match news {
        News::Told(Told::InHand(event)) => diary.events.push(*event),
        News::Told(Told::MatchEnded(end)) => diary.end = Some(end.clone()),
        News::Refused(refusal) => panic!("a bot that plays by the rules is refused: {refusal:?}"),
        News::Told(Told::DefaultMade { .. }) => panic!("a bot that answers was not waited for"),
        News::Waiting { .. }
        | News::MatchStarted(_)
        | News::CaughtUp { .. }
        | News::Told(
            Told::HandStarted(_)
            | Told::HandEnded(_)
            | Told::SeatGivenUp { .. }
            | Told::SeatPresence { .. },
        )
        | News::MatchOver { .. }
        | News::Notice { .. }
        | News::Reconnecting { .. } => {}
    }
}

async fn five_play_a_match_of(profile: Profile) {
    let server = TestServer::start(&["--no-ladder"]).await;
    let table = server.table(profile.name(), 10, &[]).await;
    let diaries: [Arc<Mutex<Diary>>; 5] = Default::default();
    let sdk = server.for_sdk();
    let playing = play_many(5, |number| {
        let (mine, name) = (diaries[number].clone(), format!("bot-{number}"));
        let place = Place::Table { table_id: table.clone(), seat: Seat::new(number) };
        let session = Session::new(&sdk, Options::new(name, place))
            .on_news(move |news| write_down(&mine, news));
        let policy = if number < 2 { "cautious" } else { "random" };
        let player = mighty_house::by_name(policy, number as u64).expect("there is such a bot");
        (session, Diarist { player, diary: diaries[number].clone() })
    });
    let stopped = soon("the end of the match", playing).await;
    assert_eq!(stopped, vec![Stopped::Finished { matches: 1 }; 5]);

    let record = server.record(&table).await;
    for (seat, diary) in Seat::ALL.into_iter().zip(&diaries) {
        let diary = diary.lock().expect("no bot panics");
        let end = diary.end.as_ref().expect("the end of the match was told");
        assert_eq!(encode::half_points(&end.totals), record.totals_half_points);
        assert_eq!(end.record_id, table);
        assert_eq!(diary.events, retold(&record.line, Viewer::Seat(seat)), "{profile}, {seat}");
        // What the bot had folded at each of its turns is what the table knew that it may know.
        let mut views = Vec::new();
        relive(&record.line, |hand| {
            if hand.turn() == Some(seat) {
                views.push(hand.view(Viewer::Seat(seat)));
            }
        });
        assert_eq!(diary.views, views, "{profile}, {seat}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn classic() {
    five_play_a_match_of(Profile::Classic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hunter() {
    five_play_a_match_of(Profile::Hunter).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ripper() {
    five_play_a_match_of(Profile::Ripper).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn korean() {
    five_play_a_match_of(Profile::Korean).await;
}
