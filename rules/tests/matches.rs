//! What follows a hand: who deals and speaks, what is dealt again, given up, fined and carried over.

mod support;

use mighty_rules::*;
use support::rules;

fn ordinary(overrides: &str) -> Match {
    let kind = MatchKind::Ordinary { first_dealer: Seat::ALL[2] };
    Match::new(rules(Profile::Hunter, overrides), kind)
}

fn thrown_in(seat: usize, next_dealer: usize) -> Outcome {
    let why = VoidReason::DealMiss { seat: Seat::ALL[seat], cards: CardSet::EMPTY };
    Outcome::Void(Void { why, next_dealer: Seat::ALL[next_dealer] })
}

fn all_passed(next_dealer: usize) -> Outcome {
    Outcome::Void(Void { why: VoidReason::AllPassed, next_dealer: Seat::ALL[next_dealer] })
}

/// Seat 0 and its friend, seat 1, made their contract.
fn scored(next_dealer: usize, pot: u64) -> Outcome {
    Outcome::Scored(HandResult {
        declarer: Seat::ALL[0],
        friend: Some(Seat::ALL[1]),
        contract: "15H".parse().expect("a contract"),
        taken: 15,
        made: true,
        factor: 1,
        scores: BySeat([4, 2, -2, -2, -2].map(Score::points)),
        pot,
        next_dealer: Seat::ALL[next_dealer],
    })
}

/// What is dealt next, in words.
fn dealing(a_match: &Match) -> String {
    match a_match.dealing() {
        None => "over".to_owned(),
        Some(Dealing { hand, redeal, setup: Setup { dealer, first_bidder, pot } }) => {
            format!("{hand}/{redeal}: {dealer} deals, {first_bidder} speaks, pot {pot}")
        }
    }
}

fn totals(a_match: &Match) -> String {
    a_match.totals().0.map(|total| total.to_string()).join(" ")
}

#[test]
fn the_one_who_threw_in_begins_the_auctions_of_that_hand_from_then_on() {
    let mut hunter = ordinary("");
    assert_eq!(dealing(&hunter), "1/0: 2 deals, 2 speaks, pot 0");
    hunter.finish(&thrown_in(4, 4));
    assert_eq!(dealing(&hunter), "1/1: 4 deals, 4 speaks, pot 0");
    hunter.finish(&all_passed(0));
    assert_eq!(dealing(&hunter), "1/2: 0 deals, 4 speaks, pot 0");
    hunter.finish(&thrown_in(3, 3));
    assert_eq!(dealing(&hunter), "1/3: 3 deals, 3 speaks, pot 0");
    hunter.finish(&scored(1, 0));
    assert_eq!(dealing(&hunter), "2/0: 1 deals, 0 speaks, pot 0", "the previous declarer speaks");
}

#[test]
fn who_speaks_first() {
    let table =
        [("left_of_dealer", "3", "0"), ("dealer", "2", "4"), ("previous_declarer", "2", "0")];
    for (first_bidder, at_first, later) in table {
        let mut a_match = ordinary(&format!("auction.first_bidder {first_bidder}"));
        assert_eq!(dealing(&a_match), format!("1/0: 2 deals, {at_first} speaks, pot 0"));
        a_match.finish(&scored(4, 0));
        assert_eq!(dealing(&a_match), format!("2/0: 4 deals, {later} speaks, pot 0"));
    }
}

#[test]
fn the_dealer_of_a_hand_thrown_in_pays_into_the_pot() {
    let mut strict = ordinary("deal.miss.fine 3, deal.miss.next_dealer same");
    strict.finish(&thrown_in(4, 2));
    assert_eq!((totals(&strict), strict.pot()), ("0 0 -3 0 0".to_owned(), 3));
    strict.finish(&all_passed(3));
    assert_eq!((totals(&strict), strict.pot()), ("0 0 -3 0 0".to_owned(), 3), "not for passing");
    strict.finish(&thrown_in(4, 3));
    assert_eq!((totals(&strict), strict.pot()), ("0 0 -3 -3 0".to_owned(), 6));
    assert_eq!(dealing(&strict), "1/3: 3 deals, 3 speaks, pot 6");
    strict.finish(&scored(0, 1));
    assert_eq!(
        (totals(&strict), strict.pot()),
        ("4 2 -5 -5 -2".to_owned(), 1),
        "what does not divide"
    );

    let mut stricter = ordinary("deal.miss.fine 3, deal.miss.fines_all_pass true");
    stricter.finish(&all_passed(2));
    assert_eq!((totals(&stricter), stricter.pot()), ("0 0 -3 0 0".to_owned(), 3));
}

#[test]
fn after_ten_redeals_the_hand_is_given_up_and_its_pot_stays() {
    let mut unlucky = ordinary("deal.miss.fine 1, match.hands 2");
    for redeal in 1..=10 {
        assert_eq!(unlucky.finish(&thrown_in(4, 4)), Next::Redeal);
        assert_eq!(dealing(&unlucky), format!("1/{redeal}: 4 deals, 4 speaks, pot {redeal}"));
    }
    assert_eq!(unlucky.finish(&thrown_in(1, 1)), Next::Hand { given_up: true });
    assert_eq!(dealing(&unlucky), "2/0: 1 deals, 1 speaks, pot 11", "no claimant any more");
    for _ in 0..10 {
        unlucky.finish(&all_passed(1));
    }
    assert_eq!(unlucky.finish(&all_passed(1)), Next::Over { given_up: true });
    assert_eq!((dealing(&unlucky), unlucky.pot()), ("over".to_owned(), 11));
    assert_eq!(totals(&unlucky), "0 0 -1 0 -10");
}

#[test]
fn in_duplicate_play_each_deal_stands_alone() {
    let rules = rules(Profile::Hunter, "deal.miss.fine 3, match.hands 6");
    let mut duplicate = Match::new(rules, MatchKind::Duplicate);
    assert_eq!(dealing(&duplicate), "1/0: 0 deals, 0 speaks, pot 0");
    assert_eq!(duplicate.finish(&thrown_in(4, 4)), Next::Hand { given_up: true });
    assert_eq!((totals(&duplicate), duplicate.pot()), ("0 0 0 0 0".to_owned(), 0));
    assert_eq!(dealing(&duplicate), "2/0: 1 deals, 1 speaks, pot 0");
    for hand in 3..=6 {
        duplicate.finish(&scored(4, 0));
        let dealer = (hand - 1) % 5;
        assert_eq!(
            dealing(&duplicate),
            format!("{hand}/0: {dealer} deals, {dealer} speaks, pot 0")
        );
    }
    assert_eq!(duplicate.finish(&scored(4, 0)), Next::Over { given_up: false });
    assert!(duplicate.is_over());
}

#[test]
fn equals_share_the_place() {
    let mut a_match = ordinary("match.hands 1");
    assert_eq!(a_match.places().0, [1; 5]);
    a_match.finish(&scored(1, 0));
    assert_eq!(a_match.places().0, [1, 2, 3, 3, 3]);
    a_match.finish(&scored(1, 0));
    assert_eq!(totals(&a_match), "4 2 -2 -2 -2", "a match that is over takes nothing in");
}
