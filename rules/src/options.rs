//! Every option by its dotted path: what it may be, what it means, and how one is set.

use serde_json::Value;

use crate::rules::{Profile, RuleSheet, RulesError};

/// What there is to know of one option.
#[derive(Clone, Copy, Debug)]
pub struct OptionDoc {
    /// The dotted path, such as `auction.minimum`.
    pub path: &'static str,
    /// The values that it may have, in words.
    pub allowed: &'static str,
    /// What it decides, in a sentence.
    pub meaning: &'static str,
}

const fn option(path: &'static str, allowed: &'static str, meaning: &'static str) -> OptionDoc {
    OptionDoc { path, allowed, meaning }
}

/// All options, in the order of RULES.md. Those below `deal.miss` exist while `deal.miss` is not null.
pub const OPTIONS: &[OptionDoc] = &[
    option("deal.pattern", "one_by_one or packets_1_2_3_4", "In what order the cards go round."),
    option("deal.next_dealer", "clockwise, friend or declarer", "Who deals after a finished hand."),
    option(
        "deal.miss",
        "null, or an object with all ten deal.miss options",
        "The terms on which a weak hand may be thrown in.",
    ),
    option(
        "deal.miss.timing",
        "before_auction or first_turn",
        "When a weak hand may be thrown in.",
    ),
    option(
        "deal.miss.honour",
        "a number of half points from -32768 to 32767",
        "Weight of each A K Q J that no other line names.",
    ),
    option("deal.miss.ten", "a number of half points from -32768 to 32767", "Weight of each ten."),
    option(
        "deal.miss.spade_ace",
        "a number of half points from -32768 to 32767",
        "Weight of the ace of spades.",
    ),
    option(
        "deal.miss.diamond_ace",
        "a number of half points from -32768 to 32767",
        "Weight of the ace of diamonds.",
    ),
    option(
        "deal.miss.joker",
        "a number of half points from -32768 to 32767",
        "Weight of the joker.",
    ),
    option(
        "deal.miss.at_most",
        "a number of half points from -32768 to 32767",
        "A hand of at most this weight qualifies.",
    ),
    option(
        "deal.miss.next_dealer",
        "same or claimant",
        "Who deals again after a hand was thrown in.",
    ),
    option(
        "deal.miss.fine",
        "a number of points from 0 to 65535",
        "What the dealer of a hand thrown in pays into the pot.",
    ),
    option(
        "deal.miss.fines_all_pass",
        "true or false",
        "Whether the dealer of a hand that all passed pays the fine too.",
    ),
    option(
        "auction.first_bidder",
        "left_of_dealer, dealer or previous_declarer",
        "Who speaks first.",
    ),
    option(
        "auction.minimum",
        "a number of points from 2 to 20",
        "The fewest points that can be bid in a suit.",
    ),
    option(
        "auction.no_trump_discount",
        "a number of points from 0 to less than the minimum",
        "By how much lower a no trump bid may be.",
    ),
    option("auction.ranking", "points, no_trump or suits", "What beats an equal number."),
    option("auction.pass_is_final", "true or false", "Whether a seat that passed is out."),
    option(
        "auction.all_pass",
        "redeal_next_dealer, redeal_same_dealer, second_round, second_round_lowered, dealer_opens or dealer_declares",
        "What follows when nobody bids.",
    ),
    option(
        "exchange.kitty_face_up",
        "true or false",
        "Whether all see the kitty before the declarer takes it.",
    ),
    option(
        "exchange.trump_change",
        "none, free or raise",
        "Whether the contract may have another trump than the bid.",
    ),
    option(
        "exchange.suit_change_raise",
        "a number of points from 0 to 255",
        "What another suit, or leaving no trump, costs.",
    ),
    option(
        "exchange.no_trump_change_raise",
        "a number of points from 0 to 255",
        "What going to no trump costs.",
    ),
    option(
        "exchange.raise_capped",
        "true or false",
        "Whether a price that would pass 20 is met by 20.",
    ),
    option(
        "exchange.may_raise",
        "true or false",
        "Whether the points may go up further than they must.",
    ),
    option(
        "friend.calls",
        "a list of card, first_trick, none and kitty, not empty, not kitty alone",
        "The kinds of friend call.",
    ),
    option(
        "friend.may_reveal",
        "true or false",
        "Whether the friend may say so with a play of its own.",
    ),
    option(
        "friend.lead_request",
        "true or false",
        "Whether the call of a card in 20 no trump may ask for a lead.",
    ),
    option(
        "play.first_lead_forbids",
        "a list of trump, joker and joker_call",
        "What the declarer may not lead to the first trick while it holds anything else.",
    ),
    option(
        "play.mighty_when_spades_trump",
        "an ace: AS, AC, AD or AH",
        "The Mighty when spades are trumps.",
    ),
    option(
        "play.mighty_ignores_suit",
        "true or false",
        "Whether the Mighty may be played whatever was led.",
    ),
    option(
        "play.joker.first_trick",
        "power, powerless or forbidden",
        "What the joker is worth in the first trick.",
    ),
    option(
        "play.joker.last_trick",
        "power or powerless",
        "What the joker is worth in the last trick.",
    ),
    option(
        "play.joker.no_trump_ends",
        "power or powerless",
        "powerless: in no trump the joker has no power in the first and the last trick.",
    ),
    option(
        "play.joker.lead",
        "names_suit or names_suit_or_none",
        "What a joker led with power may name.",
    ),
    option(
        "play.joker_call.card",
        "declared, or a card such as 3C that is neither the joker nor ever the Mighty",
        "The card that calls the joker.",
    ),
    option(
        "play.joker_call.card_when_clubs_trump",
        "declared, or a card such as 3C that is neither the joker nor ever the Mighty",
        "The card that calls the joker when clubs are trumps.",
    ),
    option(
        "play.joker_call.style",
        "always_on_lead, optional_on_lead or second_seat",
        "How the card calls.",
    ),
    option(
        "play.joker_call.first_trick",
        "true or false",
        "Whether it can call in the first trick.",
    ),
    option("play.joker_call.effect", "forced_out or weakened", "What a called joker must do."),
    option(
        "play.joker_call.mighty_saves",
        "true or false",
        "Whether a holder of both may play the Mighty instead of a joker that is forced out.",
    ),
    option(
        "scoring.success",
        "flat, contract, twice_contract_plus_over, points_over_base, risk, over or over_plus_one",
        "What a made contract is worth.",
    ),
    option("scoring.base", "a number of points from 0 to 255", "The base of the formulas."),
    option(
        "scoring.failure",
        "flat, deficit or contract_plus_deficit",
        "What a failed contract is worth.",
    ),
    option(
        "scoring.overtrick_bonus",
        "a number of points from 0 to 255",
        "Points for each point over the contract, to the declarer alone.",
    ),
    option(
        "scoring.doubles",
        "a list of no_trump, no_friend, run, grand_slam and back_run",
        "What doubles the score.",
    ),
    option(
        "scoring.back_run",
        "a number of points from 0 to 255, or \"contract\"",
        "From how many points of the defenders a failed contract is a back run.",
    ),
    option("scoring.shares", "zero_sum, halved or uneven", "Who pays whom."),
    option(
        "match.hands",
        "a number of hands from 1 to 65535",
        "How many finished hands a match has.",
    ),
];

/// Sets one option of a sheet that is still JSON, and checks that the sheet can be read with it. A sheet that cannot is
/// of no more use.
pub(crate) fn set(sheet: &mut Value, path: &str, value: &Value) -> Result<(), RulesError> {
    let doc = OPTIONS.iter().find(|option| option.path == path).ok_or_else(|| unknown(path))?;
    let place = path.split('.').try_fold(sheet as &mut Value, |place, key| place.get_mut(key));
    let Some(place) = place else {
        return Err(RulesError::UnknownOption {
            path: path.to_owned(),
            known: "deal.miss is null here, so it has no options; set deal.miss to an object first"
                .to_owned(),
        });
    };
    *place = value.clone();
    let read = serde_json::from_value::<RuleSheet>(sheet.clone());
    read.map(|_| ()).map_err(|error| RulesError::WrongValue {
        path: path.to_owned(),
        value: value.to_string(),
        allowed: doc.allowed.to_owned(),
        problem: (value.is_array() || value.is_object()).then(|| error.to_string()),
    })
}

/// Names the options beside the one that does not exist, or all groups where even the group is unknown.
fn unknown(path: &str) -> RulesError {
    let group = path.rsplit_once('.').map_or("", |(group, _)| group);
    let beside: Vec<&str> = OPTIONS
        .iter()
        .map(|option| option.path)
        .filter(|known| known.strip_prefix(group).is_some_and(|rest| rest.starts_with('.')))
        .collect();
    let known = if group.is_empty() || beside.is_empty() {
        let all: Vec<&str> = OPTIONS.iter().map(|option| option.path).collect();
        format!("the options are {}", all.join(", "))
    } else {
        format!("beside it there are {}", beside.join(", "))
    };
    RulesError::UnknownOption { path: path.to_owned(), known }
}

/// The value of an option in a sheet that is JSON; `None` for an unknown path or one below a null.
pub fn value_at<'a>(sheet: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(sheet, |place, key| place.get(key))
}

/// The value of an option in a profile, as JSON; `None` for an unknown path or one below a null.
pub fn value_in(profile: Profile, path: &str) -> Option<Value> {
    value_at(&profile.sheet_json(), path).cloned()
}
