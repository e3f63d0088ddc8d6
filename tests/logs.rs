//! Whatever happens, the logs tell no card, no seed and no token.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use mighty_client::Card;
use mighty_protocol::v1::{self, answer};
use mighty_tests::{Bot, TestServer, at_table, hello, in_ladder, reason, soon};
use tracing::Level;

/// A log that is kept.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics while writing").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_tells_no_card_no_seed_and_no_token() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
    let flags = ["--ladder-set", "match.hands=1", "--ladder-fill-after", "1ms", "--refusals", "2"];
    let server = TestServer::start(&flags).await;
    let mut secrets = Vec::new();

    // One lies and is given up, one is cut off and comes back, one is a stranger; all play, look on and ask for the record.
    let table = server.table("korean", 1, &["random"; 3]).await;
    let mut liar = Bot::join(server.channel(), hello("liar", at_table(&table))).await;
    let honest = Bot::join(server.channel(), hello("honest", at_table(&table))).await;
    let honest = tokio::spawn(honest.finish());
    for lie in ["AS", "d:ASKSQS", "20N", "rubbish", "f:JK", "AS", "JK/H"] {
        let turn = liar.until_turn().await;
        let text = |text: &str| Some(answer::Move::Text(text.to_owned()));
        liar.say_answer(&turn.match_id, turn.number, text(lie)).await;
        if liar.until_reply().await.is_err() {
            liar = Bot::come_back(server.channel(), liar.vanish()).await;
            liar.until_turn().await;
            liar.answer_well(&turn).await;
        }
    }
    let mut stranger = liar.memory.clone();
    stranger.name = "mallory".to_owned();
    let mut stranger = Bot::come_back(server.channel(), stranger).await;
    assert_eq!(reason(&stranger.play().await.1.unwrap_err()), "NOT_YOUR_SEAT");
    liar.say(v1::play_request::Message::Leave(v1::Leave {})).await;
    liar.play().await.1.unwrap();
    secrets.push(liar.memory.start().resume_token.clone());
    let solo = Bot::join(server.channel(), hello("solo", in_ladder(1))).await;
    for bot in [honest, tokio::spawn(solo.finish())] {
        let memory = soon("the end of the match", bot).await.unwrap();
        secrets.push(memory.start().resume_token.clone());
        let seed = &memory.end().seed;
        secrets.push(seed.iter().map(|byte| format!("{byte:02x}")).collect());
        secrets.push(format!("{seed:?}"));
        server.record(&memory.end().record_id).await;
    }
    server.stop().await;

    let written = log.0.lock().expect("nobody panics while writing").clone();
    let log = String::from_utf8(written).expect("a log is text");
    assert!(log.contains(&table) && log.contains("DEBUG"), "the log tells of the table");
    for secret in secrets {
        assert!(!log.contains(&secret), "{secret}");
    }
    let mut words = log.split(|letter: char| !letter.is_ascii_alphanumeric());
    let card = words.find(|word| word.parse::<Card>().is_ok());
    let line = card.and_then(|card| log.lines().find(|line| line.contains(card)));
    assert_eq!(card, None, "{line:?}");
}
