//! `mighty verify`, started as a program: what it prints, what it complains of, and how it exits.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};

use mighty_rules::{Profile, Rules, Seed};
use serde_json::{Value, json};

const VECTORS: &str = include_str!("../../../rules/tests/data/vectors.jsonl");
const MATCHES: &str = include_str!("../../../rules/tests/data/matches.jsonl");

/// What the program did with these lines on its standard input.
struct Verified {
    code: i32,
    hands: Vec<Value>,
    complaints: String,
}

fn start(args: &[&str]) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_mighty"))
        .arg("verify")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built for this test")
}

fn verify(input: impl AsRef<[u8]>) -> Verified {
    let mut child = start(&["-"]);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let hands = stdout.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    let complaints = String::from_utf8(stderr).unwrap();
    Verified { code: status.code().expect("it was not killed"), hands, complaints }
}

fn vector(number: usize) -> Value {
    serde_json::from_str(VECTORS.lines().nth(number).unwrap()).unwrap()
}

fn a_match() -> Value {
    serde_json::from_str(MATCHES.lines().next().unwrap()).unwrap()
}

/// The same JSON with all numbers written alike: 2 and 2.0 are the same score.
fn in_floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(in_floats).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), in_floats(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// The first vector that was played to the end.
fn played() -> Value {
    vector(0)
}

#[test]
fn every_vector_is_printed_as_it_is_written() {
    let verified = verify(VECTORS);
    assert_eq!(verified.code, 0, "{}", verified.complaints);
    let lines = VECTORS.lines().count();
    assert_eq!(
        verified.complaints,
        format!("{lines} hands, 0 matches, 0 commitments checked: no difference\n")
    );
    assert_eq!(verified.hands.len(), lines);
    for (printed, line) in verified.hands.iter().zip(VECTORS.lines()) {
        let mut expected: Value = serde_json::from_str(line).unwrap();
        expected.as_object_mut().unwrap().remove("shows");
        assert_eq!(in_floats(printed), in_floats(&expected));
    }
}

#[test]
fn the_hands_of_matches_are_printed_with_their_place_in_the_match() {
    let verified = verify(MATCHES);
    assert_eq!(verified.code, 0, "{}", verified.complaints);
    let matches = MATCHES.lines().count();
    let summary = format!("{matches} matches, {matches} commitments checked: no difference\n");
    assert!(verified.complaints.ends_with(&summary), "{}", verified.complaints);
    let rows = MATCHES.lines().flat_map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["rows"].as_array().unwrap().clone()
    });
    let mut count = 0;
    for (printed, row) in verified.hands.iter().zip(rows) {
        for (field, value) in row.as_object().unwrap() {
            assert_eq!(in_floats(&printed[field]), in_floats(value), "{field} of {row}");
        }
        count += 1;
    }
    assert_eq!(count, verified.hands.len());
}

#[test]
fn an_exported_record_is_verified_with_or_without_its_seed() {
    let mut record = a_match();
    let profile = Profile::named(record["profile"].as_str().unwrap()).unwrap();
    let rules = Rules::with(profile, record["overrides"].as_object().unwrap()).unwrap();
    record["record"] = json!("r-1");
    record["rules"] = serde_json::from_str(rules.json()).unwrap();
    record["rules_hash"] = json!(rules.hash());
    record["players"] = json!(["ada", "bob", "cy", "dan", "eve"]);
    record["rows"][0]["defaults"] = json!([0, 3]);
    record["rows"][0]["refusals"] =
        json!([{"at": 2, "seat": 0, "sent": "99Z", "why": "that is no bid"}]);
    let seed = Seed::from_hex(record["seed"].as_str().unwrap()).unwrap();
    for row in record["rows"].as_array_mut().unwrap() {
        let [hand, redeal] = ["hand", "redeal"].map(|field| row[field].as_u64().unwrap() as u32);
        row["deck"] = json!(seed.deck(hand, redeal).to_string());
    }
    let rows = record["rows"].as_array().unwrap().len();
    let verified = verify(record.to_string());
    assert_eq!(verified.code, 0, "{}", verified.complaints);
    assert_eq!(verified.hands.len(), rows);

    // While the match goes on, neither seed nor the last hands are known.
    let mut going_on = record.clone();
    let fields = going_on.as_object_mut().unwrap();
    for field in ["seed", "totals", "pot"] {
        fields.remove(field);
    }
    fields["rows"].as_array_mut().unwrap().truncate(3);
    let verified = verify(going_on.to_string());
    assert_eq!((verified.code, verified.hands.len()), (0, 3), "{}", verified.complaints);
    assert!(verified.complaints.contains("0 commitments"), "{}", verified.complaints);

    record["rules"]["auction"]["minimum"] = json!(12);
    let verified = verify(record.to_string());
    assert_eq!(verified.code, 1);
    assert!(verified.complaints.contains("rules_hash: the line says"), "{}", verified.complaints);
}

#[test]
fn what_a_line_leaves_out_is_computed() {
    let mut line = played();
    let full = line.clone();
    for field in ["legal_counts", "legal_plays", "winners", "result"] {
        line.as_object_mut().unwrap().remove(field);
    }
    let verified = verify(line.to_string());
    assert_eq!(verified.code, 0, "{}", verified.complaints);
    for field in ["legal_counts", "legal_plays", "winners", "result"] {
        assert_eq!(verified.hands[0][field], full[field]);
    }
}

#[test]
fn each_difference_is_named_with_its_line() {
    let good = played();
    let mut bad = good.clone();
    bad["result"]["taken"] = json!(9);
    bad["legal_counts"][3] = json!(40);
    bad["winners"] = json!([1, 2]);
    let verified = verify(format!("{good}\n\n{bad}\n"));
    assert_eq!(verified.code, 1);
    let mut complaints: Vec<&str> = verified.complaints.lines().collect();
    assert_eq!(complaints.pop(), Some("2 hands, 0 matches, 0 commitments checked: 3 differences"));
    assert_eq!(
        complaints,
        [
            "stdin:3: legal_counts[3]: the line says 40, the replay gives 41",
            "stdin:3: winners: the line says [1,2], the replay gives [1,2,0,4,4,2,2,2,2,2]",
            "stdin:3: result.taken: the line says 9, the replay gives 1",
        ]
    );
    assert_eq!(verified.hands.len(), 2);
}

#[test]
fn a_record_that_does_not_fit_its_replay_exits_with_1() {
    let hand = |change: &dyn Fn(&mut Value)| {
        let mut line = played();
        change(&mut line);
        line
    };
    let of_match = |change: &dyn Fn(&mut Value)| {
        let mut line = a_match();
        change(&mut line);
        line
    };
    let moves = |line: &Value| line["moves"].as_str().unwrap().to_owned();
    let table = [
        ("an illegal move", "moves[16]: the line says \"7S\"", {
            hand(&|line| line["moves"] = json!(moves(line).replacen(" 7H ", " 7S ", 1)))
        }),
        ("no move at all", "moves[2]: the line says \"what?\"", {
            hand(&|line| line["moves"] = json!(moves(line).replacen("- - -", "- - what?", 1)))
        }),
        ("moves after the end", "moves[66]: the line says \"2C\"", {
            hand(&|line| line["moves"] = json!(moves(line) + " 2C"))
        }),
        ("truncated moves", "the replay gives \"the hand is not over\"", {
            hand(&|line| line["moves"] = json!(moves(line).strip_suffix(" TS").unwrap()))
        }),
        ("no moves", "the replay gives \"the hand is not over\"", {
            hand(&|line| line["moves"] = json!(""))
        }),
        ("a result of another kind", "void: the line says", {
            hand(&|line| line["void"] = json!({"why": "all_passed", "next_dealer": 1}))
        }),
        ("a half point", "result.scores[1]: the line says 54.5", {
            hand(&|line| line["result"]["scores"][1] = json!(54.5))
        }),
        ("a huge score", "result.scores[1]: the line says 1e+300", {
            hand(&|line| line["result"]["scores"][1] = json!(1e300))
        }),
        ("a field that there is not", "result.extra: the line says 1", {
            hand(&|line| line["result"]["extra"] = json!(1))
        }),
        ("another commitment", "commitment: the line says", {
            of_match(&|line| line["commitment"] = json!("00".repeat(32)))
        }),
        ("another seed", "commitment: the line says", {
            of_match(&|line| line["seed"] = json!("00".repeat(32)))
        }),
        ("another cut", "cut[0]: the line says \"AS\"", {
            of_match(&|line| line["cut"][0] = json!("AS"))
        }),
        ("another deck in a row", "rows[0].deck: the line says", {
            of_match(&|line| line["rows"][0]["deck"] = played()["deck"].clone())
        }),
        ("a dealer who is no seat", "rows[0].dealer: the line says 4294967298", {
            of_match(&|line| line["rows"][0]["dealer"] = json!((1_u64 << 32) + 2))
        }),
        ("a hand that is left out", "rows[0].hand: the line says 2", {
            of_match(&|line| drop(line["rows"].as_array_mut().unwrap().remove(0)))
        }),
        ("a match that goes on", "the replay gives \"the match is not over\"", {
            of_match(&|line| drop(line["rows"].as_array_mut().unwrap().pop()))
        }),
        ("a hand too many", "the replay gives \"the match is over\"", {
            of_match(&|line| {
                let rows = line["rows"].as_array_mut().unwrap();
                rows.push(rows[0].clone());
            })
        }),
        ("other totals", "totals[2]: the line says 123456", {
            of_match(&|line| line["totals"][2] = json!(123_456))
        }),
    ];
    for (what, complaint, line) in table {
        let verified = verify(line.to_string());
        assert_eq!(verified.code, 1, "{what}: {}", verified.complaints);
        assert!(verified.complaints.contains(complaint), "{what}: {}", verified.complaints);
    }
}

#[test]
fn a_line_that_cannot_be_read_exits_with_2_and_the_others_are_verified() {
    let hand = |field: &str, value: Value| {
        let mut line = played();
        line[field] = value;
        line.to_string()
    };
    let of_match = |field: &str, value: Value| {
        let mut line = a_match();
        line[field] = value;
        line.to_string()
    };
    let without = |field: &str| {
        let mut line = played();
        line.as_object_mut().unwrap().remove(field);
        line.to_string()
    };
    let deck = played()["deck"].as_str().unwrap().to_owned();
    let twice = deck.replacen("TH", "5H", 1);
    let deep = "[".repeat(100_000);
    let table: Vec<(&str, Vec<u8>, &str)> = vec![
        ("no JSON", b"hello".to_vec(), "expected value at column 1"),
        ("half a line", played().to_string().as_bytes()[..200].to_vec(), "EOF while parsing"),
        ("two objects", b"{} {}".to_vec(), "trailing characters"),
        ("a list", b"[1, 2]".to_vec(), "a line is a JSON object"),
        ("a number", b"7".to_vec(), "a line is a JSON object"),
        ("nothing in it", b"{}".to_vec(), "missing field `profile`"),
        ("no deck", without("deck").into(), "missing field `deck`"),
        ("no moves", without("moves").into(), "missing field `moves`"),
        ("a list of moves", hand("moves", json!(["-"])).into(), "expected a string"),
        ("an unknown profile", hand("profile", json!("chess")).into(), "no profile `chess`"),
        (
            "an unknown option",
            hand("overrides", json!({"auction.minimun": 14})).into(),
            "no option `auction.minimun`",
        ),
        (
            "a wrong value",
            hand("overrides", json!({"auction.minimum": 1e99})).into(),
            "`auction.minimum` cannot be",
        ),
        (
            "nonsense",
            hand("overrides", json!({"auction.minimum": 200})).into(),
            "is not from 2 to 20",
        ),
        ("a list of overrides", hand("overrides", json!([])).into(), "expected a map"),
        ("no seat", hand("dealer", json!(5)).into(), "5 is no seat from 0 to 4"),
        ("a seat below zero", hand("dealer", json!(-1)).into(), "-1"),
        ("a huge seat", hand("dealer", json!(1e300)).into(), "1e+300"),
        ("a seat in words", hand("dealer", json!("north")).into(), "north"),
        ("half a deck", hand("deck", json!(deck[..40])).into(), "this one has 20 cards"),
        ("a card twice", hand("deck", json!(twice)).into(), "53 cards, 52 of them different"),
        ("no cards", hand("deck", json!("♠".repeat(53))).into(), "is no card"),
        ("rows that are none", of_match("rows", json!(7)).into(), "expected a sequence"),
        ("no rows", of_match("rows", Value::Null).into(), "invalid type: null"),
        ("a short seed", of_match("seed", json!("00ff")).into(), "64 hex digits are expected"),
        ("no hex", of_match("seed", json!("é".repeat(32))).into(), "64 hex digits are expected"),
        ("neither seed nor deck", of_match("seed", Value::Null).into(), "neither seed nor deck"),
        ("deep nesting", deep.into(), "recursion limit exceeded"),
        ("a huge number", format!("{{\"a\": {}}}", "9".repeat(5000)).into(), "number out of range"),
        ("no UTF-8", b"{\"profile\": \"\xff\xfe\"}".to_vec(), "it is not UTF-8 from byte 14 on"),
        ("nothing but zeros", vec![0; 100], "expected value at column 1"),
    ];
    let good = played().to_string();
    for (what, line, complaint) in table {
        let input = [good.as_bytes(), b"\n", &line, b"\n\r\n", good.as_bytes()].concat();
        let verified = verify(input);
        let complaints = &verified.complaints;
        assert_eq!(verified.code, 2, "{what}: {complaints}");
        assert!(complaints.starts_with("stdin:2: cannot be read: "), "{what}: {complaints}");
        assert!(complaints.contains(complaint), "{what}: {complaints}");
        assert_eq!(complaints.lines().count(), 2, "{what}: {complaints}");
        assert_eq!(verified.hands.len(), 2, "{what}");
    }
}

#[test]
fn what_a_hostile_line_says_cannot_steer_the_terminal() {
    let mut line = played();
    line["profile"] = json!(format!("\u{1b}[2J\u{9b}31m\u{202e}{}", "x".repeat(100_000)));
    let complaints = verify(line.to_string()).complaints;
    assert!(complaints.lines().all(|line| !line.chars().any(char::is_control)), "{complaints:?}");
    assert!(complaints.len() < 2000, "{complaints}");
}

#[test]
fn unreadable_wins_over_differences() {
    let mut bad = played();
    bad["result"]["taken"] = json!(9);
    let verified = verify(format!("{bad}\nhello\n"));
    assert_eq!(verified.code, 2);
    assert!(verified.complaints.ends_with(": 1 difference, 1 place that cannot be read\n"));
}

#[test]
fn files_are_named_and_a_missing_one_exits_with_2() {
    let folder = std::env::temp_dir().join(format!("mighty-verify-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let good = folder.join("good.jsonl");
    fs::write(&good, format!("{}\n", played())).unwrap();
    let missing = folder.join("missing.jsonl");
    let names = [&good, &missing, &folder].map(|path| path.to_str().unwrap());
    let Output { status, stdout, stderr } = start(&names).wait_with_output().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(status.code(), Some(2));
    assert_eq!(stdout.lines().count(), 1, "the good file is verified");
    let complaints = String::from_utf8(stderr).unwrap();
    assert!(complaints.contains("missing.jsonl: cannot be read: No such file"), "{complaints}");
    assert!(complaints.contains("Is a directory"), "{complaints}");
}

#[test]
fn quiet_prints_no_hands() {
    let mut child = start(&["--quiet", "-"]);
    child.stdin.take().unwrap().write_all(played().to_string().as_bytes()).unwrap();
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    assert_eq!((status.code(), stdout.len()), (Some(0), 0));
    assert_eq!(
        String::from_utf8(stderr).unwrap(),
        "1 hand, 0 matches, 0 commitments checked: no difference\n"
    );
}

#[test]
fn each_line_is_answered_before_the_next_is_awaited() {
    let mut child = start(&["-"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(stdin, "{}", played()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["result"], played()["result"]);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn it_stops_quietly_when_nobody_reads_on() {
    let mut child = start(&["-"]);
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    let writer = std::thread::spawn(move || {
        // It stops in the middle of our writing, which is what is tested.
        let _ = (0..50).try_for_each(|_| stdin.write_all(VECTORS.as_bytes()));
    });
    let mut complaints = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(complaints, "");
    writer.join().unwrap();
}

#[test]
fn no_file_is_wrong_usage() {
    let Output { status, stderr, .. } = start(&[]).wait_with_output().unwrap();
    assert_eq!(status.code(), Some(2));
    assert!(String::from_utf8(stderr).unwrap().contains("<FILE>"));
}

#[test]
fn a_file_that_holds_no_records_is_left_after_twenty_lines() {
    let verified = verify("words\n".repeat(1000));
    assert_eq!(verified.code, 2);
    let complaints: Vec<&str> = verified.complaints.lines().collect();
    assert_eq!(complaints.len(), 22, "{}", verified.complaints);
    assert_eq!(complaints[20], "stdin: this is no file of records");

    // A file of records that is spoilt later is read to its end.
    let verified = verify(format!("{}\n{}", played(), "words\n".repeat(1000)));
    assert_eq!((verified.code, verified.hands.len()), (2, 1));
    assert!(verified.complaints.ends_with("1000 places that cannot be read\n"));
}

#[test]
fn json_may_be_asked_for_although_it_is_what_is_printed() {
    let mut child = start(&["--json", "-"]);
    child.stdin.take().unwrap().write_all(played().to_string().as_bytes()).unwrap();
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    assert!(status.success());
    assert_eq!(stdout, format!("{}\n", verify(played().to_string()).hands[0]).into_bytes());
}
