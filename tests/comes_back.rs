//! Bots lose their connection, come back, are taken over, or stay away.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mighty_client::{
    Choices, Event, Move, News, Options, Place, Player, Reconnecting, Session, Stopped, Told, View,
    Viewer,
};
use mighty_protocol::v1::server_notice::Kind::{SeatGivenUp, TakenOver};
use mighty_protocol::{decode, v1};
use mighty_tests::{
    Bot, Line, Memory, TestServer, at_table, hello, in_ladder, reason, retold, soon,
};
use tonic::Code;

fn viewer(memory: &Memory) -> Viewer {
    let seat = memory.start().seat.expect("a bot has a seat");
    Viewer::Seat(decode::seat(seat, "MatchStart.seat").expect("the seat can be read"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_vanishes_again_and_again_loses_no_event_and_hears_none_twice() {
    let server = TestServer::start(&["--no-ladder"]).await;
    for cuts_line in [false, true] {
        let line = Line::to(server.address).await;
        let again = async |bot: Bot| {
            let memory = bot.vanish();
            if cuts_line {
                line.cut();
            }
            Bot::come_back(&line.connect(), memory).await
        };
        let table = server.table("korean", 2, &["random"; 4]).await;
        let mut bot = Bot::join(&line.connect(), hello("ann", at_table(&table))).await;
        // In two hands every seat has some twenty turns at least.
        for way in [0, 1, 2, 3].repeat(4) {
            let turn = bot.until_turn().await;
            let chosen = bot.choose(&turn);
            match way {
                0 => {}
                // It has not answered: it is asked the same again.
                1 => {
                    bot = again(bot).await;
                    let same = bot.until_turn().await;
                    assert_eq!((same.number, &same.choices), (turn.number, &turn.choices));
                }
                // Its answer was accepted: sent again, it is acknowledged again.
                2 => {
                    bot.answer(turn.number, chosen).await;
                    assert!(!bot.until_reply().await.unwrap().repeated_answer);
                    bot = again(bot).await;
                    bot.answer(turn.number, chosen).await;
                    assert!(bot.until_reply().await.unwrap().repeated_answer);
                    continue;
                }
                // It does not know: it sends its answer again, and all is well in either case.
                _ => {
                    bot.answer(turn.number, chosen).await;
                    bot = again(bot).await;
                }
            }
            bot.answer(turn.number, chosen).await;
            assert_eq!(bot.until_reply().await.unwrap().text, chosen.to_string());
        }
        let memory = bot.finish().await;
        let record = server.record(&table).await;
        assert_eq!(memory.events(), retold(&record.line, viewer(&memory)));
        assert!(!memory.told.iter().any(|told| matches!(told, Told::DefaultMade { .. })));
    }
    server.stop().await;
}

/// A bot whose line is cut at every fifth of its turns, and with every eleventh piece of news.
struct Unlucky {
    player: Box<dyn Player>,
    line: Line,
    turns: u32,
}

impl Player for Unlucky {
    fn act(&mut self, view: &View, choices: &Choices) -> Move {
        self.turns += 1;
        if self.turns.is_multiple_of(5) {
            self.line.cut();
        }
        self.player.act(view, choices)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_comes_back_by_itself() {
    let server = TestServer::start(&["--no-ladder"]).await;
    let line = Line::to(server.address).await;
    let table = server.table("ripper", 3, &["random"; 4]).await;
    let reconnecting = Reconnecting {
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_millis(20),
        attempts: 100,
    };
    let options = Options { reconnecting, ..Options::new("ann", Place::table(&table)) };
    let heard: Arc<Mutex<Vec<News>>> = Arc::default();
    let (ears, scissors) = (heard.clone(), line.clone());
    let session = Session::new(&line.for_sdk(), options).on_news(move |news| {
        let mut heard = ears.lock().expect("no bot panics");
        heard.push(news.clone());
        if heard.len().is_multiple_of(11) {
            scissors.cut();
        }
    });
    let player = mighty_house::by_name("random", 3).expect("there is such a bot");
    let playing = session.play(Unlucky { player, line, turns: 0 });
    assert_eq!(soon("the end", playing).await, Stopped::Finished { matches: 1 });

    let heard = std::mem::take(&mut *heard.lock().expect("no bot panics"));
    let lost = heard.iter().filter(|news| matches!(news, News::Reconnecting { .. })).count();
    assert!(lost >= 5, "the line was cut {lost} times");
    assert!(!heard.iter().any(|news| matches!(news, News::Refused(_))));
    let told: Vec<Event> = heard
        .iter()
        .filter_map(
            |news| if let News::Told(Told::InHand(event)) = news { Some(*event) } else { None },
        )
        .collect();
    let seat = heard
        .iter()
        .find_map(|news| if let News::MatchStarted(info) = news { info.seat } else { None });
    let record = server.record(&table).await;
    assert_eq!(told, retold(&record.line, Viewer::Seat(seat.expect("a match began"))));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_stream_has_the_seat_and_older_ones_are_told_so() {
    let server = TestServer::start(&["--no-ladder"]).await;
    let table = server.table("hunter", 1, &["cautious"; 4]).await;
    let mut bot = Bot::join(server.channel(), hello("ann", at_table(&table))).await;
    for _ in 0..3 {
        let turn = bot.until_turn().await;
        let mut newer = Bot::come_back(server.channel(), bot.memory.clone()).await;
        assert_eq!(newer.until_turn().await.number, turn.number);
        let (notices, end) = bot.play().await;
        assert_eq!(notices, [TakenOver]);
        let end = end.unwrap_err();
        assert_eq!((end.code(), reason(&end).as_str()), (Code::Aborted, "TAKEN_OVER"));
        newer.answer_well(&turn).await;
        bot = newer;
    }
    let memory = bot.finish().await;
    let record = server.record(&table).await;
    assert_eq!(memory.events(), retold(&record.line, viewer(&memory)));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn for_a_bot_that_stays_away_a_house_bot_plays_on_and_the_others_are_not_rated() {
    let flags = ["--ladder-matches", "1", "--ladder-set", "match.hands=2", "--absence", "200ms"];
    let server = TestServer::start(&flags).await;
    let mut bots = Vec::new();
    for name in ["ann", "bob", "cat", "dan", "eve"] {
        bots.push(Bot::join(server.channel(), hello(name, in_ladder(1))).await);
    }
    let mut eve = bots.pop().expect("eve was the last");
    let staying: Vec<_> = bots.into_iter().map(|bot| tokio::spawn(bot.finish())).collect();
    let turn = eve.until_turn().await;
    eve.answer_well(&turn).await;
    eve.until_turn().await;
    let eve = eve.vanish();
    let seat = eve.start().seat;
    let stands_in =
        |told: &Told| matches!(told, Told::SeatGivenUp { stand_in, .. } if stand_in == "cautious");
    for memory in staying {
        let memory = soon("the end of the match", memory).await.unwrap();
        assert_eq!(memory.told.iter().filter(|told| stands_in(told)).count(), 1);
    }
    // Who comes back later is told how its seat did.
    let mut late = Bot::come_back(server.channel(), eve).await;
    let (notices, end) = late.play().await;
    end.unwrap();
    assert_eq!(notices, [SeatGivenUp]);
    let record = server.record(&late.memory.end().record_id.clone()).await;
    assert_eq!(late.memory.events(), retold(&record.line, viewer(&late.memory)));

    let request = v1::ListMatchesRequest::default();
    let listed = server.ladder().list_matches(request).await.unwrap().into_inner();
    for (number, at) in (0..).zip(&listed.matches[0].seats) {
        let is_eves = Some(number) == seat;
        assert_eq!((at.given_up, at.rated), (is_eves, is_eves), "{}", at.name);
    }
    let request = v1::ListStandingsRequest {};
    for standing in server.ladder().list_standings(request).await.unwrap().into_inner().standings {
        let is_eve = standing.name == "eve";
        let (given_up, hands) = if is_eve { (1, 2) } else { (0, 0) };
        assert_eq!((standing.given_up, standing.hands), (given_up, hands), "{}", standing.name);
    }
    server.stop().await;
}
