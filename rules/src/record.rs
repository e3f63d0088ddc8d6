//! Records: whole hands and matches as lines of JSON, replayed and compared with what they say of themselves.
//!
//! A hand line has the fields of `vectors.jsonl`, a match line those of `matches.jsonl`. A record that a server
//! exports is a match line with more to tell (players, full rules, decks, defaults); the replay asks only for what
//! decides a hand: rules, deck or seed, dealer and moves.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::card::Card;
use crate::choices::Choices;
use crate::deck::{Cut, Deck, Seed};
use crate::event::{HandResult, Void, VoidReason};
use crate::hand::{Hand, Outcome};
use crate::illegal::Illegal;
use crate::r#match::{Dealing, Match, MatchKind, first_bidder};
use crate::rules::{Overrides, Profile, RuleSheet, Rules};
use crate::score::Score;
use crate::seat::{BySeat, Seat};
use crate::view::Setup;

/// A hand as a line of `vectors.jsonl`: what decides it. What it says of its outcome is compared, not read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HandLine {
    /// The profile's name.
    pub profile: String,
    /// Options set otherwise than in the profile, by dotted path.
    #[serde(default)]
    pub overrides: Overrides,
    /// The 53 cards in dealing order.
    pub deck: String,
    /// Who deals, 0 to 4.
    pub dealer: usize,
    /// Who speaks first; by the rules of a hand that stands alone when missing.
    #[serde(default)]
    pub first_bidder: Option<usize>,
    /// The moves, blanks between.
    pub moves: String,
}

/// A match as a line of `matches.jsonl`, and as a server exports it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchLine {
    /// The record's identifier on its server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The profile's name.
    pub profile: String,
    /// Options set otherwise than in the profile, by dotted path.
    #[serde(default)]
    pub overrides: Overrides,
    /// All options in full, so that the record outlives a change of its profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RuleSheet>,
    /// SHA-256 of the rules' canonical JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_hash: Option<String>,
    /// The names at the five seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<[String; 5]>,
    /// Whether each deal stands alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub duplicate: bool,
    /// The secret seed in hex; missing while the match goes on, when each row has its deck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// SHA-256 of the seed in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
    /// The card that each seat drew for the first deal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Vec<String>>,
    /// Every deal, void ones too.
    pub rows: Vec<Row>,
    /// What each seat has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<Vec<Score>>,
    /// What is left in the pot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pot: Option<u64>,
}

impl MatchLine {
    /// The rules of the match: its own sheet, else its profile with its overrides.
    ///
    /// # Errors
    /// There are no such rules.
    pub fn rules(&self) -> Result<Arc<Rules>, Unreadable> {
        let Some(sheet) = &self.rules else { return rules_of(&self.profile, &self.overrides) };
        Profile::named(&self.profile)
            .and_then(|profile| Rules::from_sheet(profile, &self.overrides, sheet.clone()))
            .map(Arc::new)
            .map_err(|error| Unreadable(error.to_string()))
    }

    /// The secret seed, once it is published.
    ///
    /// # Errors
    /// It is not 64 hex digits.
    pub fn seed(&self) -> Result<Option<Seed>, Unreadable> {
        let read = |hex: &String| {
            Seed::from_hex(hex)
                .ok_or_else(|| Unreadable("seed: 64 hex digits are expected".to_owned()))
        };
        self.seed.as_ref().map(read).transpose()
    }

    /// The match before its first deal; who deals first follows from the seed, or else is as the first row or the cut says.
    ///
    /// # Errors
    /// The rules, the seed or the cut cannot be read, or there is neither a seed nor a deal nor a cut.
    pub fn begin(&self) -> Result<Match, Unreadable> {
        let first_dealer = match (self.seed()?, self.rows.first(), &self.cut) {
            (Some(seed), _, _) => seed.cut().dealer(),
            (None, Some(row), _) => seat_of(row.dealer, "rows[0].dealer")?,
            (None, None, Some(cut)) => cut_of(cut)?.dealer(),
            (None, None, None) => return Err(Unreadable("rows: there is no deal".to_owned())),
        };
        let kind = match self.duplicate {
            true => MatchKind::Duplicate,
            false => MatchKind::Ordinary { first_dealer },
        };
        Ok(Match::new(self.rules()?, kind))
    }
}

/// One deal of a match.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Which hand, from 1.
    pub hand: u32,
    /// How often it had been dealt before.
    pub redeal: u32,
    /// Who dealt.
    pub dealer: usize,
    /// Who spoke first.
    pub first_bidder: usize,
    /// The 53 cards in dealing order; they follow from the seed where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deck: Option<String>,
    /// The moves, blanks between.
    pub moves: String,
    /// Which of the moves (from 0) the table made, since the seat sent none in time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defaults: Vec<usize>,
    /// Answers that were refused: at which move (from 0), by which seat, what was sent and why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
    /// Seats that were given up in this deal, so that a house bot played on for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<GivenUp>,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: RowOutcome,
}

impl Row {
    /// The deck that was dealt: it follows from the seed where that is known, else the row has it.
    ///
    /// # Errors
    /// There is neither, or the row's is no deck.
    pub fn deck(&self, seed: Option<&Seed>, dealing: &Dealing) -> Result<Deck, Unreadable> {
        match (seed, &self.deck) {
            (Some(seed), _) => Ok(seed.deck(dealing.hand, dealing.redeal)),
            (None, Some(deck)) => deck_of(deck),
            (None, None) => Err(Unreadable("deck: there is neither seed nor deck".to_owned())),
        }
    }
}

/// An answer that was refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// Before which move, from 0.
    pub at: usize,
    /// Whose answer.
    pub seat: usize,
    /// What was sent, in notation where it could be read.
    pub sent: String,
    /// Why it was refused.
    pub why: String,
}

/// A seat that was given up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GivenUp {
    /// Before which move, from 0.
    pub at: usize,
    /// Which seat.
    pub seat: usize,
    /// The house bot that played on.
    pub stand_in: String,
}

/// How a deal ended, as JSON: `void` or `result`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RowOutcome {
    /// Why it was not played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<Value>,
    /// How it was settled, the pot's share inside its scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
}

impl From<&Outcome> for RowOutcome {
    fn from(outcome: &Outcome) -> RowOutcome {
        match outcome {
            Outcome::Scored(result) => RowOutcome { void: None, result: Some(result_json(result)) },
            Outcome::Void(void) => RowOutcome { void: Some(void_json(void)), result: None },
        }
    }
}

fn result_json(result: &HandResult) -> Value {
    json!({
        "declarer": result.declarer.number(),
        "friend": result.friend.map(Seat::number),
        "contract": result.contract.to_string(),
        "taken": result.taken,
        "made": result.made,
        "factor": result.factor,
        "scores": result.scores.0,
        "next_dealer": result.next_dealer.number(),
    })
}

fn void_json(void: &Void) -> Value {
    match void.why {
        VoidReason::DealMiss { seat, .. } => json!({
            "why": "deal_miss",
            "seat": seat.number(),
            "next_dealer": void.next_dealer.number(),
        }),
        VoidReason::AllPassed => json!({
            "why": "all_passed",
            "next_dealer": void.next_dealer.number(),
        }),
    }
}

/// A hand replayed from its moves.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The hand after the last move that was accepted.
    pub hand: Hand,
    /// How many moves were legal before each move.
    pub legal_counts: Vec<usize>,
    /// The legal plays before each play, sorted, blanks between.
    pub legal_plays: Vec<String>,
    /// The move that was refused, counted from 0, and why; the replay ends there.
    pub refused: Option<(usize, Illegal)>,
}

impl Replay {
    /// The winners of the tricks.
    pub fn winners(&self) -> Vec<usize> {
        let taken = self.hand.public().tricks().map_or(&[][..], |tricks| &tricks.taken);
        taken.iter().map(|(_, winner)| winner.number()).collect()
    }
}

/// Replays a hand from its moves in text notation, counting what was legal before each.
pub fn replay(rules: Arc<Rules>, deck: &Deck, setup: Setup, moves: &str) -> Replay {
    let hand = Hand::deal(rules, deck, setup);
    let mut replay =
        Replay { hand, legal_counts: Vec::new(), legal_plays: Vec::new(), refused: None };
    for (at, text) in moves.split_whitespace().enumerate() {
        let hand = &mut replay.hand;
        let Some((seat, choices)) = hand.turn().and_then(|seat| Some((seat, hand.choices(seat)?)))
        else {
            replay.refused = Some((at, Illegal::HandOver));
            break;
        };
        replay.legal_counts.push(choices.count());
        if let Choices::Play(plays) = choices {
            let mut plays: Vec<String> = plays.plays().map(|play| play.to_string()).collect();
            plays.sort_unstable();
            replay.legal_plays.push(plays.join(" "));
        }
        if let Err(why) = hand.apply_text(seat, text) {
            replay.refused = Some((at, why));
            break;
        }
    }
    replay
}

/// A line that cannot be read, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Something a line says of itself that the replay does not confirm.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// Where in the line, such as `result.taken` or `rows[3].dealer`.
    pub place: String,
    /// What the line says.
    pub said: Value,
    /// What the replay gives, or what is wrong.
    pub replayed: Value,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { place, said, replayed } = self;
        write!(f, "{place}: the line says {said}, the replay gives {replayed}")
    }
}

/// A line that was replayed.
#[derive(Clone, Debug)]
pub struct VerifiedLine {
    /// Each hand with the fields of `vectors.jsonl`.
    pub hands: Vec<Value>,
    /// What the line says otherwise.
    pub differences: Vec<Difference>,
    /// Whether it is a match line, not a hand alone.
    pub is_match: bool,
    /// Whether a deck commitment was checked (a match line whose seed is published).
    pub commitment_checked: bool,
}

/// Replays a line of a record, of `vectors.jsonl` or of `matches.jsonl`, and compares all that it says of itself.
///
/// # Errors
/// The line cannot be read: no JSON, missing fields, unknown rules, wrong cards.
pub fn verify_line(line: &str) -> Result<VerifiedLine, Unreadable> {
    // That the fault is in line 1 of a line says nothing.
    let unreadable = |error: serde_json::Error| {
        Unreadable(error.to_string().replace(" at line 1 column ", " at column "))
    };
    let value: Value = serde_json::from_str(line).map_err(unreadable)?;
    if !value.is_object() {
        return Err(Unreadable("a line is a JSON object".to_owned()));
    }
    if value.get("rows").is_some() {
        let line = MatchLine::deserialize(&value).map_err(unreadable)?;
        verify_match(&line, &value)
    } else {
        let line = HandLine::deserialize(&value).map_err(unreadable)?;
        verify_hand(&line, &value)
    }
}

fn cut_of(cards: &[String]) -> Result<Cut, Unreadable> {
    let read = cards.iter().map(|card| card.parse()).collect::<Result<Vec<Card>, _>>();
    let cards = read.ok().and_then(|cards| <[Card; 5]>::try_from(cards).ok());
    let cards = cards.ok_or_else(|| Unreadable("cut: five cards are expected".to_owned()))?;
    Ok(Cut { cards: BySeat(cards) })
}

fn seat_of(number: usize, field: &str) -> Result<Seat, Unreadable> {
    Seat::new(number).ok_or_else(|| Unreadable(format!("{field}: {number} is no seat from 0 to 4")))
}

fn rules_of(profile: &str, overrides: &Overrides) -> Result<Arc<Rules>, Unreadable> {
    let rules = Profile::named(profile).and_then(|profile| Rules::with(profile, overrides));
    rules.map(Arc::new).map_err(|error| Unreadable(error.to_string()))
}

fn deck_of(text: &str) -> Result<Deck, Unreadable> {
    text.parse().map_err(|error| Unreadable(format!("deck: {error}")))
}

fn verify_hand(line: &HandLine, value: &Value) -> Result<VerifiedLine, Unreadable> {
    let rules = rules_of(&line.profile, &line.overrides)?;
    let dealer = seat_of(line.dealer, "dealer")?;
    let first_bidder = match line.first_bidder {
        Some(number) => seat_of(number, "first_bidder")?,
        None => first_bidder(&rules, dealer, None),
    };
    let setup = Setup { dealer, first_bidder, pot: 0 };
    let replay = replay(rules, &deck_of(&line.deck)?, setup, &line.moves);
    let head = json!({
        "profile": line.profile,
        "overrides": line.overrides,
        "deck": line.deck,
        "dealer": line.dealer,
        "moves": line.moves,
    });
    let (hand, differences) = compare_hand(&replay, head, value, "");
    Ok(VerifiedLine { hands: vec![hand], differences, is_match: false, commitment_checked: false })
}

/// The replayed hand with the fields of `vectors.jsonl`, and what is said of it otherwise.
fn compare_hand(
    replay: &Replay,
    head: Value,
    said: &Value,
    place: &str,
) -> (Value, Vec<Difference>) {
    let mut differences = Vec::new();
    let mut hand = head;
    hand["legal_counts"] = json!(replay.legal_counts);
    hand["legal_plays"] = json!(replay.legal_plays);
    match replay.hand.outcome() {
        Some(outcome @ Outcome::Scored(_)) => {
            hand["winners"] = json!(replay.winners());
            hand["result"] = RowOutcome::from(&outcome).result.unwrap_or(Value::Null);
        }
        Some(outcome @ Outcome::Void(_)) => {
            hand["void"] = RowOutcome::from(&outcome).void.unwrap_or(Value::Null);
        }
        None => {}
    }
    let moves = said["moves"].as_str().unwrap_or_default();
    if let Some((at, why)) = &replay.refused {
        let token = moves.split_whitespace().nth(*at).unwrap_or_default();
        hand["refused"] = json!({ "move": at, "text": token, "why": why.to_string() });
        differences.push(Difference {
            place: format!("{place}moves[{at}]"),
            said: json!(token),
            replayed: json!(format!("refused: {why}")),
        });
    } else if replay.hand.outcome().is_none() {
        differences.push(Difference {
            place: format!("{place}moves"),
            said: json!(format!("{} moves", moves.split_whitespace().count())),
            replayed: json!("the hand is not over"),
        });
    }
    for field in ["legal_counts", "legal_plays", "winners", "result", "void"] {
        if let Some(said) = said.get(field) {
            compare(&format!("{place}{field}"), said, &hand[field], &mut differences);
        }
    }
    (hand, differences)
}

/// Names every place where what is said differs from what was replayed.
fn compare(place: &str, said: &Value, replayed: &Value, differences: &mut Vec<Difference>) {
    let same = match (said, replayed) {
        (Value::Object(said), Value::Object(replayed)) => {
            for (key, said) in said {
                let replayed = replayed.get(key).unwrap_or(&Value::Null);
                compare(&format!("{place}.{key}"), said, replayed, differences);
            }
            for (key, replayed) in replayed {
                if !said.contains_key(key) {
                    compare(&format!("{place}.{key}"), &Value::Null, replayed, differences);
                }
            }
            return;
        }
        (Value::Array(said), Value::Array(replayed)) if said.len() == replayed.len() => {
            for (at, (said, replayed)) in said.iter().zip(replayed).enumerate() {
                compare(&format!("{place}[{at}]"), said, replayed, differences);
            }
            return;
        }
        // 2 and 2.0 are the same score.
        (Value::Number(said), Value::Number(replayed)) => said.as_f64() == replayed.as_f64(),
        (said, replayed) => said == replayed,
    };
    if !same {
        differences.push(Difference {
            place: place.to_owned(),
            said: said.clone(),
            replayed: replayed.clone(),
        });
    }
}

fn verify_match(line: &MatchLine, value: &Value) -> Result<VerifiedLine, Unreadable> {
    let rules = line.rules()?;
    let mut differences = Vec::new();
    let mut said = |place: &str, said: Option<Value>, replayed: Value| {
        if let Some(said) = said {
            compare(place, &said, &replayed, &mut differences);
        }
    };
    said("rules_hash", line.rules_hash.clone().map(Value::from), json!(rules.hash()));
    let seed = line.seed()?;
    if let Some(seed) = &seed {
        said("commitment", line.commitment.clone().map(Value::from), json!(seed.commitment()));
        said("cut", line.cut.clone().map(Value::from), json!(seed.cut().cards.0));
    }
    let commitment_checked = seed.is_some() && line.commitment.is_some();
    let mut flow = line.begin()?;
    let mut hands = Vec::new();
    for (at, row) in line.rows.iter().enumerate() {
        let place = format!("rows[{at}].");
        let Some(dealing) = flow.dealing() else {
            differences.push(Difference {
                place: format!("rows[{at}]"),
                said: json!(format!("hand {}", row.hand)),
                replayed: json!("the match is over"),
            });
            break;
        };
        let setup = dealing.setup;
        for (field, said, replayed) in [
            ("hand", json!(row.hand), json!(dealing.hand)),
            ("redeal", json!(row.redeal), json!(dealing.redeal)),
            ("dealer", json!(row.dealer), json!(setup.dealer.number())),
            ("first_bidder", json!(row.first_bidder), json!(setup.first_bidder.number())),
        ] {
            compare(&format!("{place}{field}"), &said, &replayed, &mut differences);
        }
        let deck = row
            .deck(seed.as_ref(), &dealing)
            .map_err(|Unreadable(why)| Unreadable(place.clone() + &why))?;
        if let Some(said) = &row.deck {
            let said = json!(deck_of(said)?.to_string());
            compare(&format!("{place}deck"), &said, &json!(deck.to_string()), &mut differences);
        }
        let replay = replay(rules.clone(), &deck, setup, &row.moves);
        let head = json!({
            "profile": line.profile,
            "overrides": line.overrides,
            "deck": deck.to_string(),
            "dealer": setup.dealer.number(),
            "moves": row.moves,
            "hand": dealing.hand,
            "redeal": dealing.redeal,
            "first_bidder": setup.first_bidder.number(),
        });
        let (hand, found) = compare_hand(&replay, head, &value["rows"][at], &place);
        hands.push(hand);
        differences.extend(found);
        match replay.hand.outcome() {
            Some(outcome) => flow.finish(&outcome),
            // Without an end of this hand nothing is known of the next; the differences tell why.
            None => {
                return Ok(VerifiedLine { hands, differences, is_match: true, commitment_checked });
            }
        };
    }
    if seed.is_some() && !flow.is_over() {
        differences.push(Difference {
            place: "rows".to_owned(),
            said: json!(format!("{} deals", line.rows.len())),
            replayed: json!("the match is not over"),
        });
    }
    let totals = value.get("totals").filter(|totals| !totals.is_null());
    for (place, said, replayed) in
        [("totals", totals, json!(flow.totals().0)), ("pot", value.get("pot"), json!(flow.pot()))]
    {
        if let Some(said) = said {
            compare(place, said, &replayed, &mut differences);
        }
    }
    Ok(VerifiedLine { hands, differences, is_match: true, commitment_checked })
}
