//! Records, played again: what happened at a table, and what each viewer should have been told.

use mighty_rules::{Event, Hand, MatchLine, Viewer, verify_line};

/// Plays a record again, once it is verified: `look` is shown each hand before each of its moves, and when it is over.
///
/// # Panics
/// The record does not hold.
pub fn relive(line: &str, mut look: impl FnMut(&Hand)) {
    let verified = verify_line(line).expect("the record can be read");
    assert_eq!(verified.differences, [], "the record holds");
    assert!(verified.commitment_checked, "the decks were those that were promised");
    let line: MatchLine = serde_json::from_str(line).expect("the record was read before");
    let (mut flow, seed) = (line.begin().expect("it begins"), line.seed().expect("a seed"));
    let rules = line.rules().expect("it has rules");
    for row in &line.rows {
        let dealing = flow.dealing().expect("a deal follows");
        let deck = row.deck(seed.as_ref(), &dealing).expect("the deck follows from the seed");
        let mut hand = Hand::deal(rules.clone(), &deck, dealing.setup);
        for text in row.moves.split_whitespace() {
            look(&hand);
            let seat = hand.turn().expect("somebody is to move");
            hand.apply_text(seat, text).expect("the move was legal then");
        }
        look(&hand);
        flow.finish(&hand.outcome().expect("the hand is over"));
    }
}

/// All that happened in the hands of a record, as far as this viewer may know it.
///
/// # Panics
/// The record does not hold.
pub fn retold(line: &str, viewer: Viewer) -> Vec<Event> {
    let mut told = Vec::new();
    relive(line, |hand| {
        if hand.turn().is_none() {
            let known = hand.log().iter().filter(|notice| notice.audience.includes(viewer));
            told.extend(known.map(|notice| notice.event));
        }
    });
    told
}
