//! Hands told in card notation: friends, weak hands, burials and default moves.

mod support;

use mighty_rules::*;
use support::{cards, deal, finish_by_default, make, refusal, rules};

/// Nobody is weak here; the kitty is 2C 6D 2H. Seat 0 deals, seat 1 speaks first.
const DEAL: [&str; 5] = [
    "AS KD QD 5D 4D 9H 8H 3C 7C 6S",
    "JK KS QS 2D 3D TH 7H 4C 5C 9S",
    "AD JD AC KC 6H 5H 4S 3S 8C 7D",
    "AH KH QH JH 2S 5S 6C 9C 8D TD",
    "JS TS 8S 7S QC JC TC 9D 4H 3H",
];

/// Seat 2 holds no point card, seat 4 only the joker.
const WEAK: [&str; 5] = [
    "AS KS QS JS TS AC KC QC JC TC",
    "AD KD QD JD TD AH KH QH JH TH",
    "2S 3S 4S 2C 3C 4C 2D 3D 4D 2H",
    "5S 6S 7S 5C 6C 7C 5D 6D 7D 9S",
    "JK 3H 4H 5H 6H 7H 8H 9H 8C 8D",
];

const SEATS: [Seat; 5] = Seat::ALL;

fn view(hand: &Hand, seat: usize) -> View {
    hand.view(Viewer::Seat(SEATS[seat]))
}

fn told(hand: &Hand, seat: usize) -> usize {
    let viewer = Viewer::Seat(SEATS[seat]);
    hand.log().iter().filter(|notice| notice.audience.includes(viewer)).count()
}

fn result(hand: &Hand) -> HandResult {
    match hand.outcome() {
        Some(Outcome::Scored(result)) => result,
        other => panic!("the hand was not played: {other:?}"),
    }
}

/// Seat 3 is declarer with hearts, has buried, and its contract is fixed.
fn hearts_by_seat_3(overrides: &str) -> Hand {
    let mut hand = deal(rules(Profile::Korean, overrides), DEAL);
    make(&mut hand, "- - 14H - - d:2S5S2C =14H");
    hand
}

#[test]
fn the_friend_knows_at_once_and_the_others_when_the_called_card_falls() {
    let mut hand = hearts_by_seat_3("");
    make(&mut hand, "f:AS");
    let known = |hand: &Hand| [0, 1, 2, 3, 4].map(|seat| view(hand, seat).friend());
    let mut expected = [Friend::Hidden; 5];
    expected[0] = Friend::Seat(SEATS[0]);
    assert_eq!(known(&hand), expected);
    make(&mut hand, "2H 3H AS");
    assert_eq!(known(&hand), [Friend::Seat(SEATS[0]); 5]);
    finish_by_default(&mut hand);
    let result = result(&hand);
    assert_eq!((result.declarer, result.friend), (SEATS[3], Some(SEATS[0])));
    let tricks = hand.public().tricks().expect("it was played");
    let ours = tricks.captured[SEATS[3]].or(tricks.captured[SEATS[0]]);
    assert!(tricks.captured[SEATS[0]].points() > 0, "the friend took points");
    assert_eq!(result.taken, ours.points() + cards("2S 5S 2C").points());
}

#[test]
fn a_called_card_that_is_the_declarers_own_or_buried_is_a_secret_game_alone() {
    for (call, falls) in [("f:AH", "AH"), ("f:5S", "2H")] {
        let mut hand = hearts_by_seat_3("");
        make(&mut hand, call);
        assert_eq!(view(&hand, 3).friend(), Friend::Nobody, "the declarer knows");
        for seat in [0, 1, 2, 4] {
            assert_eq!(view(&hand, seat).friend(), Friend::Hidden, "the others do not");
        }
        make(&mut hand, falls);
        let public = hand.public().tricks().map(|tricks| tricks.friend);
        let expected = if call == "f:AH" { Friend::Nobody } else { Friend::Hidden };
        assert_eq!(public, Some(expected), "{call}");
        finish_by_default(&mut hand);
        assert_eq!(result(&hand).friend, None);
        assert_eq!(result(&hand).scores.0.into_iter().sum::<Score>(), Score::ZERO);
    }
}

#[test]
fn the_friend_may_reveal_itself_once_where_the_rules_have_it() {
    let mut hand = hearts_by_seat_3("friend.may_reveal true");
    make(&mut hand, "f:AS 2H");
    assert!(refusal(&hand, "3H+").contains("nobody can reveal itself"), "seat 4 is no friend");
    make(&mut hand, "3H 8H+");
    let public = hand.public().tricks().map(|tricks| tricks.friend);
    assert_eq!(public, Some(Friend::Seat(SEATS[0])));
    make(&mut hand, "TH 6H");
    assert_eq!(hand.turn(), Some(SEATS[1]), "the ten of hearts took the trick");
    make(&mut hand, "2D 7D 8D 9D");
    assert!(refusal(&hand, "4D+").contains("nobody can reveal itself"), "it is known already");

    let mut strict = hearts_by_seat_3("");
    make(&mut strict, "f:AS 2H 3H");
    assert!(refusal(&strict, "8H+").contains("nobody can reveal itself"), "not in these rules");
}

#[test]
fn the_friend_of_the_first_trick_is_who_takes_it() {
    let calls = "friend.calls [\"first_trick\"]";
    let mut taken_by_2 = hearts_by_seat_3(calls);
    make(&mut taken_by_2, "f:1st TD 9D KD 2D AD");
    assert_eq!(view(&taken_by_2, 4).friend(), Friend::Seat(SEATS[2]));
    let mut taken_by_declarer = hearts_by_seat_3(calls);
    make(&mut taken_by_declarer, "f:1st AH 3H 8H 7H 5H");
    assert_eq!(view(&taken_by_declarer, 4).friend(), Friend::Nobody);
    finish_by_default(&mut taken_by_declarer);
    assert_eq!(result(&taken_by_declarer).friend, None);
}

#[test]
fn a_marked_card_is_heard_as_kitty_and_is_no_announced_game_alone() {
    let overrides = "friend.calls [\"none\",\"kitty\"], scoring.doubles [\"no_friend\"]";
    let mut marked = hearts_by_seat_3(overrides);
    assert!(refusal(&marked, "f:kitty:AH").contains("mark one of 2S5S2C"));
    assert!(refusal(&marked, "f:AS").contains("nobody (f:none), a buried card (f:kitty:2C)"));
    make(&mut marked, "f:kitty:5S");
    let tricks = marked.public().tricks().expect("the tricks have begun");
    assert_eq!((tricks.call, tricks.friend), (HeardCall::Kitty, Friend::Nobody));
    finish_by_default(&mut marked);
    let shown = marked.public().tricks().and_then(|tricks| tricks.buried);
    assert_eq!(shown, Some((cards("2S 5S 2C"), Some("5S".parse().expect("a card")))));
    assert_eq!((result(&marked).friend, result(&marked).factor), (None, 1));

    let mut announced = hearts_by_seat_3(overrides);
    make(&mut announced, "f:none");
    finish_by_default(&mut announced);
    assert_eq!(result(&announced).factor, 2);
}

#[test]
fn a_lead_is_asked_for_with_20_no_trump_only() {
    let mut hand = deal(rules(Profile::Hunter, "deal.miss null"), DEAL);
    make(&mut hand, "20N d:2D3D4C");
    make(&mut hand.clone(), "f:AS>D");
    assert_eq!(hand.choices(SEATS[1]).map(|choices| choices.count()), Some(53 * 5 + 2));
    let mut lower = deal(rules(Profile::Hunter, "deal.miss null"), DEAL);
    make(&mut lower, "19N - - - - d:2D3D4C =19N");
    assert!(refusal(&lower, "f:AS>D").contains("only with 20 no trump"));
    assert_eq!(lower.choices(SEATS[1]).map(|choices| choices.count()), Some(53 + 2));
    make(&mut hand, "f:AS>D");
    let heard = hand.public().tricks().map(|tricks| tricks.call.to_string());
    assert_eq!(heard.as_deref(), Some("f:AS>D"));
}

#[test]
fn the_calling_card_may_be_led_with_and_without_calling() {
    let mut hand = deal(rules(Profile::Hunter, "deal.miss null"), DEAL);
    make(&mut hand, "- - - - 13D d:7C6S2C =13D f:JK");
    assert!(refusal(&hand, "3C!").contains("cannot call the joker here"), "not in the first trick");
    make(&mut hand, "AS 9S 3S 2S 7S");
    let mut quiet = hand.clone();
    make(&mut quiet, "3C 4C");
    make(&mut hand, "3C!");
    assert!(refusal(&hand, "4C").contains("the joker is called: play JK"));
    make(&mut hand, "JK 8C 6C TC");
    assert_eq!(hand.turn(), Some(SEATS[4]), "the called joker lost to the ten of clubs");
}

#[test]
fn a_lead_that_always_calls_does_not_tell_whether_its_leader_holds_the_joker() {
    let with_joker = ["AS KD QD 5D 4D 9H 8H 4C 7C 6S", "JK KS QS 2D 3D TH 7H 3C 5C 9S"];
    let without = ["JK KD QD 5D 4D 9H 8H 4C 7C 6S", "AS KS QS 2D 3D TH 7H 3C 5C 9S"];
    let heard = [with_joker, without].map(|[dealer, leader]| {
        let hands = [dealer, leader, DEAL[2], DEAL[3], DEAL[4]];
        let mut hand = deal(rules(Profile::Korean, "exchange.kitty_face_up true"), hands);
        make(&mut hand, "14S - - - - d:2D3D2C =14S f:AD 3C");
        let heard = hand.log().iter().filter(|notice| notice.audience.includes(Viewer::Spectator));
        heard.copied().collect::<Vec<_>>()
    });
    assert_eq!(heard[0], heard[1]);
}

#[test]
fn three_different_cards_of_the_thirteen_are_buried() {
    let mut hand = deal(rules(Profile::Korean, ""), DEAL);
    make(&mut hand, "- - 14H - -");
    for (wrong, why) in [
        ("d:2C2C2C", "three cards to bury"),
        ("d:2C6D", "three cards to bury"),
        ("d:2C6D2H2S", "three cards to bury"),
        ("d:2C6DJK", "JK is not among the cards to bury from"),
        ("=14H", "three cards to bury"),
    ] {
        assert!(refusal(&hand, wrong).contains(why), "{wrong}: {}", refusal(&hand, wrong));
    }
    let (held, _, _) = hand.whereabouts();
    assert_eq!(held[SEATS[3]].len(), 13);
    make(&mut hand, "d:TD2H6D");
    let (held, _, buried) = hand.whereabouts();
    assert_eq!(held[SEATS[3]], cards("AH KH QH JH 2S 5S 6C 9C 8D 2C"));
    assert_eq!(buried, cards("TD 2H 6D"));
}

#[test]
fn only_weak_hands_are_asked_and_only_a_claim_is_public() {
    let mut hand = deal(rules(Profile::Korean, ""), WEAK);
    assert_eq!((hand.turn(), hand.stage()), (Some(SEATS[2]), Some(Stage::WeakHand)));
    assert_eq!(hand.public().to_act(), Some(SEATS[1]), "for all the others the auction is open");
    assert_eq!(hand.choices(SEATS[1]), None, "but its first bidder waits");
    let before = [0, 1, 3].map(|seat| (view(&hand, seat), told(&hand, seat)));
    make(&mut hand, "=");
    assert_eq!(hand.turn(), Some(SEATS[3]), "asked in auction order");
    assert_eq!(before[0], (view(&hand, 0), told(&hand, 0)), "nobody hears who was asked and kept");
    assert_eq!(before[1], (view(&hand, 1), told(&hand, 1)));
    make(&mut hand, "=");
    assert_eq!(hand.turn(), Some(SEATS[4]));
    make(&mut hand, "x");
    let void = Void {
        why: VoidReason::DealMiss { seat: SEATS[4], cards: cards(WEAK[4]) },
        next_dealer: SEATS[0],
    };
    assert_eq!(hand.outcome(), Some(Outcome::Void(void)));
    assert_eq!(hand.log().last().map(|notice| notice.audience), Some(Audience::Everyone));
}

#[test]
fn a_weak_hand_is_thrown_in_instead_of_the_first_call_or_never() {
    let mut hand = deal(rules(Profile::Hunter, ""), WEAK);
    assert!(refusal(&hand, "x").contains("only a weak hand"), "seat 1 has ten point cards");
    make(&mut hand, "13H");
    let mut claimed = hand.clone();
    make(&mut claimed, "x");
    let Some(Outcome::Void(void)) = claimed.outcome() else { panic!("it was thrown in") };
    assert_eq!(void.next_dealer, SEATS[2], "the claimant deals");
    make(&mut hand, "14S - - - 15H");
    assert!(refusal(&hand, "x").contains("instead of a seat's first call"), "it has bid");
    make(&mut hand, "16S -");
    assert!(refusal(&hand, "x").contains("three cards to bury"), "a declarer throws nothing in");

    let mut again = deal(rules(Profile::Hunter, "auction.all_pass second_round"), WEAK);
    make(&mut again, "- - - - - -");
    assert!(refusal(&again, "x").contains("only a weak hand"), "not in a second round");
}

#[test]
fn what_weighs_how_much() {
    let hunter = Rules::of(Profile::Hunter);
    let korean = Rules::of(Profile::Korean);
    let table = [
        // hand, weak for hunter (a ten is half), weak for korean (one ten is too much)
        ("2S 3S 4S 2C 3C 4C 2D 3D 4D 2H", true, true),
        ("TS 3S 4S 2C 3C 4C 2D 3D 4D 2H", true, false),
        ("TS TC 4S 2C 3C 4C 2D 3D 4D 2H", false, false),
        ("JS 3S 4S 2C 3C 4C 2D 3D 4D 2H", false, false),
        ("AS 3S 4S 2C 3C 4C 2D 3D 4D 2H", true, true),
        ("AD 3S 4S 2C 3C 4C 2D 3D 4C 2H", false, false),
        ("JK JS 4S 2C 3C 4C 2D 3D 4D 2H", true, true),
        ("JK JS TS 2C 3C 4C 2D 3D 4D 2H", true, false),
    ];
    for (hand, for_hunter, for_korean) in table {
        let weak = [&hunter, &korean]
            .map(|rules| is_weak(cards(hand), rules.deal.miss.as_ref().expect("both have terms")));
        assert_eq!(weak, [for_hunter, for_korean], "{hand}");
    }
}

#[test]
fn who_deals_next() {
    for (next_dealer, call, expected) in [
        ("clockwise", "f:AS", 1),
        ("friend", "f:AS", 0),
        ("friend", "f:none", 3),
        ("declarer", "f:AS", 3),
    ] {
        let mut hand = hearts_by_seat_3(&format!("deal.next_dealer {next_dealer}"));
        make(&mut hand, call);
        finish_by_default(&mut hand);
        assert_eq!(result(&hand).next_dealer, SEATS[expected], "{next_dealer} {call}");
    }
}

#[test]
fn the_default_moves() {
    const DECLARED: &str =
        "play.joker_call.card declared, play.joker_call.card_when_clubs_trump declared";
    let table = [
        ("", WEAK, "", "=", "a weak hand is kept"),
        ("", DEAL, "", "-", "pass"),
        ("auction.all_pass dealer_opens", DEAL, "- - - -", "14D", "the longest suit"),
        ("", DEAL, "- - 14H - -", "d:2S5S2C", "the lowest that are no trumps or points"),
        ("", DEAL, "- - 14H - - d:2S5S2C", "=14H", "the contract as bid"),
        (DECLARED, DEAL, "- - 14H - - d:2S5S2C", "=14H?2S", "the lowest calling card"),
        (
            "auction.all_pass dealer_declares",
            DEAL,
            "- - - - - d:3C7C6S",
            "=13D",
            "the fewest points in the longest suit",
        ),
        ("", DEAL, "- - 14H - - d:2S5S2C =14H", "f:AS", "the Mighty"),
        ("", DEAL, "- - - - 14D d:3C7C6S =14D", "f:JK", "it is held: the joker"),
        ("", DEAL, "14S - - - - d:2D3D4C =14S", "f:AD", "spades: the Mighty is AD"),
        (
            "friend.calls [\"none\",\"first_trick\"]",
            DEAL,
            "- - 14H - - d:2S5S2C =14H",
            "f:none",
            "the first kind allowed",
        ),
        (
            "friend.calls [\"kitty\",\"none\"]",
            DEAL,
            "- - 14H - - d:2S5S2C =14H",
            "f:kitty:2S",
            "the lowest buried card",
        ),
        ("", DEAL, "- - 14H - - d:2S5S2C =14H f:AS", "2H", "the lowest card"),
        ("", DEAL, "- - 14H - - d:2S5S2C =14H f:AS TD 9D", "4D", "of those that follow"),
        ("", DEAL, "- - 14H - - d:2S5S2C =14H f:AS TD 9D 5D 3D", "7D", "sparing point cards"),
    ];
    for (overrides, hands, moves, expected, why) in table {
        let mut hand = deal(rules(Profile::Korean, overrides), hands);
        make(&mut hand, moves);
        let seat = hand.turn().expect("the hand goes on");
        let default = hand.default_move(seat).map(|default| default.to_string());
        assert_eq!(default.as_deref(), Some(expected), "{why}: {moves}");
    }
}
