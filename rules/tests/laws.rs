//! What holds in every hand under all rules: random tables, random moves, every corner.
//!
//! A failing case names its seed; `Dice::new(seed)` plays it again.

mod support;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use mighty_rules::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{
    Dice, Players, SENSIBLE, Table, all_sorts_of_moves, any_rules, nonsense, sensible_options,
    viewers,
};

/// Plays a random hand; `before` is shown the hand before each move and after the last.
fn play(seed: u64, mut before: impl FnMut(&Hand, &mut Dice)) -> (Table, Hand, Vec<Move>) {
    let mut dice = Dice::new(seed);
    let table = Table::of(any_rules(&mut dice), &mut dice);
    let players = Players::new(&mut dice);
    let mut hand = table.deal();
    let mut moves = Vec::new();
    while let Some(seat) = hand.turn() {
        before(&hand, &mut dice);
        let wanted = players.choose(&hand, &mut dice);
        hand.apply(seat, wanted).expect("it was offered");
        moves.push(wanted);
    }
    before(&hand, &mut dice);
    (table, hand, moves)
}

fn texts(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// The moves that are offered, those that reveal the friend included.
fn offered(choices: &Choices) -> HashSet<Move> {
    let mut moves: HashSet<Move> = choices.moves().into_iter().collect();
    if let Choices::Play(plays) = choices
        && plays.may_reveal
    {
        moves.extend(plays.plays().map(|card| Move::Play(Play { card, reveals: true })));
    }
    moves
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_move_is_accepted_exactly_when_it_is_offered(seed: u64) {
        play(seed, |hand, dice| {
            let Some(seat) = hand.turn() else { return };
            let offered = offered(&hand.choices(seat).expect("it is its turn"));
            for wanted in &offered {
                assert_eq!(hand.check(seat, wanted), Ok(()), "{wanted}");
            }
            if !dice.one_in(4) {
                return;
            }
            for wanted in all_sorts_of_moves(dice) {
                let is_accepted = hand.check(seat, &wanted).is_ok();
                assert_eq!(is_accepted, offered.contains(&wanted), "{wanted}");
            }
        });
    }

    #[test]
    fn a_refused_move_changes_nothing_and_says_why(seed: u64) {
        play(seed, |hand, dice| {
            let mut after = hand.clone();
            let all_sorts = all_sorts_of_moves(dice);
            for _ in 0..20 {
                let wanted = dice.pick(&all_sorts);
                let seat = dice.seat();
                if hand.check(seat, &wanted).is_ok() {
                    continue;
                }
                let why = after.apply(seat, wanted).expect_err("it was refused before").to_string();
                assert!(why.len() > 12, "{why}");
                assert!(&after == hand, "{wanted} was refused and left a trace");
                let text = after.apply_text(seat, "no move");
                assert!(text.is_err());
                assert!(&after == hand, "an unreadable move left a trace");
            }
        });
    }

    #[test]
    fn nobody_moves_out_of_turn(seed: u64) {
        play(seed, |hand, _| {
            let Some(turn) = hand.turn() else {
                assert!(hand.stage().is_none() && hand.outcome().is_some());
                for seat in Seat::ALL {
                    assert_eq!(hand.choices(seat), None);
                    assert_eq!(hand.check(seat, &Move::Pass), Err(Illegal::HandOver));
                }
                return;
            };
            assert!(hand.stage().is_some() && hand.outcome().is_none());
            let choices = hand.choices(turn).expect("the seat on turn has choices");
            assert_eq!(Some(choices.stage()), hand.stage());
            for seat in Seat::ALL.into_iter().filter(|seat| *seat != turn) {
                assert_eq!(hand.choices(seat), None);
                assert_eq!(hand.default_move(seat), None);
                for wanted in choices.moves().iter().take(20) {
                    assert_eq!(hand.check(seat, wanted), Err(Illegal::NotYourTurn));
                }
            }
        });
    }

    #[test]
    fn the_choices_are_counted_and_drawn_as_they_are_listed(seed: u64) {
        play(seed, |hand, _| {
            let Some(seat) = hand.turn() else { return };
            let choices = hand.choices(seat).expect("it is its turn");
            let moves = choices.moves();
            let listed: HashSet<Move> = moves.iter().copied().collect();
            assert!(!moves.is_empty(), "a seat that must act has a move");
            assert_eq!(listed.len(), moves.len(), "no move is listed twice");
            assert_eq!(choices.count(), moves.len());
            let drawn: HashSet<Move> =
                (0..choices.count()).map(|at| choices.nth(at).expect("below count")).collect();
            assert_eq!(drawn, listed);
            assert_eq!(choices.nth(choices.count()), None);
            assert_eq!(choices.nth(usize::MAX), None);
        });
    }

    #[test]
    fn the_default_move_is_always_offered(seed: u64) {
        play(seed, |hand, _| {
            let Some(seat) = hand.turn() else { return };
            let default = hand.default_move(seat).expect("the seat on turn has a default");
            assert_eq!(hand.check(seat, &default), Ok(()), "{default}");
            assert_eq!(hand.view(Viewer::Seat(seat)).default_move(), Some(default));
        });
    }

    #[test]
    fn each_of_the_53_cards_is_in_one_place(seed: u64) {
        play(seed, |hand, _| {
            let (held, fallen, aside) = hand.whereabouts();
            let places = held.0.into_iter().chain([fallen, aside]);
            let (all, count) = places
                .fold((CardSet::EMPTY, 0), |(all, count), cards| (all.or(cards), count + cards.len()));
            assert_eq!((all, count), (CardSet::FULL, 53));
            for (seat, count) in hand.public().cards_held().iter() {
                assert_eq!(usize::from(*count), held[seat].len());
            }
        });
    }

    #[test]
    fn all_twenty_points_are_taken_or_buried_and_the_scores_add_up(seed: u64) {
        let (table, hand, _) = play(seed, |_, _| {});
        let Some(Outcome::Scored(result)) = hand.outcome() else { return Ok(()) };
        let tricks = hand.public().tricks().expect("it was played");
        let (buried, _) = tricks.buried.expect("it was shown");
        let captured = tricks.captured.map(CardSet::points);
        prop_assert_eq!(captured.0.iter().sum::<u8>() + buried.points(), 20);
        let of_friend = result.friend.map_or(0, |friend| captured[friend]);
        prop_assert_eq!(result.taken, captured[result.declarer] + of_friend + buried.points());
        prop_assert_eq!(result.made, result.taken >= result.contract.points);

        let scoring = &table.rules.scoring;
        let adds_up = match scoring.shares {
            Shares::ZeroSum | Shares::Halved => scoring.overtrick_bonus == 0,
            Shares::Uneven => false,
        };
        let from_the_pot = Score::points((table.setup.pot - result.pot) as i64);
        if adds_up {
            prop_assert_eq!(result.scores.0.into_iter().sum::<Score>(), from_the_pot);
        }
        let is_winner = |seat: Seat| {
            (seat == result.declarer || Some(seat) == result.friend) == result.made
        };
        let winners = Seat::ALL.into_iter().filter(|seat| is_winner(*seat)).count() as u64;
        prop_assert!(result.pot < winners, "what can be shared does not stay in the pot");
    }

    #[test]
    fn what_is_known_of_the_friend_is_never_forgotten(seed: u64) {
        let mut known = Friend::Hidden;
        let (_, hand, _) = play(seed, |hand, _| {
            let Some(tricks) = hand.public().tricks() else { return };
            assert!(known == Friend::Hidden || known == tricks.friend);
            known = tricks.friend;
        });
        if let Some(Outcome::Scored(result)) = hand.outcome() {
            prop_assert!(known == Friend::Hidden || known == Friend::from(result.friend));
        }
    }

    #[test]
    fn a_view_is_the_fold_of_what_its_viewer_heard(seed: u64) {
        play(seed, |hand, _| {
            for viewer in viewers() {
                let rules = hand.public().rules.clone();
                let mut view = View::new(rules, hand.public().setup, viewer);
                for notice in hand.log().iter().filter(|notice| notice.audience.includes(viewer)) {
                    view.see(&notice.event);
                }
                assert_eq!(view, hand.view(viewer));
                if let Viewer::Seat(seat) = viewer {
                    assert_eq!(view.choices(), hand.choices(seat));
                }
            }
        });
    }

    #[test]
    fn every_move_reads_back_as_written(seed: u64) {
        play(seed, |hand, _| {
            let (Some(seat), Some(stage)) = (hand.turn(), hand.stage()) else { return };
            for offered in offered(&hand.choices(seat).expect("it is its turn")) {
                assert_eq!(Move::read(&offered.to_string(), stage), Ok(offered));
            }
        });
    }

    #[test]
    fn a_record_replays_to_the_same_events(seed: u64) {
        let (table, hand, moves) = play(seed, |_, _| {});
        let again = replay(table.rules.clone(), &table.deck, table.setup, &texts(&moves));
        prop_assert_eq!(again.refused, None);
        prop_assert!(again.hand == hand);
        prop_assert_eq!(again.legal_counts.len(), moves.len());
    }

    #[test]
    fn a_line_is_confirmed_and_every_change_in_it_is_named(seed: u64) {
        let (table, _, moves) = play(seed, |_, _| {});
        let mut line = json!({
            "profile": table.rules.profile().name(),
            "overrides": table.rules.overrides(),
            "deck": table.deck.to_string(),
            "dealer": table.setup.dealer.number(),
            "first_bidder": table.setup.first_bidder.number(),
            "moves": texts(&moves),
        });
        let verify = |line: &Value| verify_line(&line.to_string()).expect("it can be read");
        let verified = verify(&line);
        prop_assert_eq!(verified.differences, vec![]);
        for field in ["legal_counts", "legal_plays", "winners", "result", "void"] {
            if let Some(value) = verified.hands[0].get(field) {
                line[field] = value.clone();
            }
        }
        prop_assert_eq!(verify(&line).differences, vec![]);

        let mut leaves = Vec::new();
        list_leaves(&line, "", &mut leaves);
        let says_what_came = ["legal_", "winners", "result", "void"];
        leaves.retain(|(_, place)| says_what_came.iter().any(|field| place.starts_with(field)));
        Dice::new(seed).shuffle(&mut leaves);
        for (pointer, place) in leaves.into_iter().take(20) {
            let mut corrupt = line.clone();
            let leaf = corrupt.pointer_mut(&pointer).expect("it was listed");
            *leaf = if leaf == "corrupt" { json!(77) } else { json!("corrupt") };
            let places: Vec<String> =
                verify(&corrupt).differences.into_iter().map(|found| found.place).collect();
            prop_assert_eq!(places, vec![place]);
        }
        let mut cut_short = line.clone();
        cut_short["moves"] = json!(texts(&moves[..moves.len() - 1]));
        let found = verify(&cut_short).differences;
        prop_assert!(found.iter().any(|difference| difference.place == "moves"));
        let mut too_long = line.clone();
        too_long["moves"] = json!(format!("{} -", texts(&moves)));
        let found = verify(&too_long).differences;
        prop_assert_eq!(&found[0].place, &format!("moves[{}]", moves.len()));
    }

    #[test]
    fn rules_are_accepted_or_refused_by_the_name_of_an_option(seed: u64) {
        let mut dice = Dice::new(seed);
        let (profile, mut overrides) = sensible_options(&mut dice);
        let names_an_option = |error: RulesError| {
            let said = error.to_string();
            OPTIONS.iter().any(|option| said.contains(&format!("`{}`", option.path)))
        };
        if let Err(error) = Rules::with(profile, &overrides) {
            prop_assert!(error.to_string().starts_with("`auction.no_trump_discount`"), "{}", error);
        }
        let (path, value) = nonsense(&mut dice);
        overrides.insert(path.to_owned(), value);
        let error = Rules::with(profile, &overrides).expect_err("that is nonsense");
        let is_unknown = OPTIONS.iter().all(|option| option.path != path);
        let names_the_unknown = error.to_string().contains(&format!("no option `{path}`"));
        let is_named = if is_unknown { names_the_unknown } else { names_an_option(error) };
        prop_assert!(is_named);
    }
}

/// The places of all plain values, as a JSON pointer and in the words of a difference.
fn list_leaves(value: &Value, pointer: &str, leaves: &mut Vec<(String, String)>) {
    let place = || {
        let mut place = String::new();
        for key in pointer.split('/').skip(1) {
            match key.parse::<usize>() {
                Ok(at) => place.push_str(&format!("[{at}]")),
                Err(_) if place.is_empty() => place.push_str(key),
                Err(_) => place.push_str(&format!(".{key}")),
            }
        }
        place
    };
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                list_leaves(value, &format!("{pointer}/{key}"), leaves);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                list_leaves(value, &format!("{pointer}/{at}"), leaves);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            leaves.push((pointer.to_owned(), place()));
        }
    }
}

#[test]
fn the_random_tables_know_every_option() {
    let known: BTreeSet<&str> = OPTIONS.iter().map(|option| option.path).collect();
    let drawn: BTreeSet<&str> = SENSIBLE.iter().map(|(path, _)| *path).collect();
    assert_eq!(known, drawn);
}

/// The laws above are worth what their hands reach: each of these must come up, and not by a hair.
#[test]
fn the_random_hands_reach_every_corner() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..1200 {
        let mut dealer_must_open = false;
        let (table, hand, moves) = play(seed, |hand, _| {
            if let Some(Choices::Call(call)) = hand.turn().and_then(|seat| hand.choices(seat)) {
                dealer_must_open |= !call.may_pass;
            }
        });
        let mut corners = vec![];
        if dealer_must_open {
            corners.push("the dealer must open");
        }
        for wanted in &moves {
            corners.push(match wanted {
                Move::ThrowIn => "a hand is thrown in",
                Move::Keep => "a weak hand is kept",
                Move::Pass => "a pass",
                Move::Bid(_) => "a bid",
                Move::Bury(_) => "a burial",
                Move::FixContract(ContractMove { calling_card: Some(_), .. }) => {
                    "a calling card is declared"
                }
                Move::FixContract(_) => "the declarer is asked for the contract",
                Move::CallFriend(FriendCall::Card { lead_request: Some(_), .. }) => {
                    "a lead is asked for"
                }
                Move::CallFriend(FriendCall::Card { .. }) => "a card is called",
                Move::CallFriend(FriendCall::FirstTrick) => "the first trick is called",
                Move::CallFriend(FriendCall::Nobody) => "nobody is called",
                Move::CallFriend(FriendCall::Kitty(_)) => "a buried card is called",
                Move::Play(Play { reveals: true, .. }) => "a friend reveals itself",
                Move::Play(Play { card: PlayedCard::Calling(_), .. }) => {
                    "the joker is called with !"
                }
                Move::Play(Play { card: PlayedCard::JokerNaming(_), .. }) => "a joker names a suit",
                Move::Play(Play { card: PlayedCard::JokerNamingNone, .. }) => "a joker names none",
                Move::Play(_) => "a card is played",
            });
        }
        let style = table.rules.play.joker_call.style;
        for notice in hand.log() {
            match notice.event {
                Event::AuctionAgain { round: Round::Second } => corners.push("a second round"),
                Event::AuctionAgain { round: Round::First | Round::Lowered } => {
                    corners.push("a lowered round");
                }
                Event::AuctionWon { with: WinningBid::DealerDeclares { .. }, .. } => {
                    corners.push("the dealer declares");
                }
                Event::KittyShown { .. } => corners.push("the kitty is shown"),
                Event::CardPlayed { calls_joker: true, .. } => corners.push(match style {
                    JokerCallStyle::AlwaysOnLead => "a lead calls the joker",
                    JokerCallStyle::OptionalOnLead => "a lead calls the joker by choice",
                    JokerCallStyle::SecondSeat => "the second seat calls the joker",
                }),
                Event::FriendTold { friend: None } => corners.push("secretly alone"),
                Event::FriendTold { friend: Some(_) } => corners.push("a friend"),
                Event::HandVoid { void } => corners.push(match void.why {
                    VoidReason::AllPassed => "all pass",
                    VoidReason::DealMiss { .. } => "a deal miss",
                }),
                Event::HandScored { result } if result.made => corners.push("made"),
                Event::HandScored { .. } => corners.push("failed"),
                Event::Dealt { .. }
                | Event::AskedToKeep { .. }
                | Event::Kept { .. }
                | Event::AuctionOpened
                | Event::Passed { .. }
                | Event::BidMade { .. }
                | Event::AuctionWon { with: WinningBid::Bid(_), .. }
                | Event::KittyTaken { .. }
                | Event::Buried
                | Event::BuriedCards { .. }
                | Event::ContractFixed { .. }
                | Event::FriendCalled { .. }
                | Event::KittyMarked { .. }
                | Event::FriendRevealed { .. }
                | Event::CardPlayed { .. }
                | Event::TrickTaken { .. }
                | Event::BuriedShown { .. } => {}
            }
        }
        for corner in corners {
            *seen.entry(corner).or_default() += 1;
        }
    }
    assert_eq!(seen.len(), 31, "{seen:#?}");
    let rare: Vec<_> = seen.iter().filter(|(_, times)| **times < 4).collect();
    assert!(rare.is_empty(), "{rare:?}");
}
