//! A ladder of house bots and bots from outside: what it says of them is what the records say.

use std::collections::{HashMap, HashSet};

use mighty_client::{MatchLine, Options, Place, Session, Stopped, play_many};
use mighty_protocol::v1;
use mighty_tests::{Bot, TestServer, hello, in_ladder, relive, soon};

/// Who plays; `twin` has two streams, and none of them is a house bot.
const STREAMS: [&str; 7] = ["ann", "bob", "cat", "dan", "eve", "twin", "twin"];
const MATCHES: u64 = 12;

/// What a bot made, counted from the records.
#[derive(Default, PartialEq, Debug)]
struct Count {
    matches: u64,
    hands: u64,
    half_points: i64,
}

async fn ladder() -> TestServer {
    let matches = MATCHES.to_string();
    let flags = ["--ladder-set", "match.hands=2", "--ladder-fill-after", "20ms"];
    TestServer::start(&[&flags[..], &["--ladder-matches", &matches]].concat()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_standings_are_the_sum_of_the_records() {
    let server = ladder().await;
    let sdk = server.for_sdk();
    let playing = play_many(STREAMS.len(), |number| {
        let options = Options::new(STREAMS[number], Place::Ladder { matches: None });
        let policy = if number % 2 == 0 { "cautious" } else { "random" };
        let player = mighty_house::by_name(policy, number as u64).expect("there is such a bot");
        (Session::new(&sdk, options), player)
    });
    let stopped = soon("the end of the ladder", playing).await;
    for why in &stopped {
        assert!(matches!(why, Stopped::Finished { .. }), "{why}");
    }

    let mut counts: HashMap<String, Count> = HashMap::new();
    let mut commitments = HashSet::new();
    let request = v1::StreamRecordsRequest::default();
    let mut records = server.records().stream_records(request).await.unwrap().into_inner();
    let mut matches = 0;
    while let Some(response) = soon("a record", records.message()).await.unwrap() {
        let record = response.record.unwrap();
        relive(&record.line, |_| ());
        let line: MatchLine = serde_json::from_str(&record.line).unwrap();
        assert!(commitments.insert(line.commitment.unwrap()), "each match has a seed of its own");
        let outside = record.names.iter().filter(|name| STREAMS.contains(&name.as_str()));
        let owners: HashSet<&String> = outside.clone().collect();
        assert_eq!(owners.len(), outside.count(), "nobody meets itself: {:?}", record.names);
        let hands = line.rows.iter().filter(|row| row.outcome.result.is_some()).count() as u64;
        for name in record.names.iter().collect::<HashSet<_>>() {
            counts.entry(name.clone()).or_default().matches += 1;
        }
        for (name, half_points) in record.names.into_iter().zip(record.totals_half_points) {
            let count = counts.get_mut(&name).unwrap();
            count.hands += hands;
            count.half_points += half_points;
        }
        matches += 1;
    }
    assert_eq!(matches, MATCHES, "no more and no fewer than were wanted");

    let request = v1::ListStandingsRequest {};
    let told = server.ladder().list_standings(request).await.unwrap().into_inner();
    assert_eq!(told.matches, MATCHES);
    assert_eq!(told.standings.len(), counts.len());
    for standing in told.standings {
        let count = &counts[&standing.name];
        assert_eq!((standing.matches, standing.hands), (count.matches, count.hands));
        let points = count.half_points as f64 / 2.0 * 100.0 / count.hands.max(1) as f64;
        assert!((standing.points_per_100_hands - points).abs() < 1e-6, "{}", standing.name);
        assert_eq!((standing.defaults, standing.refusals, standing.given_up), (0, 0, 0));
        assert_eq!(standing.house, mighty_house::NAMES.contains(&standing.name.as_str()));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_seed_of_a_match_is_told_when_it_is_over_and_not_before() {
    let server = ladder().await;
    let mut bot = Bot::join(server.channel(), hello("ann", in_ladder(1))).await;
    while let Some(turn) = bot.next_turn().await {
        let record = server.record(&turn.match_id).await;
        assert!(record.ended_at.is_none() && record.ladder);
        let line: MatchLine = serde_json::from_str(&record.line).unwrap();
        assert_eq!(
            (line.seed, line.commitment),
            (None, Some(bot.memory.start().commitment.clone()))
        );
        bot.answer_well(&turn).await;
    }
    let record = server.record(&bot.memory.end().record_id).await;
    relive(&record.line, |_| ());
    let seed: String = bot.memory.end().seed.iter().map(|byte| format!("{byte:02x}")).collect();
    let line: MatchLine = serde_json::from_str(&record.line).unwrap();
    assert_eq!(line.seed, Some(seed));
    server.stop().await;
}
