//! The house bots at the table: how well they play, and that they never break a rule.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use mighty_house::{NAMES, Player, Playout, by_name};
use mighty_rules::{
    BySeat, Choices, MatchKind, Move, OPTIONS, Outcome, Profile, Rules, Seat, Seed, Stage, View,
};
use rand::rngs::ChaCha12Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// Bots of these names in the seats from 0, moved so many places to the left.
fn players(names: [&str; 5], moved: usize) -> BySeat<Box<dyn Player>> {
    BySeat::from_fn(|seat| {
        let name = names[seat.after(5 - moved).number()];
        by_name(name, seat.number() as u64).expect("the tests use names that there are")
    })
}

/// How these bots fare in so many duplicate deals of a profile, moved so many places to the left.
fn outcomes(profile: Profile, deals: u16, names: [&str; 5], moved: usize) -> Vec<Outcome> {
    let hands = deals.to_string();
    let rules = Rules::with_texts(profile, [("match.hands", hands.as_str())]).unwrap();
    let mut players = players(names, moved);
    let seed = Seed::new([7; 32]);
    Playout::new(Arc::new(rules), MatchKind::Duplicate, seed, &mut players)
        .map(|deal| deal.unwrap_or_else(|foul| panic!("{profile}: {foul}")).1)
        .collect()
}

/// By how many points a hand the first name is ahead of the mean of the others that are named differently, and the
/// standard error of that. Each deal is played in all five rotations; the deal is the sample.
fn lead_of_the_first(profile: Profile, deals: u16, names: [&str; 5]) -> (f64, f64) {
    let mut leads = vec![0.0; usize::from(deals)];
    for moved in 0..5 {
        let is_first = |seat: Seat| names[seat.after(5 - moved).number()] == names[0];
        for (lead, outcome) in leads.iter_mut().zip(outcomes(profile, deals, names, moved)) {
            let Outcome::Scored(result) = outcome else { continue };
            let mean = |wanted: bool| {
                let seats = Seat::ALL.into_iter().filter(|seat| is_first(*seat) == wanted);
                let scores: Vec<f64> = seats.map(|seat| result.scores[seat].as_f64()).collect();
                scores.iter().sum::<f64>() / scores.len() as f64
            };
            *lead += (mean(true) - mean(false)) / 5.0;
        }
    }
    let count = f64::from(deals);
    let mean = leads.iter().sum::<f64>() / count;
    let variance = leads.iter().map(|lead| (lead - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// One-sided 99.9 %.
const SURE: f64 = 3.09;

#[test]
fn one_cautious_beats_four_random_by_a_wide_margin() {
    for profile in Profile::ALL {
        let names = ["cautious", "random", "random", "random", "random"];
        let (lead, error) = lead_of_the_first(profile, 400, names);
        println!("{profile}: cautious leads four random by {lead:.2} ± {error:.2} points a hand");
        assert!(lead - SURE * error > 4.0, "{profile}: {lead:.2} ± {error:.2}");
    }
}

#[test]
fn three_cautious_beat_two_random() {
    for profile in Profile::ALL {
        let names = ["cautious", "cautious", "cautious", "random", "random"];
        let (lead, error) = lead_of_the_first(profile, 100, names);
        println!(
            "{profile}: three cautious lead two random by {lead:.2} ± {error:.2} points a hand"
        );
        assert!(lead - SURE * error > 4.0, "{profile}: {lead:.2} ± {error:.2}");
    }
}

#[test]
fn five_cautious_play_most_deals_and_make_most_contracts_but_not_all() {
    for profile in Profile::ALL {
        let outcomes = outcomes(profile, 1000, ["cautious"; 5], 0);
        let results: Vec<_> = outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Scored(result) => Some(result),
                Outcome::Void(_) => None,
            })
            .collect();
        let played = results.len() as f64 / outcomes.len() as f64;
        let made =
            results.iter().filter(|result| result.made).count() as f64 / results.len() as f64;
        println!("{profile}: {:.0} % played, of these {:.0} % made", played * 100.0, made * 100.0);
        assert!(played >= 0.7, "{profile}: {played}");
        assert!((0.4..=0.8).contains(&made), "{profile}: {made}");
    }
}

#[test]
fn the_same_seed_plays_the_same_match() {
    for name in NAMES {
        let once = outcomes(Profile::Hunter, 20, [name; 5], 0);
        assert_eq!(once, outcomes(Profile::Hunter, 20, [name; 5], 0), "{name}");
    }
}

/// A player that notes the stages in which it is asked.
struct Noting {
    player: Box<dyn Player>,
    asked: Arc<Mutex<HashSet<Stage>>>,
}

impl Player for Noting {
    fn act(&mut self, view: &View, choices: &Choices) -> Move {
        self.asked.lock().unwrap().insert(choices.stage());
        self.player.act(view, choices)
    }
}

#[test]
fn both_bots_are_asked_in_every_stage() {
    for name in NAMES {
        let asked = Arc::default();
        let mut players = BySeat::from_fn(|seat| -> Box<dyn Player> {
            let player = by_name(name, seat.number() as u64).unwrap();
            Box::new(Noting { player, asked: Arc::clone(&asked) })
        });
        let rules = Rules::with_texts(Profile::Korean, [("match.hands", "200")]).unwrap();
        let seed = Seed::new([1; 32]);
        let match_kind = MatchKind::Ordinary { first_dealer: seed.cut().dealer() };
        for deal in Playout::new(Arc::new(rules), match_kind, seed, &mut players) {
            deal.unwrap();
        }
        drop(players);
        assert_eq!(asked.lock().unwrap().len(), 6, "{name}");
    }
}

const MISS: &str = r#"{"timing":"before_auction","honour":2,"ten":1,"spade_ace":0,"diamond_ace":2,"joker":-2,"at_most":6,"next_dealer":"same","fine":2,"fines_all_pass":true}"#;

/// Every option with values that it may have. Options that hang together are set together.
const MENU: &[(&[&str], &[&str])] = &[
    (&["deal.pattern"], &["one_by_one", "packets_1_2_3_4"]),
    (&["deal.next_dealer"], &["clockwise", "friend", "declarer"]),
    (&["deal.miss"], &["null", MISS]),
    (&["deal.miss.timing"], &["before_auction", "first_turn"]),
    (&["deal.miss.honour"], &["1", "2", "3"]),
    (&["deal.miss.ten"], &["0", "1", "2"]),
    (&["deal.miss.spade_ace"], &["-2", "0", "2"]),
    (&["deal.miss.diamond_ace"], &["0", "2"]),
    (&["deal.miss.joker"], &["-4", "0", "2"]),
    (&["deal.miss.at_most"], &["-3", "4", "32767"]),
    (&["deal.miss.next_dealer"], &["same", "claimant"]),
    (&["deal.miss.fine"], &["0", "5"]),
    (&["deal.miss.fines_all_pass"], &["true", "false"]),
    (&["auction.first_bidder"], &["left_of_dealer", "dealer", "previous_declarer"]),
    (&["auction.minimum"], &["2", "8", "13", "14", "17", "20"]),
    (&["auction.no_trump_discount"], &["0", "1", "3"]),
    (&["auction.ranking"], &["points", "no_trump", "suits"]),
    (&["auction.pass_is_final"], &["true", "false"]),
    (
        &["auction.all_pass"],
        &[
            "redeal_next_dealer",
            "redeal_same_dealer",
            "second_round",
            "second_round_lowered",
            "dealer_opens",
            "dealer_declares",
        ],
    ),
    (&["exchange.kitty_face_up"], &["true", "false"]),
    (&["exchange.trump_change"], &["none", "free", "raise"]),
    (&["exchange.suit_change_raise"], &["0", "1", "4", "255"]),
    (&["exchange.no_trump_change_raise"], &["0", "1", "4", "255"]),
    (&["exchange.raise_capped"], &["true", "false"]),
    (&["exchange.may_raise"], &["true", "false"]),
    (
        &["friend.calls"],
        &[
            r#"["card"]"#,
            r#"["first_trick"]"#,
            r#"["none"]"#,
            r#"["none","kitty"]"#,
            r#"["first_trick","kitty"]"#,
            r#"["card","first_trick","none","kitty"]"#,
        ],
    ),
    (&["friend.may_reveal"], &["true", "false"]),
    (&["friend.lead_request"], &["true", "false"]),
    (
        &["play.first_lead_forbids"],
        &["[]", r#"["trump"]"#, r#"["joker_call"]"#, r#"["trump","joker","joker_call"]"#],
    ),
    (&["play.mighty_when_spades_trump"], &["AS", "AC", "AD", "AH"]),
    (&["play.mighty_ignores_suit"], &["true", "false"]),
    (&["play.joker.first_trick"], &["power", "powerless", "forbidden"]),
    (&["play.joker.last_trick"], &["power", "powerless"]),
    (&["play.joker.no_trump_ends"], &["power", "powerless"]),
    (&["play.joker.lead"], &["names_suit", "names_suit_or_none"]),
    (
        &["play.joker_call.card", "play.joker_call.card_when_clubs_trump"],
        &["declared", "3C", "KH", "2S"],
    ),
    (&["play.joker_call.style"], &["always_on_lead", "optional_on_lead", "second_seat"]),
    (&["play.joker_call.first_trick"], &["true", "false"]),
    (&["play.joker_call.effect"], &["forced_out", "weakened"]),
    (&["play.joker_call.mighty_saves"], &["true", "false"]),
    (
        &["scoring.success"],
        &[
            "flat",
            "contract",
            "twice_contract_plus_over",
            "points_over_base",
            "risk",
            "over",
            "over_plus_one",
        ],
    ),
    (&["scoring.base"], &["0", "10", "13"]),
    (&["scoring.failure"], &["flat", "deficit", "contract_plus_deficit"]),
    (&["scoring.overtrick_bonus"], &["0", "1"]),
    (&["scoring.doubles"], &["[]", r#"["no_trump","no_friend","run","grand_slam","back_run"]"#]),
    (&["scoring.back_run"], &["0", "11", r#""contract""#]),
    (&["scoring.shares"], &["zero_sum", "halved", "uneven"]),
    (&["match.hands"], &["3"]),
];

#[test]
fn the_menu_has_every_option() {
    let on_the_menu: HashSet<&str> = MENU.iter().flat_map(|(paths, _)| *paths).copied().collect();
    let options: HashSet<&str> = OPTIONS.iter().map(|option| option.path).collect();
    assert_eq!(on_the_menu, options);
}

/// A profile with up to twelve options set otherwise; settings that make no sense together are left out again.
fn any_rules(rng: &mut ChaCha12Rng) -> Rules {
    let profile = *Profile::ALL.choose(rng).unwrap();
    let mut settings = vec![("match.hands", "3")];
    for (paths, values) in MENU.sample(rng, 12) {
        let value = values.choose(rng).unwrap();
        let known = settings.len();
        settings.extend(paths.iter().map(|path| (*path, *value)));
        if Rules::with_texts(profile, settings.iter().copied()).is_err() {
            settings.truncate(known);
        }
    }
    Rules::with_texts(profile, settings).expect("each setting was tried")
}

#[test]
fn no_bot_makes_an_illegal_move_under_any_rules() {
    let mut rng = ChaCha12Rng::seed_from_u64(53);
    for round in 0..400_u32 {
        let rules = Arc::new(any_rules(&mut rng));
        let first_dealer = Seat::ALL[round as usize % 5];
        // Every second table is all cautious, the others are mixed.
        let mut players = BySeat::from_fn(|_| {
            let name = if round % 2 == 0 { "cautious" } else { NAMES.choose(&mut rng).unwrap() };
            by_name(name, u64::from(round)).unwrap()
        });
        let mut bytes = [0; 32];
        rng.fill(&mut bytes);
        let kind = MatchKind::Ordinary { first_dealer };
        for deal in Playout::new(Arc::clone(&rules), kind, Seed::new(bytes), &mut players) {
            deal.unwrap_or_else(|foul| {
                panic!("{} {:?}: {foul}", rules.profile(), rules.overrides())
            });
        }
    }
}
