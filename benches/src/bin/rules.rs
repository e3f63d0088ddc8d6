//! What the rules cost: random hands through the public, checked interface, beside the bare sketch of the same hands.
//!
//! `--json` writes the figures as one JSON object. The exit status is 1 when the ratio is over the gate.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;

use mighty_benches::dice::Dice;
use mighty_benches::{compare, sketch, time};
use mighty_rules::{
    Bid, Burial, Choices, ContractMove, Deck, Hand, Move, Outcome, Profile, Rules, Seat, Seed,
    Setup, Trump,
};
use serde_json::json;

/// How many times the sketch a hand may cost.
const GATE: f64 = 4.0;
/// How many times the sketch a hand should cost.
const GOAL: f64 = 2.0;
/// How many hands a round has.
const HANDS: u32 = 200_000;
/// How many decks are made ready.
const DECKS: usize = 1024;

fn main() -> ExitCode {
    let as_json = std::env::args().any(|argument| argument == "--json");
    let rules = Arc::new(Rules::of(Profile::Hunter));
    let mut dice = Dice::new(1);
    let decks: Vec<Deck> = (0..DECKS).map(|_| dice.deck()).collect();
    let indices: Vec<[u8; 53]> =
        decks.iter().map(|deck| deck.cards().map(|card| card.index())).collect();
    let mut log = Vec::with_capacity(128);
    for (at, (deck, indices)) in decks.iter().zip(&indices).enumerate() {
        let hand = play(&rules, deck, dealer(at), &mut Dice::new(at as u64));
        let sketched = sketch::play(indices, at % 5, &mut Dice::new(at as u64), &mut log);
        assert_eq!(told(&hand), sketched, "deck {at}: the rules and the sketch play the same hand");
    }

    let (mut our_dice, mut sketch_dice) = (Dice::new(2), Dice::new(2));
    let (mut ours, mut sketched) = (0, 0);
    let comparison = compare(
        HANDS,
        || {
            ours += 1;
            black_box(play(&rules, &decks[ours % DECKS], dealer(ours), &mut our_dice));
        },
        || {
            sketched += 1;
            let deck = &indices[sketched % DECKS];
            black_box(sketch::play(deck, sketched % 5, &mut sketch_dice, &mut log));
        },
    );
    let seed = Seed::new([7; 32]);
    let mut number = 0;
    let fair_deck = time(HANDS / 50, || {
        number += 1;
        black_box(seed.deck(number, 0));
    });

    let ratio = comparison.ratio();
    if as_json {
        let figures = json!({
            "hand": comparison.json(),
            "fair_deck_ns": fair_deck.as_nanos() as u64,
            "gate": GATE,
            "goal": GOAL,
        });
        println!("{figures}");
    } else {
        let per_second = 1.0 / comparison.ours.as_secs_f64();
        println!(
            "a random hand through the rules  {:>10.2?}  {per_second:.0} a second",
            comparison.ours
        );
        println!("the same hand as a bare sketch   {:>10.2?}", comparison.yardstick);
        println!("ratio                            {ratio:>10.2}  (goal {GOAL}, gate {GATE})");
        println!("a fair deck adds                 {fair_deck:>10.2?}");
    }
    if ratio > GATE { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn dealer(at: usize) -> Seat {
    Seat::ALL[at % 5]
}

/// Plays a hand: each move is drawn from what is offered, checked, and told in events.
fn play(rules: &Arc<Rules>, deck: &Deck, dealer: Seat, dice: &mut Dice) -> Hand {
    let setup = Setup { dealer, first_bidder: dealer, pot: 0 };
    let mut hand = Hand::deal(rules.clone(), deck, setup);
    while let Some(seat) = hand.turn() {
        let choices = hand.choices(seat).expect("the seat on turn has choices");
        let wanted = draw(&hand, &choices, dice);
        black_box(hand.apply(seat, wanted).expect("what is drawn was offered"));
    }
    hand
}

fn draw(hand: &Hand, choices: &Choices, dice: &mut Dice) -> Move {
    match choices {
        Choices::Call(call) => {
            let auction = &hand.public().auction;
            let must = auction.standing.is_none() && auction.calls.len() == 4;
            let trump = (must || dice.below(4) == 0).then(|| Trump::ALL[dice.below(5)]);
            let lowest = trump.and_then(|trump| Some((trump, call.points[trump.index()]?.0)));
            lowest.map_or(Move::Pass, |(trump, points)| Move::Bid(Bid { points, trump }))
        }
        Choices::Bury { from } => {
            let mut left = *from;
            for _ in 0..Burial::CARDS {
                left = left.without(left.nth(dice.below(left.len())).expect("cards are left"));
            }
            Move::Bury(Burial::new(from.minus(left)).expect("three cards were drawn"))
        }
        Choices::Contract(_) => {
            let standing = hand.public().auction.standing.expect("somebody has bid");
            Move::FixContract(ContractMove { bid: standing.bid, calling_card: None })
        }
        Choices::WeakHand | Choices::FriendCall(_) | Choices::Play(_) => {
            choices.nth(dice.below(choices.count())).expect("the place is below the count")
        }
    }
}

/// What the sketch tells of a hand.
fn told(hand: &Hand) -> sketch::Outcome {
    let Some(Outcome::Scored(result)) = hand.outcome() else { panic!("every hand is played") };
    sketch::Outcome {
        declarer: result.declarer.number(),
        friend: result.friend.map(Seat::number),
        contract: result.contract.points,
        taken: result.taken,
    }
}
