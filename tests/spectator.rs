//! Spectators and seats are sent no card before they may know it, and no secret ever.

use mighty_client::{CardSet, Event, Told, Viewer};
use mighty_protocol::v1::update::Kind;
use mighty_protocol::{decode, v1};
use mighty_tests::{Bot, Memory, Raw, TestServer, at_table, cards_in, hello, retold, soon};
use prost::Message;
use tonic::client::Grpc;
use tonic::{Request, Streaming};

/// Begins to look on; every message comes as the bytes that were sent.
async fn look_on(server: &TestServer, table: &str) -> Streaming<Vec<u8>> {
    let spectator = v1::Spectator { table_id: table.to_owned(), token: String::new() };
    let viewer = Some(v1::follow_request::Viewer::Spectator(spectator));
    let request = Request::new(v1::FollowRequest { viewer }.encode_to_vec());
    let path = "/mighty.v1.TableService/Follow".parse().expect("this is a path");
    let mut client = Grpc::new(server.channel().clone());
    client.ready().await.expect("the server is there");
    let followed = client.server_streaming(request, path, Raw).await;
    followed.expect("the table can be followed").into_inner()
}

/// Looks on from now to the end.
async fn watch(mut updates: Streaming<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut seen = Vec::new();
    while let Some(update) = soon("an update", updates.message()).await.expect("a clean end") {
        seen.push(update);
    }
    seen
}

/// Comes late again and again, each time for a few updates, until the match is over.
async fn drop_in(server: &TestServer, table: &str) -> Vec<Vec<Vec<u8>>> {
    let mut visits = Vec::new();
    loop {
        let (mut updates, mut seen) = (look_on(server, table).await, Vec::new());
        while seen.len() < 9 {
            match soon("an update", updates.message()).await.expect("a clean end") {
                Some(update) => seen.push(update),
                None => {
                    visits.push(seen);
                    return visits;
                }
            }
        }
        visits.push(seen);
    }
}

/// What every event of a stream opened: after event n, the cards that its viewer may have been told of lie at n. A
/// spectator is told of no private event; a seat is told of its own.
fn opened(updates: &[v1::Update], shows_kitty: bool, private: &[&str]) -> Vec<CardSet> {
    // Who looks on from the beginning is shown the start of the first hand, without a card, as a snapshot.
    let is_snapshot = |update: &v1::Update| matches!(update.kind, Some(Kind::Snapshot(_)));
    let begun = usize::from(updates.iter().any(is_snapshot));
    let (mut opened, mut played) = (vec![CardSet::EMPTY; 1 + begun], 0);
    for event in updates.iter().flat_map(events) {
        use v1::event::Kind as Happened;
        assert_eq!(event.sequence, opened.len() as u64, "no gap");
        let kind = event.kind.as_ref().expect("an event says something");
        played += u32::from(matches!(kind, Happened::CardPlayed(_)));
        let begins = matches!(kind, Happened::HandStarted(_));
        if begins {
            played = 0;
        }
        assert!(
            shows_kitty || !matches!(kind, Happened::KittyShown(_)),
            "the rules hide the kitty"
        );
        assert!(played == 50 || !matches!(kind, Happened::BuriedShown(_)), "the hand is not over");
        let before = if begins { CardSet::EMPTY } else { *opened.last().expect("it is not empty") };
        opened.push(before.or(cards_in("mighty.v1.Event", &event.encode_to_vec(), private)));
    }
    opened
}

fn events(update: &v1::Update) -> &[v1::Event] {
    match update.kind.as_ref().expect("an update says something") {
        Kind::Events(told) => &told.events,
        Kind::Turn(turn) => &turn.events,
        Kind::MatchOver(over) => &over.events,
        Kind::Waiting(_)
        | Kind::MatchStart(_)
        | Kind::Snapshot(_)
        | Kind::Accepted(_)
        | Kind::Refused(_)
        | Kind::Notice(_) => &[],
    }
}

/// Sees to it that no update names a card that was not open to its viewer then. Offers to name just any card are left
/// out: those of calling cards, and of cards to call as friend.
fn name_only_open_cards(updates: &[v1::Update], opened: &[CardSet], offers: &[&str]) {
    let mut last = 0;
    for update in updates {
        let mut open = opened[last];
        if let Some(Kind::Snapshot(snapshot)) = &update.kind {
            last = snapshot.sequence as usize;
            open = opened[last];
        }
        for event in events(update) {
            last = event.sequence as usize;
            open = open.or(opened[last]);
        }
        let but = [&["MatchStart"], offers].concat();
        let named = cards_in("mighty.v1.Update", &update.encode_to_vec(), &but);
        assert!(named.is_subset_of(open), "{} in {update:?}", named.minus(open));
    }
}

/// Sees to it that nobody is told a token that is not its own, nor the seed before the end.
fn keep_secrets(messages: &[Vec<u8>], tokens: &[&str], seed: &[u8]) {
    let hex: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
    let tells =
        |message: &Vec<u8>, secret: &[u8]| message.windows(secret.len()).any(|at| at == secret);
    let (last, before) = messages.split_last().expect("there were messages");
    assert!(tells(last, seed), "the seed is told with the end");
    for message in messages {
        assert!(!tokens.iter().any(|token| tells(message, token.as_bytes())), "a token");
    }
    for message in before {
        assert!(!tells(message, seed) && !tells(message, hex.as_bytes()), "the seed");
    }
}

fn shown_to(messages: &[Vec<u8>]) -> Vec<v1::Update> {
    // FollowResponse and PlayResponse are the same bytes.
    let read = |bytes: &Vec<u8>| v1::FollowResponse::decode(bytes.as_slice()).expect("a response");
    messages.iter().filter_map(|bytes| read(bytes).update).collect()
}

async fn nobody_sees_more_than_it_may(profile: &str) {
    let server = TestServer::start(&["--no-ladder"]).await;
    let table = server.table(profile, 2, &[]).await;
    let early = tokio::spawn(watch(look_on(&server, &table).await));
    let mut bots = Vec::new();
    for name in ["ann", "bob", "cat", "dan", "eve"] {
        bots.push(Bot::join(server.channel(), hello(name, at_table(&table))).await);
    }
    let bots: Vec<_> = bots.into_iter().map(|bot| tokio::spawn(bot.finish())).collect();
    let visits = drop_in(&server, &table).await;
    let early = soon("the end of the match", early).await.unwrap();
    let mut memories: Vec<Memory> = Vec::new();
    for bot in bots {
        memories.push(soon("the end of the match", bot).await.unwrap());
    }

    let record = server.record(&table).await;
    let seed = memories[0].end().seed.clone();
    let tokens: Vec<&str> =
        memories.iter().map(|memory| memory.start().resume_token.as_str()).collect();
    let shows_kitty = profile == "ripper";

    keep_secrets(&early, &tokens, &seed);
    let shown = shown_to(&early);
    let private = ["Dealt", "KittyTaken", "BuriedCards", "KittyMarked"];
    let open = opened(&shown, shows_kitty, &private);
    name_only_open_cards(&shown, &open, &[]);
    let events: Vec<Event> = shown.iter().flat_map(events).filter_map(in_hand).collect();
    assert_eq!(events, retold(&record.line, Viewer::Spectator));

    assert!(visits.len() > 2, "some came late");
    for visit in &visits {
        name_only_open_cards(&shown_to(visit), &open, &[]);
    }
    for (number, memory) in memories.iter().enumerate() {
        let others: Vec<&str> =
            (0..5).filter(|other| *other != number).map(|other| tokens[other]).collect();
        keep_secrets(&memory.received, &others, &seed);
        let shown = shown_to(&memory.received);
        let open = opened(&shown, shows_kitty, &[]);
        name_only_open_cards(&shown, &open, &["ContractRange", "FixContract", "CallCard"]);
        let seat = decode::seat(memory.start().seat.expect("a seat"), "seat").expect("a seat");
        assert_eq!(memory.events(), retold(&record.line, Viewer::Seat(seat)));
    }
    server.stop().await;
}

fn in_hand(event: &v1::Event) -> Option<Event> {
    match decode::told(event).expect("the event can be read") {
        Told::InHand(event) => Some(event),
        Told::HandStarted(_)
        | Told::HandEnded(_)
        | Told::DefaultMade { .. }
        | Told::SeatGivenUp { .. }
        | Told::SeatPresence { .. }
        | Told::MatchEnded(_) => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn classic() {
    nobody_sees_more_than_it_may("classic").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hunter() {
    nobody_sees_more_than_it_may("hunter").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ripper() {
    nobody_sees_more_than_it_may("ripper").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn korean() {
    nobody_sees_more_than_it_may("korean").await;
}
