//! Every hand and every match that the independent referee has written down.

use mighty_rules::verify_line;

fn verify(name: &str, text: &str, lines: usize) {
    assert_eq!(text.lines().count(), lines, "{name}");
    let mut wrong = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let verified = verify_line(line).unwrap_or_else(|why| panic!("{name}:{}: {why}", at + 1));
        for difference in verified.differences {
            wrong.push(format!("{name}:{}: {difference}", at + 1));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences, such as\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

#[test]
fn all_275_hands_agree() {
    verify("vectors.jsonl", include_str!("data/vectors.jsonl"), 275);
}

#[test]
fn all_24_matches_agree() {
    verify("matches.jsonl", include_str!("data/matches.jsonl"), 24);
}

#[test]
fn what_a_match_says_wrongly_is_named() {
    let line = include_str!("data/matches.jsonl").lines().next().expect("there are matches");
    let line: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
    let table = [
        ("/commitment", "commitment", "00".into()),
        ("/cut/0", "cut[0]", "2S".into()),
        ("/rows/0/hand", "rows[0].hand", 7.into()),
        ("/rows/0/redeal", "rows[0].redeal", 7.into()),
        // Beyond 32 bits, and 0 within them.
        ("/rows/0/dealer", "rows[0].dealer", (1_u64 << 32).into()),
        ("/rows/0/first_bidder", "rows[0].first_bidder", (1_u64 << 32).into()),
        ("/totals/0", "totals[0]", 1000.into()),
        ("/pot", "pot", 1000.into()),
    ];
    for (pointer, place, wrong) in table {
        let mut line = line.clone();
        *line.pointer_mut(pointer).expect(pointer) = wrong;
        let verified = verify_line(&line.to_string()).expect("it can be read");
        let places: Vec<&str> =
            verified.differences.iter().map(|found| found.place.as_str()).collect();
        assert_eq!(places, [place]);
    }
}

#[test]
fn a_record_of_a_match_without_a_finished_deal_can_be_read() {
    let line =
        r#"{"profile":"korean","commitment":"00","cut":["3D","7H","JS","5D","5H"],"rows":[]}"#;
    let verified = verify_line(line).unwrap();
    assert!(verified.hands.is_empty() && verified.differences.is_empty());
    let without_cut = r#"{"profile":"korean","rows":[]}"#;
    assert!(verify_line(without_cut).is_err());
}
