//! Bots in Python and in Rust at one table: each hears the result that is in the record.

use std::io::{Write, stderr};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use mighty_client::{MatchEnd, News, Options, Place, Session, Stopped, Told, play_many};
use mighty_protocol::encode;
use mighty_tests::{TestServer, relive, soon};
use tokio::task::spawn_blocking;

/// A Python that has the package of the SDK; nothing, and a line that says so, where there is none.
fn python() -> Option<String> {
    let python = std::env::var("MIGHTY_PYTHON").ok();
    let has_package = |python: &String| {
        let imported = Command::new(python).args(["-c", "import mighty, mighty.bots"]).output();
        imported.is_ok_and(|output| output.status.success())
    };
    let python = python.filter(has_package);
    if python.is_none() {
        // Written past the harness, which keeps back what a test prints when it passes.
        let _ = writeln!(
            stderr(),
            "SKIPPED two_languages: MIGHTY_PYTHON names no Python with the package; run `make test-rust`"
        );
    }
    python
}

fn run(python: &str, script: &str, arguments: &[&str]) -> Output {
    let bots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bots/python");
    let output = Command::new(python).arg(bots.join(script)).args(arguments).output();
    let output = output.expect("Python starts");
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

#[tokio::test(flavor = "multi_thread")]
async fn python_and_rust_agree_with_the_record() {
    let Some(python) = python() else { return };
    let flags =
        ["--ladder-matches", "1", "--ladder-set", "match.hands=2", "--ladder-fill-after", "5m"];
    let server = TestServer::start(&flags).await;
    let address = server.address.to_string();

    let (of_sdk, of_raw) = (python.clone(), python);
    let (for_sdk, for_raw) = (address.clone(), address);
    let sdk = spawn_blocking(move || {
        let place = ["--ladder", "--matches", "1", "--json"];
        let who = ["--server", &for_sdk, "--name", "python-sdk"];
        run(&of_sdk, "cautious_bot.py", &[&who[..], &place].concat())
    });
    let raw = spawn_blocking(move || run(&of_raw, "raw_bot.py", &[&for_raw, "python-raw"]));
    let ends: [Arc<Mutex<Option<MatchEnd>>>; 3] = Default::default();
    let to_rust = server.for_sdk();
    let rust = play_many(3, |number| {
        let end = ends[number].clone();
        let options = Options::new(format!("rust-{number}"), Place::ladder(1));
        let session = Session::new(&to_rust, options).on_news(move |news| {
            if let News::Told(Told::MatchEnded(told)) = news {
                *end.lock().expect("no bot panics") = Some(told.clone());
            }
        });
        let player = mighty_house::by_name("random", number as u64).expect("there is such a bot");
        (session, player)
    });
    let stopped = soon("the end of the match", rust).await;
    assert_eq!(stopped, vec![Stopped::Finished { matches: 1 }; 3]);
    let sdk = soon("the end of the bot with the SDK", sdk).await.unwrap();
    let raw = soon("the end of the bot without", raw).await.unwrap();

    let ends = ends.map(|end| end.lock().expect("no bot panics").clone().expect("an end"));
    let record = server.record(&ends[0].record_id).await;
    relive(&record.line, |_| ());
    for end in &ends {
        assert_eq!(encode::half_points(&end.totals), record.totals_half_points);
    }
    let told: serde_json::Value = serde_json::from_slice(&sdk.stdout).expect("a line of JSON");
    let seat = record.names.iter().position(|name| name == "python-sdk").expect("it played");
    let totals: Vec<f64> =
        record.totals_half_points.iter().map(|half_points| *half_points as f64 / 2.0).collect();
    assert_eq!(told["results"][0]["record_id"], record.record_id);
    assert_eq!(told["results"][0]["seat"], seat);
    assert_eq!(told["results"][0]["totals"], serde_json::json!(totals));
    assert_eq!(told["counts"]["defaults"], 0);
    let raw = String::from_utf8(raw.stdout).expect("it prints text");
    assert!(raw.contains(&format!("totals: {totals:?}")), "{raw}");
    server.stop().await;
}
