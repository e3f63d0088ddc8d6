//! The parts of a hand as lines of text: auction, contract, tricks and settlement.
//!
//! All is drawn from what everyone knows, so that a table that is watched and a record that is read look alike.

use mighty_rules::{
    Auction, BySeat, Call, Double, FailureScore, Friend, HandResult, HeardCall, Played, Public,
    Round, Rules, Score, Seat, Shares, SuccessScore, Trick, Tricks, Void, VoidReason, WinningBid,
    Won,
};

use crate::paint::Paint;
use crate::seats::{Grid, Names, labelled};

/// How things are written.
#[derive(Clone, Copy)]
pub(crate) struct Style<'a> {
    /// Who sits where.
    pub(crate) names: &'a Names,
    /// Where the seats' columns stand.
    pub(crate) grid: Grid,
    /// How cards are written.
    pub(crate) paint: Paint,
}

impl Style<'_> {
    /// The calls of an auction, a line for each time round.
    pub(crate) fn auction(self, auction: &Auction) -> Vec<String> {
        let place = |seat: Seat| (5 + seat.number() - auction.first_bidder.number()) % 5;
        let mut lines: Vec<BySeat<String>> = Vec::new();
        let mut last_place = None;
        for (at, (seat, call)) in auction.calls.iter().enumerate() {
            // Every other round follows five passes, which is a time round like any other.
            if last_place.is_none_or(|last| place(*seat) <= last) {
                lines.push(BySeat::default());
            }
            last_place = Some(place(*seat));
            let said = match call {
                Call::Pass => "-".to_owned(),
                Call::Bid(bid) => self.paint.bid(*bid),
            };
            let line = lines.last_mut().expect("a line was begun for the first call");
            line[*seat] = if at == 0 { format!("{said} (first)") } else { said };
        }
        let label = |at| match (at, auction.round) {
            (0, _) => "auction",
            (1, Round::Second) => "2nd round",
            (1, Round::Lowered) => "one less",
            (_, _) => "",
        };
        lines.iter().enumerate().map(|(at, line)| self.grid.row(label(at), line)).collect()
    }

    /// Who is declarer, and what was called: as far as it has come.
    pub(crate) fn contract(self, public: &Public) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(won) = public.won() else { return lines };
        lines.push(labelled("declarer", &self.won(won)));
        if let Some(kitty) = won.kitty {
            lines.push(labelled("kitty", &self.paint.cards(kitty)));
        }
        let Some(contract) = public.contract() else { return lines };
        lines.push(labelled(
            "contract",
            &format!(
                "{}   Mighty {}   joker called by {}",
                self.paint.bid(contract.bid),
                self.paint.card(contract.mighty),
                self.paint.card(contract.calling_card)
            ),
        ));
        let Some(tricks) = public.tricks() else { return lines };
        lines.push(labelled(
            "friend",
            &format!("{}: {}", self.call(tricks.call), self.friend(tricks.friend)),
        ));
        if let Some((cards, marked)) = tricks.buried {
            let marked = marked.map(|card| format!("   marked {}", self.paint.card(card)));
            let cards = self.paint.cards(cards);
            lines.push(labelled("buried", &format!("{cards}{}", marked.unwrap_or_default())));
        }
        lines
    }

    /// How the auction was won.
    pub(crate) fn won(self, won: &Won) -> String {
        let declarer = self.names.of(won.declarer);
        match won.with {
            WinningBid::Bid(bid) => format!("{declarer} with {}", self.paint.bid(bid)),
            WinningBid::DealerDeclares { points } => {
                format!("{declarer}, who must declare for {points} points")
            }
        }
    }

    /// What all heard of the friend call.
    pub(crate) fn call(self, call: HeardCall) -> String {
        match call {
            HeardCall::Card { card, lead_request: None } => {
                format!("holder of {}", self.paint.card(card))
            }
            HeardCall::Card { card, lead_request: Some(suit) } => {
                let (card, suit) = (self.paint.card(card), self.paint.suit(suit));
                format!("holder of {card}, asked to lead {suit}")
            }
            HeardCall::FirstTrick => "winner of the first trick".to_owned(),
            HeardCall::Nobody => "none called".to_owned(),
            HeardCall::Kitty => "a buried card".to_owned(),
        }
    }

    fn friend(self, friend: Friend) -> String {
        match friend {
            Friend::Hidden => "not known yet".to_owned(),
            Friend::Seat(seat) => self.names.of(seat),
            Friend::Nobody => "the declarer is alone".to_owned(),
        }
    }

    /// The last so many tricks, a line each, the open one among them: `>` leads, `*` wins, `!` the joker was called.
    pub(crate) fn tricks(self, tricks: &Tricks, most: usize) -> Vec<String> {
        let taken = tricks.taken.iter().map(|(trick, winner)| (trick, Some(*winner)));
        let is_open = tricks.taken.len() < tricks.trick.number as usize;
        let open = is_open.then_some((&tricks.trick, tricks.trick.winner(&tricks.contract)));
        let all: Vec<String> =
            taken.chain(open).map(|(trick, winner)| self.trick(trick, winner)).collect();
        all[all.len().saturating_sub(most)..].to_vec()
    }

    fn trick(self, trick: &Trick, winner: Option<Seat>) -> String {
        let mut cells: BySeat<String> = BySeat::default();
        cells[trick.leader] = ">".to_owned();
        for (seat, card) in trick.plays() {
            let lead = if seat == trick.leader { ">" } else { "" };
            let card = match trick.joker_named {
                Some(named) if seat == trick.leader => named.to_string(),
                Some(_) | None => self.paint.card(card),
            };
            let wins = if winner == Some(seat) { " *" } else { "" };
            cells[seat] = format!("{lead}{card}{wins}");
        }
        let called = if trick.joker_called { " !" } else { "" };
        self.grid.row(&format!("trick {}{called}", trick.number), &cells)
    }

    /// The point cards that each seat captured.
    pub(crate) fn captured(self, tricks: &Tricks) -> String {
        self.grid.row("captured", &tricks.captured.map(|cards| cards.points().to_string()))
    }

    /// What a hand was worth and to whom, with the sums written out.
    pub(crate) fn settlement(
        self,
        tricks: &Tricks,
        result: &HandResult,
        rules: &Rules,
    ) -> Vec<String> {
        let played = Played {
            declarer: result.declarer,
            friend: result.friend,
            announced_alone: tricks.call == HeardCall::Nobody,
            contract: result.contract,
            taken: result.taken,
        };
        let mut lines = vec![
            labelled("result", &self.result(result)),
            labelled("worth", &worth(&played, rules)),
        ];
        let doubles: Vec<&str> = rules
            .scoring
            .doubles
            .iter()
            .filter(|double| played.is_doubled_by(**double, rules))
            .map(|double| double_name(*double))
            .collect();
        if !doubles.is_empty() {
            let doubles = doubles.join(", ");
            lines.push(labelled("doubled", &format!("{doubles}: times {}", result.factor)));
        }
        lines.push(labelled("shares", shares(&played, rules)));
        let over = result.taken.saturating_sub(result.contract.points);
        let bonus = i64::from(rules.scoring.overtrick_bonus);
        if result.made && bonus > 0 && over > 0 {
            let text = format!("{over} over, {bonus} each, to the declarer alone, doubled alike");
            lines.push(labelled("bonus", &text));
        }
        let own = played.scores(rules);
        let from_pot = BySeat::from_fn(|seat| result.scores[seat] - own[seat]);
        if from_pot != BySeat::default() {
            lines.push(self.grid.row("from pot", &from_pot.map(signed)));
        }
        lines.push(self.grid.row("score", &result.scores.map(signed)));
        lines
    }

    /// Whether the contract was made, in a sentence.
    pub(crate) fn result(self, result: &HandResult) -> String {
        let with = match result.friend {
            Some(friend) => format!("with {}", self.names.of(friend)),
            None => "alone".to_owned(),
        };
        let how = if result.made { "made" } else { "failed" };
        format!(
            "{} {with} {how} {}, taking {} points",
            self.names.of(result.declarer),
            self.paint.bid(result.contract),
            result.taken
        )
    }

    /// Why a hand was not played, in a sentence.
    pub(crate) fn void(self, void: &Void) -> String {
        let next = self.names.of(void.next_dealer);
        match void.why {
            VoidReason::DealMiss { seat, cards } => {
                let (seat, cards) = (self.names.of(seat), self.paint.cards(cards));
                format!("{seat} throws in a weak hand, {cards}; {next} deals next")
            }
            VoidReason::AllPassed => format!("all passed; {next} deals next"),
        }
    }
}

/// A score with its sign.
pub(crate) fn signed(score: Score) -> String {
    if score > Score::ZERO { format!("+{score}") } else { score.to_string() }
}

fn worth(played: &Played, rules: &Rules) -> String {
    let (b, p, base) = (played.contract.points, played.taken, rules.scoring.base);
    let worth = played.worth(rules);
    let sum = if played.made() {
        match rules.scoring.success {
            SuccessScore::Flat => return "1, as every made contract".to_owned(),
            SuccessScore::Contract => format!("contract {b} - base {base}"),
            SuccessScore::TwiceContractPlusOver => {
                format!("2 x (contract {b} - base {base}) + (taken {p} - contract {b})")
            }
            SuccessScore::PointsOverBase => format!("taken {p} - base {base}"),
            SuccessScore::Risk => {
                format!("(taken {p} - base {base}) + (contract {b} - base {base})")
            }
            SuccessScore::Over => format!("taken {p} - contract {b}"),
            SuccessScore::OverPlusOne => format!("taken {p} - contract {b} + 1"),
        }
    } else {
        match rules.scoring.failure {
            FailureScore::Flat => return "1, as every failed contract".to_owned(),
            FailureScore::Deficit => format!("contract {b} - taken {p}"),
            FailureScore::ContractPlusDeficit => {
                format!("(contract {b} - base {base}) + (contract {b} - taken {p})")
            }
        }
    };
    format!("{sum} = {worth}")
}

fn double_name(double: Double) -> &'static str {
    match double {
        Double::NoTrump => "no trump",
        Double::NoFriend => "no friend",
        Double::Run => "run",
        Double::GrandSlam => "grand slam",
        Double::BackRun => "back run",
    }
}

/// Who pays whom, in a sentence; S is the worth after doubling.
fn shares(played: &Played, rules: &Rules) -> &'static str {
    let is_alone = played.friend.is_none();
    match (rules.scoring.shares, played.made()) {
        (Shares::ZeroSum, true) if is_alone => "S from each defender to the declarer alone",
        (Shares::ZeroSum, true) => "S from each defender, 2S to the declarer, S to the friend",
        (Shares::Halved, true) if is_alone => "S/2 from each defender to the declarer alone",
        (Shares::Halved, true) => "S/2 from each defender, S to the declarer, S/2 to the friend",
        (Shares::ZeroSum | Shares::Halved, false) if is_alone => {
            "S to each defender from the declarer alone"
        }
        (Shares::ZeroSum | Shares::Halved, false) => {
            "S to each defender, 2S from the declarer, S from the friend"
        }
        (Shares::Uneven, true) => "the declarer wins S, the friend S/2, each defender loses S",
        (Shares::Uneven, false) => "the declarer loses S, the friend S/2, each defender wins S",
    }
}
