//! Bots that flood, stall and answer what they were not asked: their own seat bears it, nobody else does.

use std::time::Duration;

use mighty_client::Told;
use mighty_protocol::decode::DefaultCause;
use mighty_protocol::v1::{self, RefusalReason, answer, play_request, server_notice};
use mighty_tests::{Bot, Memory, TestServer, at_table, hello, reason, relive, soon};
use prost::Message;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::{Code, Status};

/// Takes the four seats that are left at a table with bots that play well, each in a task of its own.
async fn four_more_at(server: &TestServer, table: &str) -> Vec<JoinHandle<Memory>> {
    let mut playing = Vec::new();
    for name in ["bob", "cat", "dan", "eve"] {
        let bot = Bot::join(server.channel(), hello(name, at_table(table))).await;
        playing.push(tokio::spawn(bot.finish()));
    }
    playing
}

/// Sees to it that all play to the end, and that no default was made for any.
async fn all_finish(playing: Vec<JoinHandle<Memory>>) {
    for bot in playing {
        let memory = soon("the end of the match", bot).await.unwrap();
        assert!(!memory.told.iter().any(|told| matches!(told, Told::DefaultMade { .. })));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_refused_and_the_table_and_the_other_tables_go_on() {
    let server = TestServer::start(&["--no-ladder"]).await;
    let table = server.table("classic", 1, &[]).await;
    let mut bot = Bot::join(server.channel(), hello("flood", at_table(&table))).await;
    let neighbours = four_more_at(&server, &table).await;
    let turn = bot.until_turn().await;

    let (mouth, match_id) = (bot.mouth(), turn.match_id.clone());
    let mut flood = tokio::spawn(async move {
        for turn in 1_000_000..1_005_000 {
            let answer = v1::Answer { match_id: match_id.clone(), turn, r#move: None };
            let message = Some(play_request::Message::Answer(answer));
            mouth.send(v1::PlayRequest { message }.encode_to_vec()).await.unwrap();
        }
    });
    // Meanwhile a match is played from beginning to end at another table.
    let other = server.table("korean", 1, &["random"; 4]).await;
    let calm = Bot::join(server.channel(), hello("calm", at_table(&other))).await;
    let calm = tokio::spawn(calm.finish());
    let is_expected = |refused: v1::AnswerRefused| {
        let known = [RefusalReason::UnknownTurn, RefusalReason::TooManyAnswers];
        assert!(known.contains(&refused.reason()), "{refused:?}");
        assert_eq!(refused.tries_left, None, "it does not count");
    };
    loop {
        tokio::select! {
            reply = bot.until_reply() => is_expected(reply.unwrap_err()),
            flooded = soon("the end of the flood", &mut flood) => break flooded.unwrap(),
        }
    }
    all_finish(vec![calm]).await;

    // The bot that flooded is heard again once it has read what it was told. An answer that drowned in its own flood
    // was thrown away without a word, so it says it again.
    let chosen = bot.choose(&turn);
    let heard = async {
        bot.answer(turn.number, chosen).await;
        loop {
            match timeout(Duration::from_millis(200), bot.until_reply()).await {
                Ok(Ok(accepted)) => break accepted,
                Ok(Err(refused)) if refused.turn != turn.number => is_expected(refused),
                Ok(Err(_)) | Err(_) => bot.answer(turn.number, chosen).await,
            }
        }
    };
    assert_eq!(soon("an answer that is accepted", heard).await.text, chosen.to_string());
    bot.finish().await;
    all_finish(neighbours).await;
    relive(&server.record(&table).await.line, |_| ());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_stalls_loses_its_moves_and_then_its_seat() {
    let server = TestServer::start(&["--no-ladder", "--bank", "1ms", "--increment", "400ms"]).await;
    let table = server.table("hunter", 2, &["cautious"; 4]).await;
    let mut bot = Bot::join(server.channel(), hello("sloth", at_table(&table))).await;
    let first = bot.until_turn().await;
    let second = bot.until_turn().await;
    assert!(second.last_late.is_none(), "no answer came, so none was late");
    bot.answer_well(&first).await;
    let refused = bot.until_reply().await.unwrap_err();
    assert_eq!((refused.reason(), refused.tries_left), (RefusalReason::StaleTurn, None));

    let mut notices = Vec::new();
    while let Some(kind) = bot.next().await.unwrap() {
        if let v1::update::Kind::Notice(notice) = kind {
            notices.push(notice.kind());
        }
    }
    assert_eq!(notices, [server_notice::Kind::SeatGivenUp]);
    let late = |told: &&Told| matches!(told, Told::DefaultMade { cause: DefaultCause::Time, .. });
    assert_eq!(bot.memory.told.iter().filter(late).count(), 3);
    assert_eq!(bot.memory.end().record_id, table, "it was told all the same how the match ended");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_for_its_own_turn_alone() {
    let server = TestServer::start(&["--no-ladder"]).await;
    let other = server.table("classic", 1, &["random"; 4]).await;
    let mut elsewhere = Bot::join(server.channel(), hello("ann", at_table(&other))).await;
    let foreign = elsewhere.until_turn().await;

    let table = server.table("classic", 1, &[]).await;
    let mut bot = Bot::join(server.channel(), hello("ann", at_table(&table))).await;
    let neighbours = four_more_at(&server, &table).await;
    let pass = || Some(answer::Move::Text("-".to_owned()));
    let mut last: Option<(v1::Turn, String)> = None;
    while let Some(turn) = bot.next_turn().await {
        let (mine, number) = (turn.match_id.as_str(), turn.number);
        let mut wrong = vec![
            (mine, number + 1, RefusalReason::UnknownTurn),
            (mine, u64::MAX, RefusalReason::UnknownTurn),
            (mine, 0, RefusalReason::UnknownTurn),
            (&foreign.match_id, number, RefusalReason::UnknownTurn),
            ("", number, RefusalReason::UnknownTurn),
        ];
        if number > 2 {
            wrong.push((mine, number - 2, RefusalReason::StaleTurn));
        }
        for (match_id, number, why) in wrong {
            bot.say_answer(match_id, number, pass()).await;
            let refused = bot.until_reply().await.unwrap_err();
            assert_eq!((refused.reason(), refused.tries_left), (why, None), "turn {number}");
        }
        if let Some((before, played)) = &last {
            // What was played is played; the same answer may come again.
            bot.say_answer(mine, before.number, Some(answer::Move::Text(played.clone()))).await;
            assert!(bot.until_reply().await.unwrap().repeated_answer);
            let another = if played == "-" { "20N" } else { "-" };
            let another = Some(answer::Move::Text(another.to_owned()));
            bot.say_answer(mine, before.number, another).await;
            let refused = bot.until_reply().await.unwrap_err();
            let known = [RefusalReason::Conflict, RefusalReason::StaleTurn];
            assert!(
                known.contains(&refused.reason()) && refused.tries_left.is_none(),
                "{refused:?}"
            );
        }
        bot.answer_well(&turn).await;
        let played = bot.until_reply().await.unwrap().text;
        last = Some((turn, played));
    }
    all_finish(neighbours).await;
    // The other match still waits for its own answer.
    elsewhere.answer_well(&foreign).await;
    elsewhere.finish().await;
    let record = server.record(&table).await;
    relive(&record.line, |_| ());
    assert!(!record.line.contains("refusals"), "none of this counts");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_makes_no_sense_ends_with_a_reason_and_the_seat_can_be_taken_again() {
    let server = TestServer::start(&["--no-ladder"]).await;
    use play_request::Message::{Answer, Hello, Leave};
    let bytes = |message| v1::PlayRequest { message: Some(message) }.encode_to_vec();
    let hello_again = bytes(Hello(hello("ann", at_table("x"))));
    let leave = bytes(Leave(v1::Leave {}));
    let answer = bytes(Answer(v1::Answer::default()));
    let garbage = vec![0xff; 100];
    let long = Some(answer::Move::Text("x".repeat(20_000)));
    let too_long = bytes(Answer(v1::Answer { r#move: long, ..v1::Answer::default() }));
    let nonsense = [
        (&hello_again, "INVALID_FIELD"),
        (&garbage, "UNREADABLE_MESSAGE"),
        (&too_long, "UNREADABLE_MESSAGE"),
    ];
    let ended = |end: Status, why: &str| {
        assert_eq!((end.code(), reason(&end).as_str()), (Code::InvalidArgument, why));
    };

    // Before the hello,
    for (first, why) in
        [(&leave, "INVALID_FIELD"), (&answer, "INVALID_FIELD"), nonsense[1], nonsense[2]]
    {
        let mut bot = Bot::silent(server.channel()).await;
        bot.say_bytes(first.clone()).await;
        ended(bot.next().await.unwrap_err(), why);
    }
    // while others are waited for,
    let table = server.table("ripper", 1, &[]).await;
    for (said, why) in nonsense {
        let mut bot = Bot::join(server.channel(), hello("ann", at_table(&table))).await;
        bot.say_bytes(said.clone()).await;
        ended(bot.play().await.1.unwrap_err(), why);
    }
    // and in the middle of a match.
    let mut bot = Bot::join(server.channel(), hello("ann", at_table(&table))).await;
    let neighbours = four_more_at(&server, &table).await;
    for (said, why) in nonsense {
        let turn = bot.until_turn().await;
        bot.say_bytes(said.clone()).await;
        ended(bot.play().await.1.unwrap_err(), why);
        bot = Bot::come_back(server.channel(), bot.vanish()).await;
        assert_eq!(bot.until_turn().await.number, turn.number);
        bot.answer_well(&turn).await;
    }
    bot.finish().await;
    all_finish(neighbours).await;
    server.stop().await;
}
