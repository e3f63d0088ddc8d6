//! The options of a table: the sheet as data, and the rules that come of a sheet which makes sense.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::bid::{Bid, Trump};
use crate::card::{Card, NotACard, Rank, Suit};
use crate::options;

/// Every option of a table, in the shape of `profiles.json`. Just data: it may still make no sense.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSheet {
    /// The deal.
    pub deal: DealRules,
    /// The auction.
    pub auction: AuctionRules,
    /// Burying cards and fixing the contract.
    pub exchange: ExchangeRules,
    /// The friend call.
    pub friend: FriendRules,
    /// The tricks.
    pub play: PlayRules,
    /// The settlement.
    pub scoring: ScoringRules,
    /// The match.
    pub r#match: MatchRules,
}

/// Options of the deal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DealRules {
    /// In what order the cards go round.
    pub pattern: DealPattern,
    /// Who deals after a finished hand.
    pub next_dealer: NextDealer,
    /// On what terms a weak hand may be thrown in, if at all.
    pub miss: Option<DealMiss>,
}

/// In what order the cards go round. Both begin left of the dealer; the last three cards are the kitty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DealPattern {
    /// Ten rounds of one card.
    OneByOne,
    /// Rounds of one, two, three and four cards.
    #[serde(rename = "packets_1_2_3_4")]
    Packets1234,
}

/// Who deals after a finished hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextDealer {
    /// The seat to the left of the dealer.
    Clockwise,
    /// The friend of the hand, or its declarer when it had none.
    Friend,
    /// The declarer of the hand.
    Declarer,
}

/// On what terms a weak hand may be thrown in. Weights are in half points.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DealMiss {
    /// When a seat may throw in.
    pub timing: MissTiming,
    /// Each A K Q J that no other line names.
    pub honour: i16,
    /// Each ten.
    pub ten: i16,
    /// The ace of spades.
    pub spade_ace: i16,
    /// The ace of diamonds.
    pub diamond_ace: i16,
    /// The joker.
    pub joker: i16,
    /// A hand whose weight is at most this qualifies.
    pub at_most: i16,
    /// Who deals again.
    pub next_dealer: MissDealer,
    /// Points that the dealer of a hand thrown in pays into the pot.
    pub fine: u16,
    /// Whether the dealer of a hand that all passed pays the fine too.
    pub fines_all_pass: bool,
}

/// When a weak hand may be thrown in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissTiming {
    /// Each seat that qualifies is asked, in auction order, before the auction.
    BeforeAuction,
    /// A seat that qualifies may throw in instead of its first call.
    FirstTurn,
}

/// Who deals again after a hand was thrown in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissDealer {
    /// The same dealer.
    Same,
    /// The seat that threw in, which also begins the auctions of that hand from then on.
    Claimant,
}

/// Options of the auction.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuctionRules {
    /// Who speaks first.
    pub first_bidder: FirstBidder,
    /// The fewest points that can be bid in a suit.
    pub minimum: u8,
    /// By how much lower a no trump bid may be.
    pub no_trump_discount: u8,
    /// What beats an equal number.
    pub ranking: Ranking,
    /// Whether a seat that passed is out.
    pub pass_is_final: bool,
    /// What follows when nobody bids.
    pub all_pass: AllPass,
}

/// Who speaks first in the auction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstBidder {
    /// The seat to the left of the dealer.
    LeftOfDealer,
    /// The dealer.
    Dealer,
    /// The declarer of the last hand that had one (the dealer, while there is none).
    PreviousDeclarer,
}

/// What beats an equal number of points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ranking {
    /// Nothing does.
    Points,
    /// No trump beats a suit.
    NoTrump,
    /// Spades < clubs < diamonds < hearts < no trump.
    Suits,
}

/// What follows when nobody bids.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllPass {
    /// The deal moves on to the left.
    RedealNextDealer,
    /// The same dealer deals again.
    RedealSameDealer,
    /// A second whole auction with the same cards.
    SecondRound,
    /// Once more round for exactly the minimum less one; the first to bid is declarer.
    SecondRoundLowered,
    /// Does not happen: the dealer may not pass while no bid stands.
    DealerOpens,
    /// The dealer is declarer at the minimum less one, with any trump.
    DealerDeclares,
}

/// Options of the exchange and the contract.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeRules {
    /// Whether all see the kitty before the declarer takes it.
    pub kitty_face_up: bool,
    /// Whether the contract may have another trump than the bid.
    pub trump_change: TrumpChange,
    /// What another suit, or leaving no trump, costs.
    pub suit_change_raise: u8,
    /// What going to no trump costs.
    pub no_trump_change_raise: u8,
    /// Whether a price that would pass 20 is met by 20.
    pub raise_capped: bool,
    /// Whether the points may go up further than they must.
    pub may_raise: bool,
}

/// Whether the contract may have another trump than the bid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrumpChange {
    /// It may not.
    None,
    /// It may, free of charge.
    Free,
    /// It may, for more points.
    Raise,
}

/// Options of the friend call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FriendRules {
    /// The kinds of call that are allowed.
    pub calls: Vec<FriendKind>,
    /// Whether the friend may say so with a play of its own.
    pub may_reveal: bool,
    /// Whether the call of a card in 20 no trump may ask for a lead.
    pub lead_request: bool,
}

/// A kind of friend call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FriendKind {
    /// The seat that holds the named card.
    Card,
    /// Whoever wins the first trick.
    FirstTrick,
    /// Nobody: openly alone.
    None,
    /// A buried card is marked: a game alone that does not count as announced.
    Kitty,
}

/// Options of the tricks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayRules {
    /// What the declarer may not lead to the first trick while it holds anything else.
    pub first_lead_forbids: Vec<LeadBan>,
    /// The Mighty when spades are trumps.
    pub mighty_when_spades_trump: Card,
    /// Whether the Mighty may be played whatever was led.
    pub mighty_ignores_suit: bool,
    /// The joker.
    pub joker: JokerRules,
    /// The card that calls the joker.
    pub joker_call: JokerCallRules,
}

/// What the declarer may not lead to the first trick.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeadBan {
    /// A trump by suit, a Mighty of that suit included.
    Trump,
    /// The joker.
    Joker,
    /// The calling card.
    JokerCall,
}

/// Options of the joker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JokerRules {
    /// What the joker is worth in the first trick.
    pub first_trick: JokerFirstTrick,
    /// What the joker is worth in the last trick.
    pub last_trick: JokerPower,
    /// `powerless`: in no trump the joker has no power in the first and the last trick.
    pub no_trump_ends: JokerPower,
    /// What a joker led with power may name.
    pub lead: JokerLead,
}

/// What the joker is worth in the first trick.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JokerFirstTrick {
    /// It beats all but the Mighty.
    Power,
    /// It may be played, and loses.
    Powerless,
    /// It may not be played.
    Forbidden,
}

/// What the joker is worth at an end of the hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JokerPower {
    /// It beats all but the Mighty.
    Power,
    /// It may be played, and loses.
    Powerless,
}

/// What a joker led with power may name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JokerLead {
    /// A suit, which the others follow.
    NamesSuit,
    /// A suit, or none: then everyone plays what they like.
    NamesSuitOrNone,
}

/// Options of the joker call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JokerCallRules {
    /// The calling card.
    pub card: CallingCard,
    /// The calling card when clubs are trumps.
    pub card_when_clubs_trump: CallingCard,
    /// How the card calls.
    pub style: JokerCallStyle,
    /// Whether it can call in the first trick.
    pub first_trick: bool,
    /// What a called joker must do.
    pub effect: JokerCallEffect,
    /// Whether a holder of both may play the Mighty instead of a joker that is forced out.
    pub mighty_saves: bool,
}

/// Which card calls the joker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallingCard {
    /// The declarer names it with the contract.
    Declared,
    /// Always this one.
    Fixed(Card),
}

impl Serialize for CallingCard {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            CallingCard::Declared => to.serialize_str("declared"),
            CallingCard::Fixed(card) => card.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for CallingCard {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<CallingCard, D::Error> {
        let text = String::deserialize(from)?;
        if text == "declared" {
            return Ok(CallingCard::Declared);
        }
        let card = text.parse().map_err(|NotACard(text)| {
            serde::de::Error::custom(format!(
                "`{text}` is neither a card such as 3C nor `declared`"
            ))
        })?;
        Ok(CallingCard::Fixed(card))
    }
}

/// How the calling card calls the joker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JokerCallStyle {
    /// Leading it calls.
    AlwaysOnLead,
    /// The leader says whether it calls.
    OptionalOnLead,
    /// Played by the second hand on a joker led with power.
    SecondSeat,
}

/// What a called joker must do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JokerCallEffect {
    /// Its holder must play it, follow suit or not.
    ForcedOut,
    /// It need not be played, and no longer frees its holder from following suit.
    Weakened,
}

/// Options of the settlement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoringRules {
    /// What a made contract is worth.
    pub success: SuccessScore,
    /// The base of the formulas.
    pub base: u8,
    /// What a failed contract is worth.
    pub failure: FailureScore,
    /// Points for each point over the contract, to the declarer alone.
    pub overtrick_bonus: u8,
    /// What doubles the score.
    pub doubles: Vec<Double>,
    /// From how many points of the defenders a failed contract is a back run.
    pub back_run: BackRun,
    /// Who pays whom.
    pub shares: Shares,
}

/// What a made contract is worth: B the contract's points, P those taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SuccessScore {
    /// 1
    Flat,
    /// B − base
    Contract,
    /// 2(B − base) + (P − B)
    TwiceContractPlusOver,
    /// P − base
    PointsOverBase,
    /// (P − base) + (B − base)
    Risk,
    /// P − B
    Over,
    /// P − B + 1
    OverPlusOne,
}

/// What a failed contract is worth: B the contract's points, P those taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureScore {
    /// 1
    Flat,
    /// B − P
    Deficit,
    /// (B − base) + (B − P)
    ContractPlusDeficit,
}

/// What doubles the score, once each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Double {
    /// A contract without trump.
    NoTrump,
    /// Nobody was called, announced.
    NoFriend,
    /// All twenty points taken.
    Run,
    /// A contract of twenty, made.
    GrandSlam,
    /// A failed contract in which the defenders took very many.
    BackRun,
}

/// From how many points of the defenders a failed contract is a back run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackRun {
    /// From this many.
    Points(u8),
    /// From as many as the contract.
    Contract,
}

impl Serialize for BackRun {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            BackRun::Points(points) => to.serialize_u8(*points),
            BackRun::Contract => to.serialize_str("contract"),
        }
    }
}

impl<'de> Deserialize<'de> for BackRun {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<BackRun, D::Error> {
        let value = Value::deserialize(from)?;
        if value == "contract" {
            return Ok(BackRun::Contract);
        }
        let points = value.as_u64().and_then(|points| u8::try_from(points).ok());
        points.map(BackRun::Points).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "`{value}` is neither a number of points from 0 to 255 nor \"contract\""
            ))
        })
    }
}

/// Who pays whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shares {
    /// The declarer ±2S (alone ±4S), the friend ±S, each defender ∓S.
    ZeroSum,
    /// When made as `zero_sum` with S/2 for S, when failed as `zero_sum`.
    Halved,
    /// The declarer ±S, the friend ±S/2, each defender ∓S: it does not sum to zero.
    Uneven,
}

/// Options of the match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchRules {
    /// How many finished hands.
    pub hands: u16,
}

/// A named rule sheet: one of the four of `profiles.json`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Profile {
    /// The Spanish and Portuguese "how to play" pages.
    Classic,
    /// The Spanish page with the hunter three.
    Hunter,
    /// The Korean page with the Ripper.
    Ripper,
    /// The Korean wiki page.
    Korean,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 4] =
        [Profile::Classic, Profile::Hunter, Profile::Ripper, Profile::Korean];

    /// The name in `profiles.json`.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Classic => "classic",
            Profile::Hunter => "hunter",
            Profile::Ripper => "ripper",
            Profile::Korean => "korean",
        }
    }

    /// What marks the profile, in a sentence.
    pub fn mark(self) -> &'static str {
        match self {
            Profile::Classic => {
                "suits are ranked in the auction, a pass is not final, the declarer names the card that calls the joker, and only the second hand may use it"
            }
            Profile::Hunter => {
                "the joker is weak in the first and the last trick, the three of clubs may call it, weak hands may be thrown in, trumps may change at a price"
            }
            Profile::Ripper => {
                "the kitty is shown, a second auction follows five passes, the joker may not be played to the first trick, the Ripper always calls it"
            }
            Profile::Korean => {
                "contracts from 14, only a higher number outbids, deal misses before the auction"
            }
        }
    }

    /// The profile of this name.
    ///
    /// # Errors
    /// [`RulesError::UnknownProfile`], which lists the names.
    pub fn named(name: &str) -> Result<Profile, RulesError> {
        Profile::ALL
            .into_iter()
            .find(|profile| profile.name() == name)
            .ok_or_else(|| RulesError::UnknownProfile { name: name.to_owned() })
    }

    pub(crate) fn sheet_json(self) -> Value {
        let all: Value = serde_json::from_str(include_str!("../data/profiles.json"))
            .expect("the profiles beside this crate are JSON");
        all[self.name()].clone()
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Overrides of a profile: dotted option paths, such as `auction.minimum`, and their JSON values.
pub type Overrides = serde_json::Map<String, Value>;

/// Why there are no such rules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RulesError {
    /// No profile has this name.
    #[error("there is no profile `{name}`; there are classic, hunter, ripper and korean")]
    UnknownProfile {
        /// The name asked for.
        name: String,
    },
    /// No option has this path.
    #[error("there is no option `{path}`; {known}")]
    UnknownOption {
        /// The path asked for.
        path: String,
        /// The paths that there are.
        known: String,
    },
    /// The option cannot have this value.
    #[error("`{path}` cannot be {value}; it may be {allowed}{}", in_brackets(.problem))]
    WrongValue {
        /// The option's path.
        path: String,
        /// The value asked for, as JSON.
        value: String,
        /// The values that it may have.
        allowed: String,
        /// What is wrong inside a value that has parts, such as a list.
        problem: Option<String>,
    },
    /// The text is no rule sheet.
    #[error("this is no rule sheet: {problem}")]
    NoSheet {
        /// What is wrong with it.
        problem: String,
    },
    /// Each option is right by itself, but they make no sense together.
    #[error("`{path}`: {problem}")]
    Nonsense {
        /// The path of the option to change.
        path: &'static str,
        /// What is wrong, and what would be right.
        problem: String,
    },
}

/// The rules of a table: a sheet that makes sense, with where it came from and its hash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    sheet: RuleSheet,
    profile: Profile,
    overrides: Overrides,
    json: String,
    hash: String,
}

impl Deref for Rules {
    type Target = RuleSheet;

    fn deref(&self) -> &RuleSheet {
        &self.sheet
    }
}

impl Rules {
    /// The rules of a profile as they stand.
    pub fn of(profile: Profile) -> Rules {
        Rules::with(profile, &Overrides::new()).expect("every profile makes sense")
    }

    /// The rules of a profile with some options set otherwise.
    ///
    /// # Errors
    /// An unknown path, a value that the option cannot have, or options that make no sense together.
    pub fn with(profile: Profile, overrides: &Overrides) -> Result<Rules, RulesError> {
        let mut json = profile.sheet_json();
        for (path, value) in overrides {
            options::set(&mut json, path, value)?;
        }
        let sheet: RuleSheet = serde_json::from_value(json)
            .map_err(|error| RulesError::NoSheet { problem: error.to_string() })?;
        Rules::from_sheet(profile, overrides, sheet)
    }

    /// The rules of a whole sheet, as a record holds it; profile and overrides tell where it came from.
    ///
    /// # Errors
    /// Options that make no sense together.
    pub fn from_sheet(
        profile: Profile,
        overrides: &Overrides,
        sheet: RuleSheet,
    ) -> Result<Rules, RulesError> {
        check(&sheet)?;
        let json = serde_json::to_value(&sheet).expect("a sheet is plain data").to_string();
        let hash = crate::hex(&Sha256::digest(json.as_bytes()));
        Ok(Rules { sheet, profile, overrides: overrides.clone(), json, hash })
    }

    /// The rules of a profile with overrides written as JSON texts: `("auction.minimum", "14")`.
    ///
    /// # Errors
    /// As [`Rules::with`]; a value that is no JSON is taken as a word: `("auction.ranking", "suits")`.
    pub fn with_texts<'a>(
        profile: Profile,
        overrides: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Rules, RulesError> {
        let read = |text: &str| {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
        };
        let overrides =
            overrides.into_iter().map(|(path, text)| (path.to_owned(), read(text))).collect();
        Rules::with(profile, &overrides)
    }

    /// The profile that these rules started from.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// What was set otherwise than in the profile.
    pub fn overrides(&self) -> &Overrides {
        &self.overrides
    }

    /// The whole sheet in its canonical form: compact JSON with sorted keys.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// SHA-256 of [`Rules::json`], in hex: equal rules have equal hashes.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The Mighty under this trump.
    pub fn mighty(&self, trump: Trump) -> Card {
        match trump {
            Trump::Suit(Suit::Spades) => self.play.mighty_when_spades_trump,
            Trump::Suit(Suit::Clubs | Suit::Diamonds | Suit::Hearts) | Trump::NoTrump => {
                Card::ACE_OF_SPADES
            }
        }
    }

    /// The calling card under this trump, as far as the rules fix it.
    pub fn calling_card(&self, trump: Trump) -> CallingCard {
        match trump {
            Trump::Suit(Suit::Clubs) => self.play.joker_call.card_when_clubs_trump,
            Trump::Suit(Suit::Spades | Suit::Diamonds | Suit::Hearts) | Trump::NoTrump => {
                self.play.joker_call.card
            }
        }
    }

    /// Whether this kind of friend call is allowed.
    pub fn allows_friend(&self, kind: FriendKind) -> bool {
        self.friend.calls.contains(&kind)
    }

    /// The fewest points that can be bid with this trump in an ordinary auction.
    pub fn lowest_bid(&self, trump: Trump) -> u8 {
        match trump {
            Trump::Suit(_) => self.auction.minimum,
            Trump::NoTrump => self.auction.minimum - self.auction.no_trump_discount,
        }
    }

    /// The minimum less one: the lowered second round, and the dealer who must declare.
    pub fn lowered_points(&self) -> u8 {
        self.auction.minimum - 1
    }
}

fn in_brackets(problem: &Option<String>) -> String {
    problem.as_ref().map_or_else(String::new, |problem| format!(" ({problem})"))
}

/// Refuses options that make no sense together. Each kind of nonsense is one entry here.
fn check(sheet: &RuleSheet) -> Result<(), RulesError> {
    let refuse = |path, problem: String| Err(RulesError::Nonsense { path, problem });
    let AuctionRules { minimum, no_trump_discount, .. } = sheet.auction;
    if !(2..=Bid::MOST_POINTS).contains(&minimum) {
        return refuse("auction.minimum", format!("{minimum} is not from 2 to 20"));
    }
    if no_trump_discount >= minimum {
        return refuse(
            "auction.no_trump_discount",
            format!(
                "{no_trump_discount} leaves no point to bid; it must be less than the minimum, {minimum}"
            ),
        );
    }
    let mighty = sheet.play.mighty_when_spades_trump;
    if mighty.rank() != Some(Rank::Ace) {
        return refuse(
            "play.mighty_when_spades_trump",
            format!("{mighty} is no ace; it may be AS, AC, AD or AH"),
        );
    }
    check_calling_cards(sheet)?;
    let calls = &sheet.friend.calls;
    if calls.is_empty() {
        return refuse(
            "friend.calls",
            "no kind of friend call is allowed; name one or more of card, first_trick, none and kitty"
                .to_owned(),
        );
    }
    if calls[..] == [FriendKind::Kitty] {
        return refuse(
            "friend.calls",
            "kitty cannot be the only kind; add card, first_trick or none".to_owned(),
        );
    }
    if repeats(calls) {
        return refuse("friend.calls", "a kind is named twice; name each once".to_owned());
    }
    if repeats(&sheet.play.first_lead_forbids) {
        return refuse(
            "play.first_lead_forbids",
            "a ban is named twice; name each once".to_owned(),
        );
    }
    if repeats(&sheet.scoring.doubles) {
        return refuse(
            "scoring.doubles",
            "a double is named twice, but each counts once; name each once".to_owned(),
        );
    }
    if sheet.r#match.hands == 0 {
        return refuse("match.hands", "a match has at least one hand".to_owned());
    }
    Ok(())
}

fn check_calling_cards(sheet: &RuleSheet) -> Result<(), RulesError> {
    let call = &sheet.play.joker_call;
    let fixed = match (call.card, call.card_when_clubs_trump) {
        (CallingCard::Declared, CallingCard::Declared) => return Ok(()),
        (CallingCard::Fixed(card), CallingCard::Fixed(with_clubs)) => [
            (
                "play.joker_call.card",
                card,
                card == Card::ACE_OF_SPADES || card == sheet.play.mighty_when_spades_trump,
            ),
            // With clubs as trumps the Mighty is the ace of spades, whatever it is with spades.
            (
                "play.joker_call.card_when_clubs_trump",
                with_clubs,
                with_clubs == Card::ACE_OF_SPADES,
            ),
        ],
        (CallingCard::Declared, CallingCard::Fixed(card)) => {
            return Err(RulesError::Nonsense {
                path: "play.joker_call.card_when_clubs_trump",
                problem: format!(
                    "{card} is fixed while play.joker_call.card is declared; let both be declared, or both be cards"
                ),
            });
        }
        (CallingCard::Fixed(card), CallingCard::Declared) => {
            return Err(RulesError::Nonsense {
                path: "play.joker_call.card",
                problem: format!(
                    "{card} is fixed while play.joker_call.card_when_clubs_trump is declared; let both be declared, or both be cards"
                ),
            });
        }
    };
    for (path, card, can_be_mighty) in fixed {
        let problem = match card {
            Card::JOKER => "the joker cannot call itself; name another card".to_owned(),
            _ if can_be_mighty => format!("{card} can be the Mighty; name another card"),
            _ => continue,
        };
        return Err(RulesError::Nonsense { path, problem });
    }
    Ok(())
}

fn repeats<T: PartialEq>(items: &[T]) -> bool {
    items.iter().enumerate().any(|(at, item)| items[..at].contains(item))
}
