//! The settlement in tables.

mod support;

use mighty_rules::*;
use support::rules;

/// A hand with seat 0 as declarer and seat 1 as friend; `none` announced alone, `alone` in secret.
fn played(contract: &str, taken: u8, friend: &str) -> Played {
    Played {
        declarer: Seat::ALL[0],
        friend: (friend == "friend").then_some(Seat::ALL[1]),
        announced_alone: friend == "none",
        contract: contract.parse().expect("a contract"),
        taken,
    }
}

fn scores(played: &Played, rules: &Rules) -> String {
    played.scores(rules).0.map(|score| score.to_string()).join(" ")
}

const PLAIN: &str = "scoring.shares zero_sum, scoring.doubles [], scoring.overtrick_bonus 0, ";

#[test]
fn what_a_hand_is_worth() {
    // Contract 15, base 13: made with 17, failed with 12.
    let table = [
        ("success flat", 17, 1),
        ("success contract", 17, 2),
        ("success twice_contract_plus_over", 17, 6),
        ("success points_over_base", 17, 4),
        ("success risk", 17, 6),
        ("success over", 17, 2),
        ("success over", 15, 0),
        ("success over_plus_one", 17, 3),
        ("success over_plus_one", 15, 1),
        ("failure flat", 12, -1),
        ("failure deficit", 12, -3),
        ("failure contract_plus_deficit", 12, -5),
        // Below the base it is worth nothing, never less.
        ("base 20, scoring.success contract", 17, 0),
        ("base 20, scoring.success points_over_base", 17, 0),
        ("base 20, scoring.failure contract_plus_deficit", 12, 0),
    ];
    for (option, taken, worth) in table {
        let option = if option.starts_with("base") {
            option.to_owned()
        } else {
            format!("base 13, scoring.{option}")
        };
        let rules = rules(Profile::Hunter, &format!("{PLAIN}scoring.{option}"));
        let expected =
            [2 * worth, worth, -worth, -worth, -worth].map(|points: i32| points.to_string());
        assert_eq!(scores(&played("15H", taken, "friend"), &rules), expected.join(" "), "{option}");
    }
}

#[test]
fn who_pays_whom() {
    // S is 3 when made and 3 when failed.
    let base = "scoring.success over_plus_one, scoring.failure deficit, scoring.doubles [], ";
    let table = [
        ("zero_sum", 17, "friend", "6 3 -3 -3 -3"),
        ("zero_sum", 12, "friend", "-6 -3 3 3 3"),
        ("zero_sum", 17, "alone", "12 -3 -3 -3 -3"),
        ("zero_sum", 12, "none", "-12 3 3 3 3"),
        ("halved", 17, "friend", "3 1.5 -1.5 -1.5 -1.5"),
        ("halved", 17, "alone", "6 -1.5 -1.5 -1.5 -1.5"),
        ("halved", 12, "friend", "-6 -3 3 3 3"),
        ("halved", 12, "alone", "-12 3 3 3 3"),
        ("uneven", 17, "friend", "3 1.5 -3 -3 -3"),
        ("uneven", 12, "friend", "-3 -1.5 3 3 3"),
        ("uneven", 17, "alone", "3 -3 -3 -3 -3"),
        ("uneven", 12, "alone", "-3 3 3 3 3"),
    ];
    for (shares, taken, friend, expected) in table {
        let rules = rules(Profile::Hunter, &format!("{base}scoring.shares {shares}"));
        assert_eq!(scores(&played("15H", taken, friend), &rules), expected, "{shares} {friend}");
    }
}

#[test]
fn the_bonus_for_points_over_the_contract_goes_to_the_declarer_and_is_doubled() {
    let rules = rules(
        Profile::Hunter,
        "scoring.success flat, scoring.overtrick_bonus 2, scoring.doubles [\"no_trump\"]",
    );
    assert_eq!(scores(&played("15H", 17, "friend"), &rules), "6 1 -1 -1 -1");
    assert_eq!(scores(&played("15N", 17, "friend"), &rules), "12 2 -2 -2 -2");
    assert_eq!(scores(&played("15N", 14, "friend"), &rules), "-4 -2 2 2 2");
}

#[test]
fn what_doubles() {
    let table = [
        // doubles, contract, taken, friend, factor
        ("\"no_trump\"", "15N", 15, "friend", 2),
        ("\"no_trump\"", "15N", 14, "friend", 2),
        ("\"no_trump\"", "15H", 15, "friend", 1),
        ("\"no_friend\"", "15H", 15, "none", 2),
        ("\"no_friend\"", "15H", 15, "alone", 1),
        ("\"run\"", "15H", 20, "friend", 2),
        ("\"run\"", "15H", 19, "friend", 1),
        ("\"grand_slam\"", "20H", 20, "friend", 2),
        ("\"grand_slam\"", "20H", 19, "friend", 1),
        ("\"grand_slam\"", "19H", 20, "friend", 1),
        ("\"back_run\"", "15H", 9, "friend", 2),
        ("\"back_run\"", "15H", 10, "friend", 1),
        ("\"run\",\"grand_slam\",\"no_trump\",\"no_friend\"", "20N", 20, "none", 16),
        ("\"no_trump\",\"back_run\"", "20N", 4, "friend", 4),
    ];
    for (doubles, contract, taken, friend, factor) in table {
        let rules = rules(Profile::Hunter, &format!("scoring.doubles [{doubles}]"));
        let factor_of = played(contract, taken, friend).factor(&rules);
        assert_eq!(factor_of, factor, "{doubles}: {contract} with {taken}");
    }
    let as_contract = rules(Profile::Hunter, "scoring.back_run \"contract\"");
    assert_eq!(played("13H", 7, "friend").factor(&as_contract), 2);
    assert_eq!(played("13H", 8, "friend").factor(&as_contract), 1);
}

#[test]
fn the_worked_example_of_the_hunter_page() {
    let hunter = Rules::of(Profile::Hunter);
    assert_eq!(scores(&played("15D", 16, "friend"), &hunter), "10 5 -5 -5 -5");
}

#[test]
fn the_side_that_wins_shares_the_pot_in_whole_points() {
    let table = [
        // pot, taken of a contract of 15, friend, shares, what stays
        (7, 15, "friend", "3 3 0 0 0", 1),
        (7, 14, "friend", "0 0 2 2 2", 1),
        (7, 15, "alone", "7 0 0 0 0", 0),
        (7, 14, "none", "0 1 1 1 1", 3),
        (1, 14, "friend", "0 0 0 0 0", 1),
    ];
    for (pot, taken, friend, shares, stays) in table {
        let (each, left) = played("15H", taken, friend).split_pot(pot);
        let each = each.0.map(|score| score.to_string()).join(" ");
        assert_eq!((each.as_str(), left), (shares, stays), "{pot} {taken} {friend}");
    }
}
