//! What a viewer may not know does not reach it: two worlds that differ only in what is hidden from a viewer look the
//! same to it, in its events, its view and the reasons why its moves are refused.
//!
//! A hand is played at random. At some moment of it, for some viewer, two hidden cards change places, and the same
//! moves are made again in the new world. Where they are legal, the rules do not let the viewer tell the worlds apart,
//! so nothing that it hears may.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use mighty_rules::*;
use support::{Dice, Players, Table, all_sorts_of_moves, any_rules, viewers};

/// How a hand was dealt, and what was done since.
#[derive(Clone)]
struct World {
    table: Table,
    moves: Vec<(Seat, Move)>,
}

/// Two cards that change places: where they were dealt, in the moves that hide them, or in both.
#[derive(Clone, Copy, Debug)]
struct Exchange {
    one: Card,
    other: Card,
    in_the_deck: bool,
    in_the_burial: bool,
}

impl Exchange {
    fn card(self, card: Card) -> Card {
        match card {
            _ if card == self.one => self.other,
            _ if card == self.other => self.one,
            _ => card,
        }
    }

    fn hidden_move(self, wanted: Move) -> Move {
        match wanted {
            Move::Bury(burial) => {
                let cards = burial.cards().iter().map(|card| self.card(card)).collect();
                Move::Bury(Burial::new(cards).expect("different cards stay different"))
            }
            Move::CallFriend(FriendCall::Kitty(card)) => {
                Move::CallFriend(FriendCall::Kitty(self.card(card)))
            }
            Move::ThrowIn
            | Move::Keep
            | Move::Pass
            | Move::Bid(_)
            | Move::FixContract(_)
            | Move::CallFriend(_)
            | Move::Play(_) => wanted,
        }
    }

    fn in_world(self, world: &World) -> World {
        let mut world = world.clone();
        if self.in_the_deck {
            let cards = world.table.deck.cards().map(|card| self.card(card));
            world.table.deck = Deck::new(&cards).expect("the cards are the same");
        }
        if self.in_the_burial {
            for (_, wanted) in &mut world.moves {
                *wanted = self.hidden_move(*wanted);
            }
        }
        world
    }
}

fn heard(hand: &Hand, viewer: Viewer) -> Vec<Notice> {
    hand.log().iter().copied().filter(|notice| notice.audience.includes(viewer)).collect()
}

/// The cards that the viewer was shown, wherever they are.
fn cards_shown(hand: &Hand, viewer: Viewer) -> CardSet {
    let shown_by = |event: Event| match event {
        Event::Dealt { cards, .. }
        | Event::KittyShown { cards }
        | Event::KittyTaken { cards }
        | Event::BuriedCards { cards }
        | Event::BuriedShown { cards, .. }
        | Event::HandVoid { void: Void { why: VoidReason::DealMiss { cards, .. }, .. } } => cards,
        Event::CardPlayed { card, .. } => CardSet::only(card.card()),
        Event::AskedToKeep { .. }
        | Event::Kept { .. }
        | Event::AuctionOpened
        | Event::Passed { .. }
        | Event::BidMade { .. }
        | Event::AuctionAgain { .. }
        | Event::AuctionWon { .. }
        | Event::Buried
        | Event::ContractFixed { .. }
        | Event::FriendCalled { .. }
        | Event::KittyMarked { .. }
        | Event::FriendTold { .. }
        | Event::FriendRevealed { .. }
        | Event::TrickTaken { .. }
        | Event::HandScored { .. }
        | Event::HandVoid { void: Void { why: VoidReason::AllPassed, .. } } => CardSet::EMPTY,
    };
    let heard = heard(hand, viewer).into_iter();
    heard.fold(CardSet::EMPTY, |shown, notice| shown.or(shown_by(notice.event)))
}

/// Two cards of which the viewer cannot know that they changed places.
fn hidden_exchange(
    world: &World,
    hand: &Hand,
    viewer: Viewer,
    dice: &mut Dice,
) -> Option<Exchange> {
    let (held, _, aside) = hand.whereabouts();
    let others_exchange = hand.public().won().filter(|won| viewer != Viewer::Seat(won.declarer));
    let is_over = hand.outcome().is_some();
    match (dice.below(3), others_exchange) {
        // Whether a declarer was dealt a card or took it from the kitty, unless all saw the kitty.
        (0, Some(won)) if won.kitty.is_none() => {
            let dealer = world.table.setup.dealer;
            let dealt = world.table.deck.deal(world.table.rules.deal.pattern, dealer);
            let one = dice.card_of(dealt[won.declarer]);
            let other = dice.card_of(world.table.deck.kitty());
            Some(Exchange { one, other, in_the_deck: true, in_the_burial: false })
        }
        // Which of the cards that it has not played it buried.
        (1, Some(won)) if !is_over && !aside.is_empty() && !held[won.declarer].is_empty() => {
            let (one, other) = (dice.card_of(aside), dice.card_of(held[won.declarer]));
            Some(Exchange { one, other, in_the_deck: false, in_the_burial: true })
        }
        // Where any cards are that the viewer was not shown.
        _ => {
            let hidden = CardSet::FULL.minus(cards_shown(hand, viewer));
            if hidden.len() < 2 {
                return None;
            }
            let told_of = hand.public().tricks().map_or(CardSet::EMPTY, cards_that_matter);
            let from = if dice.one_in(2) { hidden.and(told_of) } else { hidden };
            let one = dice.card_of(if from.is_empty() { hidden } else { from });
            let other = dice.card_of(hidden.without(one));
            Some(Exchange { one, other, in_the_deck: true, in_the_burial: true })
        }
    }
}

/// The cards whose whereabouts tell most: the joker, its calling card, the Mighty and the called card.
fn cards_that_matter(tricks: &Tricks) -> CardSet {
    let called = match tricks.call {
        HeardCall::Card { card, .. } => CardSet::only(card),
        HeardCall::FirstTrick | HeardCall::Nobody | HeardCall::Kitty => CardSet::EMPTY,
    };
    called.with(Card::JOKER).with(tricks.contract.mighty).with(tricks.contract.calling_card)
}

/// The same moves in a world that was dealt otherwise, up to the moment at which the viewer heard as much; `None` where
/// they are not legal there. Who else is asked about a weak hand may differ; those seats keep it, as far as the viewer
/// knows.
fn relive(world: &World, viewer: Viewer, moment: &Hand) -> Option<Hand> {
    let mut hand = world.table.deal();
    let keep = |hand: &mut Hand| {
        let asked = hand.turn().filter(|asked| viewer != Viewer::Seat(*asked))?;
        hand.apply(asked, Move::Keep).ok().map(|_| ())
    };
    let asks = |hand: &Hand| hand.stage() == Some(Stage::WeakHand);
    for &(seat, wanted) in &world.moves {
        if wanted == Move::Keep && viewer != Viewer::Seat(seat) {
            continue;
        }
        let answers = matches!(wanted, Move::Keep | Move::ThrowIn);
        while asks(&hand) && !(answers && hand.turn() == Some(seat)) {
            keep(&mut hand)?;
        }
        hand.apply(seat, wanted).ok()?;
    }
    let as_much = heard(moment, viewer).len();
    while asks(&hand) && heard(&hand, viewer).len() < as_much {
        keep(&mut hand)?;
    }
    // While others are asked, the viewer may know that it was not yet: such worlds differ by rule.
    let is_ahead = asks(moment) && heard(&hand, viewer).len() > as_much;
    (!is_ahead).then_some(hand)
}

/// The viewer hears, sees and is refused the same in both worlds, to the letter.
fn assert_same_for(viewer: Viewer, one: &Hand, other: &Hand, dice: &mut Dice) {
    let (heard_here, heard_there) = (heard(one, viewer), heard(other, viewer));
    assert_eq!(heard_here, heard_there);
    assert_eq!(format!("{heard_here:?}"), format!("{heard_there:?}"));
    let (view_here, view_there) = (one.view(viewer), other.view(viewer));
    assert_eq!(view_here, view_there);
    assert_eq!(format!("{view_here:?}"), format!("{view_there:?}"));
    let Viewer::Seat(seat) = viewer else { return };
    assert_eq!(one.choices(seat), other.choices(seat));
    assert_eq!(one.default_move(seat), other.default_move(seat));
    let all_sorts = all_sorts_of_moves(dice);
    for _ in 0..25 {
        let wanted = dice.pick(&all_sorts);
        let (here, there) = (one.check(seat, &wanted), other.check(seat, &wanted));
        assert_eq!(here, there, "{wanted}");
        assert_eq!(format!("{here:?}"), format!("{there:?}"));
    }
    let garbage = |hand: &Hand| hand.clone().apply_text(seat, "9X").map(<[Notice]>::to_vec);
    assert_eq!(garbage(one), garbage(other));
}

/// How often the hidden cards were dealt otherwise, by the stage they were in.
type Counts = BTreeMap<&'static str, usize>;

fn stage_name(hand: &Hand) -> &'static str {
    match (hand.stage(), hand.outcome()) {
        (Some(Stage::WeakHand), _) => "weak hand",
        (Some(Stage::Auction), _) => "auction",
        (Some(Stage::Exchange), _) => "exchange",
        (Some(Stage::Contract), _) => "contract",
        (Some(Stage::FriendCall), _) => "friend call",
        (Some(Stage::Play), _) => "play",
        (None, Some(Outcome::Void(_))) => "void",
        (None, Some(Outcome::Scored(_)) | None) => "scored",
    }
}

/// Plays a random hand, and deals otherwise at many of its moments what each viewer does not know.
fn deal_otherwise(rules: Arc<Rules>, dice: &mut Dice, counts: &mut Counts) {
    let players = Players::new(dice);
    let table = Table::of(rules, dice);
    let mut hand = table.deal();
    let mut world = World { table, moves: Vec::new() };
    loop {
        let in_play = hand.stage() == Some(Stage::Play);
        if !in_play || dice.one_in(4) {
            for viewer in viewers() {
                let exchanges: Vec<Exchange> =
                    (0..3).filter_map(|_| hidden_exchange(&world, &hand, viewer, dice)).collect();
                for exchange in exchanges {
                    let Some(other) = relive(&exchange.in_world(&world), viewer, &hand) else {
                        continue;
                    };
                    if other != hand {
                        assert_same_for(viewer, &hand, &other, dice);
                        *counts.entry(stage_name(&hand)).or_default() += 1;
                    }
                }
            }
        }
        let Some(seat) = hand.turn() else { return };
        let wanted = players.choose(&hand, dice);
        hand.apply(seat, wanted).expect("it was offered");
        world.moves.push((seat, wanted));
    }
}

fn assert_reached(counts: &Counts, least: usize, stages: &[&str]) {
    for stage in stages {
        assert!(counts.get(stage).is_some_and(|times| *times >= least), "{stage}: {counts:?}");
    }
}

const STAGES: [&str; 6] = ["auction", "exchange", "contract", "friend call", "play", "void"];

#[test]
fn nobody_hears_of_hidden_cards_under_any_profile() {
    for profile in Profile::ALL {
        let (mut dice, mut counts) = (Dice::new(profile as u64), Counts::new());
        for _ in 0..30 {
            deal_otherwise(Arc::new(Rules::of(profile)), &mut dice, &mut counts);
        }
        assert_reached(&counts, 40, &STAGES);
        // A kitty that was shown leaves nothing hidden at the end; weak hands are asked under one profile only.
        let others: &[&str] = match profile {
            Profile::Classic | Profile::Hunter => &["scored"],
            Profile::Ripper => &[],
            Profile::Korean => &["scored", "weak hand"],
        };
        assert_reached(&counts, 40, others);
    }
}

#[test]
fn nobody_hears_of_hidden_cards_under_any_rules() {
    let (mut dice, mut counts) = (Dice::new(53), Counts::new());
    for _ in 0..150 {
        let rules = any_rules(&mut dice);
        deal_otherwise(rules, &mut dice, &mut counts);
    }
    assert_reached(&counts, 100, &STAGES);
    assert_reached(&counts, 100, &["scored", "weak hand"]);
}
