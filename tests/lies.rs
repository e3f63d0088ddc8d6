//! A declarer that lies at every turn: with moves that cannot be, moves of another stage and moves against the rules.

use mighty_client::{Card, Choices, Move, Play, PlayedCard, Stage, Told};
use mighty_protocol::decode;
use mighty_protocol::v1::{self, RefusalReason, answer, call_friend, r#move};
use mighty_tests::{Bot, TestServer, at_table, hello, relive, soon};

/// Answers without sense: each value that no move has, and texts that are no move of any stage.
fn senseless() -> Vec<Option<answer::Move>> {
    use r#move::Kind;
    let bid = |points, trump| v1::Bid { points, trump };
    let friend = |kind| Kind::CallFriend(v1::CallFriend { kind });
    let card = |card, lead_request| call_friend::Kind::Card(v1::CallCard { card, lead_request });
    let mut kinds = vec![
        Kind::FixContract(v1::FixContract { bid: None, calling_card: 0 }),
        Kind::FixContract(v1::FixContract { bid: Some(bid(14, 1)), calling_card: 54 }),
        friend(None),
        friend(Some(card(0, 0))),
        friend(Some(card(54, 0))),
        friend(Some(card(13, 5))),
        friend(Some(call_friend::Kind::Kitty(v1::CallKitty { card: -1 }))),
    ];
    let bids = [(0, 1), (256, 1), (u32::MAX, 1), (14, 0), (14, 6), (14, -1), (14, i32::MAX)];
    kinds.extend(bids.map(|(points, trump)| Kind::Bid(bid(points, trump))));
    let burials: [&[i32]; 7] =
        [&[], &[1, 2], &[1, 2, 3, 4], &[1, 1, 1], &[0, 1, 2], &[1, 2, 54], &[i32::MIN, 1, 2]];
    kinds.extend(burials.map(|cards| Kind::Bury(v1::Bury { cards: cards.to_vec() })));
    let plays =
        [(0, 0, 0), (54, 0, 0), (i32::MIN, 0, 0), (1, 4, 0), (1, 2, 1), (1, 3, 0), (53, 2, 0)];
    let more = [(53, 2, 5), (53, 0, 1), (1, 0, 1), (1, -1, 0), (53, 3, 1)];
    kinds.extend(plays.into_iter().chain(more).map(|(card, says, named_suit)| {
        Kind::Play(v1::Play { card, says, named_suit, reveals: false })
    }));
    let structured = kinds.into_iter().map(Some).chain([None]);
    let mut answers: Vec<_> =
        structured.map(|kind| Some(answer::Move::Structured(v1::Move { kind }))).collect();
    answers.push(None);
    let huge = "AS".repeat(4000);
    let texts =
        ["", " ", "rubbish", "AS AS", "as", "0S", "d:", "f:", "=", "\0", "🂡", huge.as_str()];
    answers.extend(texts.map(|text| Some(answer::Move::Text(text.to_owned()))));
    answers
}

/// Moves that some table would take, of every stage.
fn moves() -> Vec<Move> {
    let cards = (0..53).filter_map(Card::from_index);
    let plays = cards.clone().flat_map(|card| {
        let plain = Play { card: PlayedCard::Plain(card), reveals: false };
        let calling = Play { card: PlayedCard::Calling(card), reveals: false };
        [plain, Play { reveals: true, ..plain }, calling].map(Move::Play)
    });
    let calls = cards.map(|card| (Stage::FriendCall, format!("f:{card}>D")));
    let texts = [
        (Stage::WeakHand, "x"),
        (Stage::WeakHand, "="),
        (Stage::Auction, "-"),
        (Stage::Auction, "1S"),
        (Stage::Auction, "21N"),
        (Stage::Exchange, "d:2S2C2D"),
        (Stage::Exchange, "d:ASAHJK"),
        (Stage::Contract, "=1S"),
        (Stage::Contract, "=21N?2C"),
        (Stage::Contract, "=20N?AS"),
        (Stage::FriendCall, "f:1st"),
        (Stage::FriendCall, "f:none"),
        (Stage::FriendCall, "f:kitty:2C"),
        (Stage::Play, "JK/S"),
        (Stage::Play, "JK/-"),
    ];
    let texts = texts.map(|(stage, text)| (stage, text.to_owned()));
    let read =
        |(stage, text): (Stage, String)| Move::read(&text, stage).expect("it is written well");
    plays.chain(texts.into_iter().chain(calls).map(read)).collect()
}

fn wanted(bot: &mut Bot, turn: &v1::Turn, choices: &Choices) -> Move {
    // Who bids this much is the declarer, and so is asked at every stage.
    let highest = Move::read("20N", Stage::Auction).expect("it is written well");
    if choices.contains(&highest) { highest } else { bot.choose(turn) }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_lie_is_believed_and_none_changes_anything() {
    let server = TestServer::start(&["--no-ladder", "--refusals", "1000"]).await;
    for profile in ["classic", "hunter", "ripper", "korean"] {
        let table = server.table(profile, 1, &[]).await;
        let mut liar = Bot::join(server.channel(), hello("liar", at_table(&table))).await;
        let mut others = Vec::new();
        for name in ["ann", "bob", "cat", "dan"] {
            let bot = Bot::join(server.channel(), hello(name, at_table(&table))).await;
            others.push(tokio::spawn(bot.finish()));
        }
        let mut lies = 0;
        while let Some(turn) = soon("a turn", liar.next_turn()).await {
            let choices = decode::choices(turn.choices.as_ref().unwrap()).unwrap();
            let (view, mut tries_left) = (liar.memory.view.clone(), 1000);
            let against_the_rules = moves().into_iter().filter(|lie| !choices.contains(lie));
            let against_the_rules =
                against_the_rules.map(|lie| Some(answer::Move::Structured(lie.into())));
            for lie in senseless().into_iter().chain(against_the_rules) {
                if choices.stage() == Stage::WeakHand && lie == text("=") {
                    continue;
                }
                liar.say_answer(&turn.match_id, turn.number, lie.clone()).await;
                let refused = liar.until_reply().await.unwrap_err();
                tries_left -= 1;
                assert_eq!((refused.turn, refused.tries_left), (turn.number, Some(tries_left)));
                assert_ne!(refused.reason(), RefusalReason::Unspecified, "{lie:?}");
                assert!(refused.message.len() < 300, "{}", refused.message);
                lies += 1;
            }
            assert_eq!(liar.memory.view, view, "nothing happened");
            let honest = wanted(&mut liar, &turn, &choices);
            liar.answer(turn.number, honest).await;
            assert_eq!(liar.until_reply().await.unwrap().text, honest.to_string());
        }
        for other in others {
            let memory = soon("the end of the match", other).await.unwrap();
            let is_default = |told: &Told| matches!(told, Told::DefaultMade { .. });
            assert!(!memory.told.iter().any(is_default), "the others know of no lie");
        }
        let record = server.record(&table).await;
        relive(&record.line, |_| ());
        assert_eq!(record.line.matches("\"why\":").count(), lies, "each is in the record");
        assert!(record.line.len() < 200 * lies, "and none takes much room there");
    }
    server.stop().await;
}

fn text(text: &str) -> Option<answer::Move> {
    Some(answer::Move::Text(text.to_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn after_three_lies_the_default_is_made_and_after_three_defaults_the_seat_is_given_up() {
    let server = TestServer::start(&["--no-ladder"]).await;
    let table = server.table("classic", 1, &["cautious"; 4]).await;
    let mut liar = Bot::join(server.channel(), hello("liar", at_table(&table))).await;
    for _ in 0..3 {
        let turn = liar.until_turn().await;
        for tries_left in [2, 1, 0] {
            liar.say_answer(&turn.match_id, turn.number, text("I win")).await;
            let refused = liar.until_reply().await.unwrap_err();
            assert_eq!(refused.reason(), RefusalReason::Unreadable);
            assert_eq!(refused.tries_left, Some(tries_left));
        }
    }
    let (notices, end) = liar.play().await;
    end.unwrap();
    assert_eq!(notices, [v1::server_notice::Kind::SeatGivenUp]);
    let refused = Told::DefaultMade {
        seat: decode::seat(liar.memory.start().seat.unwrap(), "seat").unwrap(),
        cause: decode::DefaultCause::Refusals,
    };
    assert_eq!(liar.memory.told.iter().filter(|told| **told == refused).count(), 3);
    server.stop().await;
}
