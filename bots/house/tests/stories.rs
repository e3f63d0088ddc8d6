//! What the cautious bot does in situations that every player knows.

use std::sync::Arc;

use mighty_house::{Cautious, Player, by_name, play_out};
use mighty_rules::{
    BySeat, Card, CardSet, Deck, Hand, Outcome, Profile, Rules, Seat, Seed, Setup, Viewer,
};

/// Deals these hands to the seats from 0, which speaks first; the cards that are not named go to whoever lacks some.
fn deal(profile: Profile, hands: [&str; 5]) -> Hand {
    let mut hands = hands.map(|cards| cards.parse::<CardSet>().unwrap());
    let mut rest = hands.iter().fold(CardSet::FULL, |rest, hand| rest.minus(*hand)).iter();
    for hand in &mut hands {
        let missing = 10 - hand.len();
        *hand = rest.by_ref().take(missing).fold(*hand, CardSet::with);
    }
    let rounds = (0..10).flat_map(|round| hands.map(|hand| hand.nth(round).unwrap()));
    let deck: Vec<Card> = rounds.chain(rest).collect();
    let rules = Rules::with_texts(profile, [("deal.pattern", "one_by_one")]).unwrap();
    let setup = Setup { dealer: Seat::ALL[4], first_bidder: Seat::ALL[0], pot: 0 };
    Hand::deal(Arc::new(rules), &Deck::new(&deck).unwrap(), setup)
}

/// Makes these moves, then asks the bot in the seat on turn.
fn answer(hand: &mut Hand, moves: &str) -> String {
    for token in moves.split_whitespace() {
        let seat = hand.turn().unwrap();
        hand.apply_text(seat, token).unwrap_or_else(|why| panic!("{token}: {why}"));
    }
    let seat = hand.turn().unwrap();
    let choices = hand.choices(seat).unwrap();
    Cautious.act(&hand.view(Viewer::Seat(seat)), &choices).to_string()
}

#[test]
fn it_bids_on_good_cards_and_passes_on_poor_ones() {
    let table = [
        ("ASJKAHKHQHJH5HADKD2C", "14H"),
        ("KSASACKCQCJCTC9C2D3H", "14C"),
        ("2S3S4S5C6C7DTD8H9H2H", "-"),
        ("QS3SJS5CKC7DTD8HQH2H", "-"),
    ];
    for (cards, expected) in table {
        let mut hand = deal(Profile::Korean, [cards, "", "", "", ""]);
        assert_eq!(answer(&mut hand, ""), expected, "{cards}");
    }
}

#[test]
fn it_raises_while_the_hand_is_worth_it_and_no_further() {
    let hands = ["2S3S", "ASJKAHKHQHJH5HADKD2C", "", "", ""];
    for (others, expected) in [("14S", "15H"), ("16S", "17H"), ("19S", "-")] {
        assert_eq!(answer(&mut deal(Profile::Korean, hands), others), expected);
    }
}

#[test]
fn it_throws_in_a_hand_that_is_good_for_nothing_but_not_one_with_the_joker() {
    let mut hopeless = deal(Profile::Korean, ["2S3S4S5C6C7D8D8H9H2H", "AHKHQHJH", "", "", ""]);
    assert_eq!(answer(&mut hopeless, ""), "x");
    let mut called = deal(Profile::Korean, ["2S3S4S5C6C7D8D8HAHJK", "KHQHJH", "", "", ""]);
    assert_eq!(answer(&mut called, ""), "=");
}

#[test]
fn it_buries_the_rest_of_a_short_suit_and_keeps_trumps_aces_and_joker() {
    // The kitty, what nobody was dealt, is 8D 9D TD.
    let others = ["2S3S4S5S6S7S8S9STSJS", "QSKS2C3C4C5C6C7C8C9C"];
    let rest = ["TCJCKC2D3D4D5D6D7D2H", "AC3H4H5H6HKDQDJDAD7H"];
    let declarer = "ASJKAHKHQHJHTH9H8HQC";
    let mut hand = deal(Profile::Korean, [declarer, others[0], others[1], rest[0], rest[1]]);
    let buried = answer(&mut hand, "14H - - - -");
    assert!(buried.contains("QC") && !buried.contains('H'), "{buried}");
}

#[test]
fn it_calls_the_best_card_that_somebody_else_can_hold() {
    let table = [
        ("JKAHKHQHJH5HADKDQC2C", "AS", "f:AS"),
        ("ASAHKHQHJH5HADKDQC2C", "JK", "f:JK"),
        ("ASJKKHQHJH5HADKDQC2C", "AH", "f:AH"),
    ];
    for (cards, elsewhere, expected) in table {
        let mut hand = deal(Profile::Ripper, [cards, elsewhere, "", "", ""]);
        let buried = answer(&mut hand, "14H - - - -");
        assert_eq!(answer(&mut hand, &format!("{buried} =14H")), expected, "{cards}");
    }
}

/// Seat 0 declares hearts, calls the ace of spades, and leads; nobody but seat 2 knows that seat 2 holds it.
fn first_trick(plays: &str) -> String {
    let hands = [
        "JKAHKHQHJH9HADKC2C3C",
        "3D8DAC5C7CKSQSJS2H3H",
        "AS4DTDKD8C2S3S4S4H5H",
        "5D9DJCTC6C5S6S7S6H7H",
        "2D7DQDQC9C8S9STS8HTH",
    ];
    // The kitty is 6D JD 4C.
    let mut hand = deal(Profile::Korean, hands);
    answer(&mut hand, &format!("14H - - - - d:6DJD4C =14H f:AS {plays}"))
}

#[test]
fn it_gives_points_to_its_side_and_none_to_the_other() {
    let table = [
        // The friend throws a ten under the declarer's ace, the defender behind it its lowest.
        ("AD 3D", "TD"),
        ("AD 3D 4D 5D", "2D"),
        // A defender's ace has taken the lead: its partner gives it the queen.
        ("2C AC 8C TC", "QC"),
    ];
    for (plays, expected) in table {
        assert_eq!(first_trick(plays), expected, "{plays}");
    }
}

#[test]
fn it_does_not_spend_the_mighty_on_a_trick_that_is_its_own() {
    assert_ne!(first_trick("AH 2H"), "AS");
}

#[test]
fn it_hardly_ever_keeps_the_joker_for_a_last_trick_in_which_it_has_no_power() {
    let rules = Arc::new(Rules::of(Profile::Classic));
    let mut players = BySeat::from_fn(|_| by_name("cautious", 0).unwrap());
    let seed = Seed::new([4; 32]);
    let mut kept = 0;
    let mut played = 0;
    for number in 1..=300 {
        let setup = Setup { dealer: Seat::ALL[4], first_bidder: Seat::ALL[0], pot: 0 };
        let mut hand = Hand::deal(Arc::clone(&rules), &seed.deck(number, 0), setup);
        let outcome = play_out(&mut hand, &mut players).unwrap();
        if matches!(outcome, Outcome::Scored(_)) {
            played += 1;
            let tricks = hand.public().tricks().unwrap();
            kept += u32::from(tricks.taken[9].0.cards().contains(Card::JOKER));
        }
    }
    assert!(played > 200 && kept * 50 < played, "{kept} of {played}");
}
