//! Auctions and what the contract costs, in tables.

mod support;

use mighty_rules::*;
use support::{make, refusal, rules};

/// A hand of a fixed deck. Seat 0 deals, seat 1 speaks first.
fn auction(profile: Profile, overrides: &str, calls: &str) -> Hand {
    let rules = rules(profile, overrides);
    let deck = Deck::new(&CardSet::FULL.iter().collect::<Vec<_>>()).expect("it is whole");
    let setup = Setup { dealer: Seat::ALL[0], first_bidder: Seat::ALL[1], pot: 0 };
    let mut hand = Hand::deal(rules, &deck, setup);
    make(&mut hand, calls);
    hand
}

/// How far it has come, in words.
fn state(hand: &Hand) -> String {
    match (hand.public().won(), hand.outcome(), hand.turn()) {
        (Some(won), _, _) => match won.with {
            WinningBid::Bid(bid) => format!("{bid} by {}", won.declarer),
            WinningBid::DealerDeclares { points } => {
                format!("{} must declare {points}", won.declarer)
            }
        },
        (None, Some(Outcome::Void(void)), _) => format!("void, {} deals", void.next_dealer),
        (None, _, Some(seat)) => format!("{seat} speaks"),
        (None, Some(Outcome::Scored(_)) | None, None) => panic!("an auction ends otherwise"),
    }
}

#[test]
fn how_an_auction_goes() {
    use Profile::{Classic, Hunter, Korean, Ripper};
    const NO_MISS: &str = "deal.miss null, ";
    let table = [
        (Ripper, "", "", "1 speaks"),
        (Ripper, "", "- - - -", "0 speaks"),
        (Ripper, "", "- - - - 13S", "13S by 0"),
        (Ripper, "", "13S - - -", "0 speaks"),
        (Ripper, "", "13S - - - -", "13S by 1"),
        (Ripper, "", "13S - 14S - - 15S", "3 speaks"),
        (Ripper, "", "13S - 14S - - 15S -", "15S by 1"),
        // A suit bid of 20 may still be beaten by no trump, where the ranking says so.
        (Ripper, "", "20S", "2 speaks"),
        (Ripper, "", "20S 20N", "20N by 2"),
        (Classic, "", "20D - 20H", "4 speaks"),
        (Classic, "", "20N", "20N by 1"),
        (Korean, NO_MISS, "20S", "20S by 1"),
        // A pass that is not final: four in a row after a bid.
        (Classic, "", "- 13C - - - 13D", "2 speaks"),
        (Classic, "", "- 13C - - - 13D - - -", "0 speaks"),
        (Classic, "", "- 13C - - - 13D - - - -", "13D by 1"),
        (Classic, "", "- - - -", "0 speaks"),
        // Nobody bids.
        (Classic, "", "- - - - -", "void, 1 deals"),
        (Korean, NO_MISS, "- - - - -", "void, 0 deals"),
        (Ripper, "", "- - - - -", "1 speaks"),
        (Ripper, "", "- - - - - - - - - -", "void, 0 deals"),
        (Ripper, "", "- - - - - - 13S - - -", "13S by 2"),
        (Ripper, "auction.all_pass second_round_lowered", "- - - - - - 12N", "12N by 2"),
        (Ripper, "auction.all_pass second_round_lowered", "- - - - - - - - - -", "void, 0 deals"),
        (Ripper, "auction.all_pass dealer_opens", "- - - - 13H", "13H by 0"),
        (Ripper, "auction.all_pass dealer_declares", "- - - - -", "0 must declare 12"),
        (Hunter, "deal.miss null, auction.pass_is_final false", "- - - - - ", "void, 0 deals"),
    ];
    for (profile, overrides, calls, expected) in table {
        let overrides = overrides.strip_suffix(", ").unwrap_or(overrides);
        assert_eq!(state(&auction(profile, overrides, calls)), expected, "{profile}: {calls}");
    }
}

#[test]
fn what_may_be_called() {
    let lowered = auction(Profile::Ripper, "auction.all_pass second_round_lowered", "- - - - -");
    assert!(refusal(&lowered, "13S").contains("only 12 points"));
    let opening = auction(Profile::Ripper, "auction.all_pass dealer_opens", "- - - -");
    assert!(refusal(&opening, "-").contains("may not pass"));
    assert!(refusal(&opening, "x").contains("weak hand"));
    assert!(!refusal(&opening, "12S").contains("pass"), "what is advised is allowed");
    let bid = auction(Profile::Ripper, "", "15D");
    for (call, why) in
        [("15H", "too low"), ("12N", "too low"), ("21N", "at most 20"), ("=15D", "no move here")]
    {
        assert!(refusal(&bid, call).contains(why), "{call}");
    }
    make(&mut bid.clone(), "15N");
    let highest = auction(Profile::Ripper, "", "20D");
    assert!(refusal(&highest, "20H").contains("cannot be beaten with this trump"));
    let discounted = auction(Profile::Ripper, "auction.no_trump_discount 1", "");
    make(&mut discounted.clone(), "12N 13S");
    assert!(refusal(&discounted, "12S").contains("from 13"));
    assert!(refusal(&discounted, "11N").contains("from 12"));
}

#[test]
fn what_the_contract_costs() {
    const RAISE: &str = "exchange.trump_change raise, exchange.suit_change_raise 2, exchange.no_trump_change_raise 1";
    const CAPPED: &str = ", exchange.raise_capped true";
    let table = [
        // rules, bid, contracts as spades, clubs, diamonds, hearts, no trump
        ("exchange.trump_change none".to_owned(), "15S", "15 - - - -"),
        ("exchange.trump_change free".to_owned(), "15S", "15 15 15 15 15"),
        (RAISE.to_owned(), "15S", "15 17 17 17 16"),
        (RAISE.to_owned(), "15N", "17 17 17 17 15"),
        (RAISE.to_owned(), "18S", "18 20 20 20 19"),
        (RAISE.to_owned(), "19S", "19 - - - 20"),
        (RAISE.to_owned(), "20S", "20 - - - -"),
        (RAISE.to_owned(), "19N", "- - - - 19"),
        (format!("{RAISE}{CAPPED}"), "18S", "18 20 20 20 19"),
        (format!("{RAISE}{CAPPED}"), "19S", "19 20 20 20 20"),
        (format!("{RAISE}{CAPPED}"), "20S", "20 - - - 20"),
        (format!("{RAISE}{CAPPED}"), "20N", "- - - - 20"),
        (format!("{RAISE}{CAPPED}, exchange.suit_change_raise 0"), "20S", "20 20 20 20 20"),
        (format!("{RAISE}, exchange.no_trump_change_raise 0"), "20S", "20 - - - 20"),
        (
            "exchange.trump_change free, exchange.may_raise true".to_owned(),
            "15S",
            "15+ 15+ 15+ 15+ 15+",
        ),
        ("exchange.trump_change none, exchange.may_raise true".to_owned(), "20S", "20 - - - -"),
        (
            format!("{RAISE}, auction.no_trump_discount 1, exchange.suit_change_raise 0"),
            "12N",
            "12 12 12 12 12",
        ),
    ];
    for (overrides, bid, expected) in table {
        let rules = rules(Profile::Ripper, &overrides);
        let won = WinningBid::Bid(bid.parse().expect("a bid"));
        assert_eq!(contracts(won, &rules), expected, "{overrides}: {bid}");
    }
    let declares = WinningBid::DealerDeclares { points: 12 };
    assert_eq!(contracts(declares, &rules(Profile::Ripper, RAISE)), "12 12 12 12 12");
    assert_eq!(contracts(declares, &rules(Profile::Hunter, "")), "12+ 12+ 12+ 12+ 12+");
}

/// The fewest points for each trump, with `+` where more may be had.
fn contracts(won: WinningBid, rules: &Rules) -> String {
    let choices = ContractChoices::of(won, rules);
    let words = Trump::ALL.map(|trump| match choices.range(trump) {
        None => "-".to_owned(),
        Some((low, high)) if low == high => low.to_string(),
        Some((low, high)) => {
            assert_eq!(high, 20);
            format!("{low}+")
        }
    });
    words.join(" ")
}

#[test]
fn the_contract_is_asked_only_where_there_is_something_to_choose() {
    let after_burial = |profile, overrides| {
        let mut hand = auction(profile, overrides, "15S - - - -");
        let burial = hand.default_move(Seat::ALL[1]).expect("the declarer buries");
        make(&mut hand, &burial.to_string());
        hand.stage()
    };
    let table = [
        (Profile::Ripper, "exchange.trump_change none", Stage::FriendCall),
        (Profile::Ripper, "exchange.trump_change none, exchange.may_raise true", Stage::Contract),
        (Profile::Ripper, "", Stage::Contract),
        (
            Profile::Ripper,
            "exchange.trump_change none, play.joker_call.card declared, play.joker_call.card_when_clubs_trump declared",
            Stage::Contract,
        ),
    ];
    for (profile, overrides, stage) in table {
        assert_eq!(after_burial(profile, overrides), Some(stage), "{overrides}");
    }
}
