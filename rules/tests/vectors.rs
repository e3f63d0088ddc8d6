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
