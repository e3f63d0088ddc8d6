//! Whatever the rules can say comes back from the wire as it was said, over hands of every profile and viewer.

use std::sync::Arc;

use mighty_protocol::decode::{self, Observed, Told};
use mighty_protocol::{encode, v1};
use mighty_rules::{
    BySeat, Card, CardSet, Choices, Event, Hand, Move, Notice, Profile, Rules, Score, Seat, Seed,
    Setup, View, Viewer,
};
use rand::rngs::ChaCha12Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

const HANDS: u8 = 40;

/// Tables that between them reach every option that shows on the wire.
fn tables() -> Vec<Arc<Rules>> {
    let changed: [(Profile, &[(&str, &str)]); 8] = [
        (Profile::Classic, &[]),
        (Profile::Hunter, &[]),
        (Profile::Ripper, &[]),
        (Profile::Korean, &[]),
        (Profile::Classic, &[("exchange.trump_change", "none"), ("exchange.may_raise", "true")]),
        (
            Profile::Ripper,
            &[("auction.all_pass", "second_round_lowered"), ("auction.minimum", "19")],
        ),
        (
            Profile::Hunter,
            &[("auction.all_pass", "dealer_declares"), ("friend.may_reveal", "true")],
        ),
        (
            Profile::Korean,
            &[
                ("deal.miss.at_most", "9"),
                ("friend.calls", r#"["kitty", "first_trick", "card"]"#),
                ("play.joker.first_trick", "powerless"),
            ],
        ),
    ];
    let rules = |(profile, texts): (Profile, &[(&str, &str)])| {
        Arc::new(Rules::with_texts(profile, texts.iter().copied()).expect("these make sense"))
    };
    changed.into_iter().map(rules).collect()
}

fn viewers() -> impl Iterator<Item = Viewer> {
    Seat::ALL.into_iter().map(Viewer::Seat).chain([Viewer::Spectator])
}

/// Plays hands at random at every table, and shows each state to the check: the hand, and what the last move told.
fn on_every_state(mut check: impl FnMut(&Hand, &[Notice])) {
    for (at, rules) in tables().into_iter().enumerate() {
        for number in 0..HANDS {
            let mut dice = ChaCha12Rng::seed_from_u64(u64::from(number) + 1000 * at as u64);
            let deck = Seed::new([number; 32]).deck(1, 0);
            let [dealer, first_bidder] = [number, number / 5].map(|n| Seat::ALL[n as usize % 5]);
            let setup = Setup { dealer, first_bidder, pot: u64::from(number) };
            let mut hand = Hand::deal(rules.clone(), &deck, setup);
            check(&hand, hand.log());
            while let Some(seat) = hand.turn() {
                let choices = hand.choices(seat).expect("the seat on turn has choices");
                let before = hand.log().len();
                hand.apply(seat, any_move(&choices, &mut dice)).expect("an offered move is legal");
                check(&hand, &hand.log()[before..]);
            }
        }
    }
}

/// Any move; in the auction mostly a pass, and the friend shows itself when it may.
fn any_move(choices: &Choices, dice: &mut ChaCha12Rng) -> Move {
    let moves = choices.moves();
    let mut chosen = *moves.choose(dice).expect("there is always a move");
    if let Choices::Call(call) = choices
        && call.may_pass
        && dice.random_bool(0.8)
    {
        chosen = Move::Pass;
    }
    if let (Choices::Play(plays), Move::Play(play)) = (choices, &mut chosen) {
        play.reveals = plays.may_reveal && dice.random_bool(0.3);
    }
    chosen
}

/// A viewer that comes back may have been told any first part of what happened.
#[test]
fn a_view_comes_back_after_every_event() {
    let mut views: Vec<View> = Vec::new();
    on_every_state(|hand, news| {
        if news.len() == hand.log().len() {
            views = viewers().map(|viewer| new_view(hand, viewer)).collect();
        }
        for notice in news {
            let told = |view: &&mut View| notice.audience.includes(view.viewer());
            for view in views.iter_mut().filter(told) {
                view.see(&notice.event);
                let sent = encode::observation(view, 1, 0, &BySeat::default());
                let back = decode::observation(&sent, view.public.rules.clone());
                let mut back = back.unwrap_or_else(|bad| panic!("{bad}: {sent:?}")).view;
                // To its declarer what was buried is no news, so it is not missed before the result.
                if let Event::BuriedShown { .. } = notice.event {
                    back.see(&notice.event);
                }
                assert_eq!(back, *view, "{sent:?}");
            }
        }
    });
}

fn new_view(hand: &Hand, viewer: Viewer) -> View {
    let public = hand.public();
    View::new(public.rules.clone(), public.setup, viewer)
}

#[test]
fn a_view_comes_back_as_it_was() {
    let totals = BySeat([-5, 0, 3, 12, -10].map(Score::halves));
    let mut stages = std::collections::BTreeSet::new();
    on_every_state(|hand, _| {
        for viewer in viewers() {
            let view = hand.view(viewer);
            let sent = encode::observation(&view, 7, 2, &totals);
            stages.insert(sent.stage);
            let back = decode::observation(&sent, view.public.rules.clone());
            assert_eq!(back, Ok(Observed { view, hand: 7, redeal: 2, totals }), "{sent:?}");
        }
    });
    assert_eq!(stages.len(), 6, "every stage was met");
}

#[test]
fn events_come_back_and_fold_to_the_view() {
    let mut kinds = std::collections::HashSet::new();
    let mut seen: Vec<View> = Vec::new();
    on_every_state(|hand, news| {
        if news.len() == hand.log().len() {
            seen = viewers().map(|viewer| new_view(hand, viewer)).collect();
        }
        for notice in news {
            let sent = encode::event(1, notice.event);
            kinds.insert(sent.kind.as_ref().map(std::mem::discriminant));
            assert_eq!(decode::told(&sent), Ok(Told::InHand(notice.event)));
            for (view, viewer) in seen.iter_mut().zip(viewers()) {
                if notice.audience.includes(viewer) {
                    view.see(&notice.event);
                }
            }
        }
        for (view, viewer) in seen.iter().zip(viewers()) {
            assert_eq!(*view, hand.view(viewer));
        }
    });
    assert_eq!(kinds.len(), 22, "every kind of event was met");
}

#[test]
fn choices_and_moves_come_back_as_they_were() {
    on_every_state(|hand, _| {
        let Some(seat) = hand.turn() else { return };
        let choices = hand.choices(seat).expect("the seat on turn has choices");
        let sent = v1::Choices::from(choices);
        assert_eq!(sent.count as usize, choices.moves().len());
        assert_eq!(decode::choices(&sent), Ok(choices));
        for choice in choices.moves() {
            assert_eq!(decode::made(&choice.into()), Ok(choice));
        }
    });
}

#[test]
fn rules_come_back_as_they_were() {
    for rules in tables() {
        let sent = v1::Rules::from(&*rules);
        assert_eq!(decode::rules(&sent), Ok(rules.clone()));
        let other_hash = v1::Rules { hash: "00".to_owned(), ..sent };
        let problem = decode::rules(&other_hash).expect_err("a wrong hash").to_string();
        assert_eq!(problem, format!("Rules.hash: the hash of these rules is {}", rules.hash()));
    }
}

#[test]
fn what_is_no_move_is_refused_with_what_would_be_right() {
    use v1::r#move::Kind;
    let bid = |points, trump| v1::Bid { points, trump };
    let play = |card: &str, says, named_suit| {
        let card = card.parse::<Card>().expect("a card");
        let card = v1::Card::from(card).into();
        Kind::Play(v1::Play { card, says, named_suit, reveals: false })
    };
    let bury = |cards: &str| {
        let cards = mighty_rules::read_cards(cards).expect("cards");
        let cards = cards.into_iter().map(|card| v1::Card::from(card).into()).collect();
        Kind::Bury(v1::Bury { cards })
    };
    let table = [
        (Kind::Bid(bid(0, 1)), "Bid.points: 0; bid from 1 to 20 points"),
        (Kind::Bid(bid(999, 1)), "Bid.points: 999; it is at most 255"),
        (Kind::Bid(bid(14, 0)), "Bid.trump: unset, but it is needed"),
        (Kind::Bid(bid(14, 6)), "Bid.trump: there is no value 6"),
        (bury("2S3S"), "Bury.cards: 2 cards; name 3"),
        (bury("2S3S2S"), "Bury.cards: 2S is there twice; name each card once"),
        (bury("2S3S4S5S"), "Bury.cards: 4 cards; name 3"),
        (
            Kind::Bury(v1::Bury { cards: vec![1, 2, i32::MIN] }),
            "Bury.cards: -2147483648 is no card; cards are 1 (2S) to 53 (JK)",
        ),
        (play("7D", 2, 1), "Play.says: 7D cannot name a suit; only the joker does"),
        (play("7D", 3, 0), "Play.says: 7D cannot name a suit; only the joker does"),
        (
            play("JK", 2, 0),
            "Play.says: SAYS_NAMES_SUIT without a suit; set the suit that the joker names",
        ),
        (
            play("JK", 0, 1),
            "Play.says: a suit is named without SAYS_NAMES_SUIT; say it, or unset the suit",
        ),
        (
            play("3C", 1, 1),
            "Play.says: a suit is named without SAYS_NAMES_SUIT; say it, or unset the suit",
        ),
        (play("JK", 9, 0), "Play.says: there is no value 9"),
        (
            Kind::CallFriend(v1::CallFriend { kind: None }),
            "CallFriend.kind: unset; set exactly one kind of call",
        ),
        (
            Kind::FixContract(v1::FixContract { bid: None, calling_card: 0 }),
            "FixContract.bid: unset, but it is needed",
        ),
    ];
    for (kind, problem) in table {
        let refused = decode::made(&v1::Move { kind: Some(kind) }).expect_err(problem);
        assert_eq!(refused.to_string(), problem);
    }
    let nothing = decode::made(&v1::Move { kind: None }).expect_err("no move");
    assert_eq!(nothing.to_string(), "Move.kind: unset; set exactly one kind of move");
}

/// A bid of too many points is a move, which the rules refuse with the reason of their own.
#[test]
fn a_bid_of_21_is_for_the_rules_to_refuse() {
    let sent = v1::Bid { points: 21, trump: v1::Trump::Hearts.into() };
    let sent = v1::Move { kind: Some(v1::r#move::Kind::Bid(sent)) };
    let read = decode::made(&sent).expect("a move");
    assert_eq!(
        read,
        Move::Bid(mighty_rules::Bid { points: 21, trump: mighty_rules::Trump::ALL[3] })
    );
}

/// An observation in which one field contradicts the others is not believed, and nothing panics.
#[test]
fn an_observation_that_does_not_fit_together_is_refused() {
    let mut dice = ChaCha12Rng::seed_from_u64(3);
    let totals = BySeat::default();
    on_every_state(|hand, _| {
        if !dice.random_bool(0.1) {
            return;
        }
        let view = hand.view(Viewer::Seat(Seat::ALL[dice.random_range(0..5)]));
        let right = encode::observation(&view, 1, 0, &totals);
        let mut wrong = Vec::new();
        let mut change = |change: &dyn Fn(&mut v1::Observation)| {
            let mut changed = right.clone();
            change(&mut changed);
            if changed != right {
                wrong.push(changed);
            }
        };
        change(&|o| o.cards = encode::cards(CardSet::FULL));
        change(&|o| o.cards_held.clear());
        change(&|o| o.stage = 99);
        change(&|o| o.to_act = Some(7));
        change(&|o| o.contract = None);
        change(&|o| o.tricks.extend(o.tricks.clone()));
        change(&|o| o.tricks.iter_mut().for_each(|trick| trick.cards.extend(trick.cards.clone())));
        change(&|o| o.tricks.iter_mut().for_each(|trick| trick.winner = Some(4)));
        change(&|o| o.tricks.iter_mut().for_each(|trick| trick.joker_has_power ^= true));
        change(&|o| o.seat = Some(9));
        change(&|o| o.friend = None);
        change(&|o| o.totals_half_points.push(1));
        for wrong in wrong {
            let read = decode::observation(&wrong, view.public.rules.clone());
            assert!(read.is_err(), "{wrong:?}");
        }
    });
}
