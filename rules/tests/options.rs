//! Rules that there are, and rules that are refused by name.

mod support;

use mighty_rules::*;
use support::{rules, try_rules};

#[test]
fn the_profiles_keep_their_hashes() {
    // A hash that changes here changes what records of old matches say: it may not.
    let golden = [
        (Profile::Classic, "cf62e4e1299be6c76de31ea873d86a11f68de6a160a7c4664cb70fb83bbb2204"),
        (Profile::Hunter, "1c6d8c91702aa7504f56363ab3162691cac7c27a7d398e5507d46d011c0dc695"),
        (Profile::Ripper, "a6cb6d8b8290996c2532b6cfe5e7a6631f1ab8f7707baa28b7689e21757f168d"),
        (Profile::Korean, "2f7ab38ba8ef3048c1123794c1b37c05251267deb199f943f2b2e45566116a59"),
    ];
    for (profile, hash) in golden {
        assert_eq!(Rules::of(profile).hash(), hash, "{profile}");
        assert_eq!(Profile::named(profile.name()), Ok(profile));
    }
}

#[test]
fn equal_rules_have_equal_hashes_wherever_they_come_from() {
    let korean = Rules::of(Profile::Korean);
    let same = rules(Profile::Korean, "auction.minimum 14");
    let other = rules(Profile::Korean, "auction.minimum 13");
    assert_eq!(korean.hash(), same.hash());
    assert_ne!(korean.hash(), other.hash());
    let sheet = serde_json::from_str(korean.json()).expect("it was written by us");
    let read = Rules::from_sheet(Profile::Korean, &Overrides::new(), sheet);
    assert_eq!(read.map(|rules| rules.hash().to_owned()), Ok(korean.hash().to_owned()));
}

#[test]
fn nonsense_is_refused_by_name() {
    let table = [
        ("auction.minimum 1", "`auction.minimum`", "from 2 to 20"),
        ("auction.minimum 21", "`auction.minimum`", "from 2 to 20"),
        ("auction.minimum -14", "`auction.minimum`", "points from 2 to 20"),
        ("auction.no_trump_discount 13", "`auction.no_trump_discount`", "less than the minimum"),
        (
            "play.joker_call.card declared",
            "`play.joker_call.card_when_clubs_trump`",
            "let both be declared, or both be cards",
        ),
        (
            "play.joker_call.card_when_clubs_trump declared",
            "`play.joker_call.card`",
            "let both be declared, or both be cards",
        ),
        ("play.joker_call.card JK", "`play.joker_call.card`", "joker cannot call itself"),
        ("play.joker_call.card AS", "`play.joker_call.card`", "can be the Mighty"),
        ("play.joker_call.card AD", "`play.joker_call.card`", "can be the Mighty"),
        (
            "play.joker_call.card AH, play.mighty_when_spades_trump AH",
            "`play.joker_call.card`",
            "can be the Mighty",
        ),
        (
            "play.joker_call.card_when_clubs_trump AS",
            "`play.joker_call.card_when_clubs_trump`",
            "can be the Mighty",
        ),
        ("play.joker_call.card 4X", "`play.joker_call.card`", "declared, or a card such as 3C"),
        ("play.mighty_when_spades_trump KD", "`play.mighty_when_spades_trump`", "AS, AC, AD or AH"),
        ("play.mighty_when_spades_trump JK", "`play.mighty_when_spades_trump`", "AS, AC, AD or AH"),
        ("friend.calls []", "`friend.calls`", "card, first_trick, none and kitty"),
        ("friend.calls [\"kitty\"]", "`friend.calls`", "add card, first_trick or none"),
        ("friend.calls [\"card\",\"card\"]", "`friend.calls`", "name each once"),
        (
            "friend.calls [\"ally\"]",
            "`friend.calls`",
            "a list of card, first_trick, none and kitty",
        ),
        (
            "play.first_lead_forbids [\"trump\",\"trump\"]",
            "`play.first_lead_forbids`",
            "name each once",
        ),
        ("scoring.doubles [\"run\",\"run\"]", "`scoring.doubles`", "name each once"),
        ("exchange.suit_change_raise -1", "`exchange.suit_change_raise`", "points from 0 to 255"),
        (
            "exchange.no_trump_change_raise -2",
            "`exchange.no_trump_change_raise`",
            "points from 0 to 255",
        ),
        ("scoring.back_run all", "`scoring.back_run`", "\"contract\""),
        ("auction.ranking colours", "`auction.ranking`", "points, no_trump or suits"),
        ("deal.miss {}", "`deal.miss`", "all ten deal.miss options"),
        ("match.hands 0", "`match.hands`", "at least one hand"),
    ];
    for (overrides, path, right) in table {
        let refused = try_rules(Profile::Hunter, overrides);
        let said = refused.expect_err("that is nonsense").to_string();
        assert!(said.contains(path) && said.contains(right), "{overrides}: {said}");
    }
}

#[test]
fn an_option_that_does_not_exist_is_told_its_neighbours() {
    let refused = |profile, path| {
        try_rules(profile, &format!("{path} 14")).expect_err("there is no such option").to_string()
    };
    let beside = refused(Profile::Korean, "auction.mininum");
    assert!(beside.contains("`auction.mininum`") && beside.contains("auction.minimum"), "{beside}");
    assert!(!beside.contains("scoring"), "{beside}");
    let all = refused(Profile::Korean, "minimum");
    assert!(OPTIONS.iter().all(|option| all.contains(option.path)), "{all}");
    let below_null = refused(Profile::Classic, "deal.miss.fine");
    assert!(below_null.contains("set deal.miss to an object first"), "{below_null}");
    let profile = Profile::named("japanese").expect_err("there is none").to_string();
    assert!(profile.contains("classic, hunter, ripper and korean"), "{profile}");
}

#[test]
fn every_option_of_every_profile_is_listed() {
    for profile in Profile::ALL {
        let json: serde_json::Value =
            serde_json::from_str(Rules::of(profile).json()).expect("it was written by us");
        let mut found = 0;
        for (group, options) in json.as_object().expect("groups") {
            let mut paths: Vec<String> = Vec::new();
            list(group, options, &mut paths);
            for path in paths {
                assert!(OPTIONS.iter().any(|option| option.path == path), "{path}");
                assert!(value_in(profile, &path).is_some(), "{path}");
                found += 1;
            }
        }
        // `deal.miss` itself, and what is below it, exist one without the other.
        let has_miss = Rules::of(profile).deal.miss.is_some();
        assert_eq!(found, OPTIONS.len() - if has_miss { 1 } else { 10 }, "{profile}");
    }
}

fn list(path: &str, value: &serde_json::Value, paths: &mut Vec<String>) {
    match value.as_object() {
        Some(fields) => {
            fields.iter().for_each(|(key, value)| list(&format!("{path}.{key}"), value, paths))
        }
        None => paths.push(path.to_owned()),
    }
}
