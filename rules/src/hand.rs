//! One hand: from a deck to a settled result, move by move.

use std::sync::Arc;

use crate::auction::{Round, Verdict};
use crate::bid::Trump;
use crate::card::{Card, CardSet};
use crate::choices::Choices;
use crate::contract::{Contract, ContractChoices, WinningBid};
use crate::deck::Deck;
use crate::event::{Audience, Event, HandResult, Notice, Viewer, Void, VoidReason};
use crate::illegal::{Illegal, explain};
use crate::moves::{FriendCall, HeardCall, Move, Play, Stage};
use crate::rules::{AllPass, MissDealer, MissTiming, NextDealer, Rules};
use crate::score::Played;
use crate::seat::{BySeat, Seat};
use crate::trick::Trick;
use crate::view::{Friend, Phase, Private, Public, Setup, Tricks, View};

/// A hand in the making: what all know, what each seat knows, and what nobody is told yet.
///
/// Rules, deck, setup and moves decide everything. A move is checked first, then committed; a refused move
/// changes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hand {
    public: Public,
    private: BySeat<Private>,
    kitty: CardSet,
    friend: Option<Seat>,
    log: Vec<Notice>,
}

/// How a hand ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was played and settled.
    Scored(HandResult),
    /// It ended without being played.
    Void(Void),
}

impl Hand {
    /// Deals a hand, and asks about weak hands where the rules do that before the auction.
    pub fn deal(rules: Arc<Rules>, deck: &Deck, setup: Setup) -> Hand {
        let dealt = deck.deal(rules.deal.pattern, setup.dealer);
        let mut hand = Hand {
            public: Public::new(rules, setup),
            private: BySeat::from_fn(Private::new),
            kitty: deck.kitty(),
            friend: None,
            log: Vec::with_capacity(96),
        };
        for (seat, cards) in dealt.iter() {
            hand.tell(seat, Event::Dealt { seat, cards: *cards });
        }
        hand.ask_the_next_weak_hand(None);
        hand
    }

    /// What all know.
    pub fn public(&self) -> &Public {
        &self.public
    }

    /// The rules of the table.
    pub fn rules(&self) -> &Rules {
        &self.public.rules
    }

    /// Everything that has happened, with who may know it.
    pub fn log(&self) -> &[Notice] {
        &self.log
    }

    /// What this viewer may know.
    pub fn view(&self, viewer: Viewer) -> View {
        let private = match viewer {
            Viewer::Seat(seat) => Some(self.private[seat]),
            Viewer::Spectator => None,
        };
        View { public: self.public.clone(), private }
    }

    /// The seat whose move is awaited; `None` once the hand is over.
    /// Others may not know it while a seat is asked about a weak hand: what they know is [`Public::to_act`].
    #[inline]
    pub fn turn(&self) -> Option<Seat> {
        let asked = self.private.iter().find(|(_, private)| private.asked_to_keep);
        asked.map(|(seat, _)| seat).or_else(|| self.public.to_act())
    }

    /// The stage of the move that is awaited; `None` once the hand is over.
    pub fn stage(&self) -> Option<Stage> {
        let asked = self.private.0.iter().any(|private| private.asked_to_keep);
        if asked { Some(Stage::WeakHand) } else { self.public.stage() }
    }

    /// What this seat may do now; `None` while it is not its turn.
    #[inline]
    pub fn choices(&self, seat: Seat) -> Option<Choices> {
        Choices::of(&self.public, &self.private[seat])
    }

    /// The move that is made for this seat when it sends none; `None` while it is not its turn.
    pub fn default_move(&self, seat: Seat) -> Option<Move> {
        crate::default_move::default_move(&self.public, &self.private[seat])
    }

    /// How the hand ended, once it has.
    pub fn outcome(&self) -> Option<Outcome> {
        match &self.public.phase {
            Phase::Scored(_, result) => Some(Outcome::Scored(*result)),
            Phase::Void(void) => Some(Outcome::Void(*void)),
            Phase::Auction
            | Phase::Exchange(_)
            | Phase::Contract(_)
            | Phase::FriendCall(..)
            | Phase::Play(_) => None,
        }
    }

    /// Whether this move would be accepted.
    ///
    /// # Errors
    /// Why not. It is accepted exactly when [`Hand::choices`] offers it.
    #[inline]
    pub fn check(&self, seat: Seat, wanted: &Move) -> Result<(), Illegal> {
        let choices = self.choices(seat);
        if choices.as_ref().is_some_and(|choices| choices.contains(wanted)) {
            return Ok(());
        }
        Err(explain(&self.public, &self.private[seat], choices, wanted))
    }

    /// Makes a move, and says what came of it.
    ///
    /// # Errors
    /// Why the move is refused; then nothing has changed.
    #[inline]
    pub fn apply(&mut self, seat: Seat, wanted: Move) -> Result<&[Notice], Illegal> {
        self.check(seat, &wanted)?;
        let before = self.log.len();
        self.commit(seat, wanted);
        Ok(&self.log[before..])
    }

    /// Makes a move that is written in the text notation.
    ///
    /// # Errors
    /// It cannot be read as a move of this stage, or it is refused; then nothing has changed.
    pub fn apply_text(&mut self, seat: Seat, text: &str) -> Result<&[Notice], Illegal> {
        let Some(stage) = self.stage() else { return Err(Illegal::HandOver) };
        if self.turn() != Some(seat) {
            return Err(Illegal::NotYourTurn);
        }
        let wanted = Move::read(text, stage)?;
        self.apply(seat, wanted)
    }

    /// Makes a move that was checked.
    fn commit(&mut self, seat: Seat, checked: Move) {
        match checked {
            Move::Keep => {
                self.tell(seat, Event::Kept { seat });
                self.ask_the_next_weak_hand(Some(seat));
            }
            Move::ThrowIn => self.throw_in(seat),
            Move::Pass => {
                self.announce(Event::Passed { seat });
                self.go_on_with_the_auction();
            }
            Move::Bid(bid) => {
                self.announce(Event::BidMade { seat, bid });
                self.go_on_with_the_auction();
            }
            Move::Bury(burial) => {
                self.tell(seat, Event::BuriedCards { cards: burial.cards() });
                self.announce(Event::Buried);
                self.fix_a_contract_without_choice();
            }
            Move::FixContract(fix) => {
                if let Some(contract) = Contract::fixed_by(fix, &self.public.rules) {
                    self.announce(Event::ContractFixed { contract });
                }
            }
            Move::CallFriend(call) => self.call_friend(seat, call),
            Move::Play(play) => self.play(seat, play),
        }
    }

    /// Everyone learns of the event.
    fn announce(&mut self, event: Event) {
        self.public.see(&event);
        if let Event::CardPlayed { seat, .. } = event {
            self.private[seat].see(&event, &self.public.rules);
        }
        self.log.push(Notice { audience: Audience::Everyone, event });
    }

    /// One seat alone learns of the event.
    fn tell(&mut self, seat: Seat, event: Event) {
        self.private[seat].see(&event, &self.public.rules);
        self.log.push(Notice { audience: Audience::Only(seat), event });
    }

    /// Asks the next weak hand in auction order, or opens the auction when there is none left to ask.
    fn ask_the_next_weak_hand(&mut self, kept: Option<Seat>) {
        let first_bidder = self.public.setup.first_bidder;
        let before_auction = self
            .public
            .rules
            .deal
            .miss
            .as_ref()
            .is_some_and(|miss| miss.timing == MissTiming::BeforeAuction);
        let mut to_ask =
            first_bidder.round().skip_while(|seat| kept.is_some_and(|kept| kept != *seat));
        if kept.is_some() {
            to_ask.next();
        }
        let weak = to_ask.find(|seat| before_auction && self.private[*seat].is_weak);
        match weak {
            Some(seat) => self.tell(seat, Event::AskedToKeep { seat }),
            None => self.tell(first_bidder, Event::AuctionOpened),
        }
    }

    fn throw_in(&mut self, seat: Seat) {
        let dealer = self.public.setup.dealer;
        let next_dealer = match self.public.rules.deal.miss.as_ref().map(|miss| miss.next_dealer) {
            Some(MissDealer::Claimant) => seat,
            Some(MissDealer::Same) | None => dealer,
        };
        let why = VoidReason::DealMiss { seat, cards: self.private[seat].cards };
        self.private[seat].asked_to_keep = false;
        self.announce(Event::HandVoid { void: Void { why, next_dealer } });
    }

    fn go_on_with_the_auction(&mut self) {
        match self.public.auction.verdict(&self.public.rules) {
            Verdict::Open => {}
            Verdict::Won(standing) => {
                self.win_the_auction(standing.seat, WinningBid::Bid(standing.bid));
            }
            Verdict::AllPassed => self.go_on_after_all_passed(),
        }
    }

    fn go_on_after_all_passed(&mut self) {
        let dealer = self.public.setup.dealer;
        let first_round = self.public.auction.round == Round::First;
        let void = |next_dealer| Event::HandVoid {
            void: Void { why: VoidReason::AllPassed, next_dealer },
        };
        match self.public.rules.auction.all_pass {
            AllPass::RedealNextDealer => self.announce(void(dealer.next())),
            AllPass::SecondRound if first_round => {
                self.announce(Event::AuctionAgain { round: Round::Second });
            }
            AllPass::SecondRoundLowered if first_round => {
                self.announce(Event::AuctionAgain { round: Round::Lowered });
            }
            AllPass::RedealSameDealer
            | AllPass::SecondRound
            | AllPass::SecondRoundLowered
            | AllPass::DealerOpens => self.announce(void(dealer)),
            AllPass::DealerDeclares => {
                let points = self.public.rules.lowered_points();
                self.win_the_auction(dealer, WinningBid::DealerDeclares { points });
            }
        }
    }

    fn win_the_auction(&mut self, declarer: Seat, with: WinningBid) {
        self.announce(Event::AuctionWon { declarer, with });
        if self.public.rules.exchange.kitty_face_up {
            self.announce(Event::KittyShown { cards: self.kitty });
        }
        self.tell(declarer, Event::KittyTaken { cards: self.kitty });
    }

    /// The declarer is asked for the contract only when there is something to choose, or a calling card to name.
    fn fix_a_contract_without_choice(&mut self) {
        let rules = &self.public.rules;
        let forced = self
            .public
            .won()
            .and_then(|won| ContractChoices::of(won.with, rules).forced())
            .and_then(|fix| Contract::fixed_by(fix, rules));
        if let Some(contract) = forced {
            self.announce(Event::ContractFixed { contract });
        }
    }

    fn call_friend(&mut self, declarer: Seat, call: FriendCall) {
        let heard = call.heard();
        self.announce(Event::FriendCalled { call: heard });
        match call {
            FriendCall::Card { card, .. } => {
                // The declarer's own card, or a buried one, is a secret game alone.
                let holder = self.private.iter().find(|(_, private)| private.cards.contains(card));
                let holder = holder.map(|(seat, _)| seat).filter(|seat| *seat != declarer);
                self.friend = holder;
                self.tell(holder.unwrap_or(declarer), Event::FriendTold { friend: holder });
            }
            FriendCall::Kitty(card) => self.tell(declarer, Event::KittyMarked { card }),
            FriendCall::FirstTrick | FriendCall::Nobody => {}
        }
    }

    fn play(&mut self, seat: Seat, play: Play) {
        let Phase::Play(tricks) = &self.public.phase else { return };
        let calls_joker = tricks.trick.calls_joker(
            play.card,
            tricks.joker_fell(),
            &tricks.contract,
            &self.public.rules,
        );
        let was_called = match tricks.call {
            HeardCall::Card { card, .. } => play.card.card() == card,
            HeardCall::FirstTrick | HeardCall::Nobody | HeardCall::Kitty => false,
        };
        let comes_out = tricks.friend == Friend::Hidden && (was_called || play.reveals);
        self.announce(Event::CardPlayed { seat, card: play.card, calls_joker });
        if comes_out {
            self.announce(Event::FriendRevealed { friend: self.friend });
        }
        self.take_a_complete_trick();
    }

    fn take_a_complete_trick(&mut self) {
        let Phase::Play(tricks) = &self.public.phase else { return };
        let trick = &tricks.trick;
        if !trick.is_complete() {
            return;
        }
        let winner = trick
            .winner(&tricks.contract)
            .expect("of five cards one is of the led suit, or the joker that named none has power");
        let first_trick_friend = trick.is_first() && tricks.call == HeardCall::FirstTrick;
        let is_last = trick.number == Trick::IN_A_HAND;
        let declarer = tricks.won.declarer;
        let points = trick.cards().points();
        self.announce(Event::TrickTaken { winner, points });
        if first_trick_friend {
            self.friend = (winner != declarer).then_some(winner);
            self.announce(Event::FriendRevealed { friend: self.friend });
        }
        if is_last {
            self.settle();
        }
    }

    fn settle(&mut self) {
        let Phase::Play(tricks) = &self.public.phase else { return };
        let declarer = tricks.won.declarer;
        let Private { buried, marked, .. } = self.private[declarer];
        let played = self.played(tricks, buried);
        let rules = &self.public.rules;
        let setup = &self.public.setup;
        let (pot_shares, pot) = played.split_pot(setup.pot);
        let hand_scores = played.scores(rules);
        let next_dealer = match rules.deal.next_dealer {
            NextDealer::Clockwise => setup.dealer.next(),
            NextDealer::Friend => played.friend.unwrap_or(declarer),
            NextDealer::Declarer => declarer,
        };
        let result = HandResult {
            declarer,
            friend: played.friend,
            contract: played.contract,
            taken: played.taken,
            made: played.made(),
            factor: played.factor(rules),
            scores: BySeat::from_fn(|seat| hand_scores[seat] + pot_shares[seat]),
            pot,
            next_dealer,
        };
        self.announce(Event::BuriedShown { cards: buried, marked });
        self.announce(Event::HandScored { result });
    }

    fn played(&self, tricks: &Tricks, buried: CardSet) -> Played {
        let declarer = tricks.won.declarer;
        let captured = |seat: Seat| tricks.captured[seat].points();
        Played {
            declarer,
            friend: self.friend,
            announced_alone: tricks.call == HeardCall::Nobody,
            contract: tricks.contract.bid,
            taken: captured(declarer) + self.friend.map_or(0, captured) + buried.points(),
        }
    }

    /// The 53 cards by where they are: each hand, what has fallen, and what is in the kitty or buried.
    #[doc(hidden)]
    pub fn whereabouts(&self) -> (BySeat<CardSet>, CardSet, CardSet) {
        let hands = BySeat::from_fn(|seat| self.private[seat].cards);
        let fallen = self.public.tricks().map_or(CardSet::EMPTY, |tricks| tricks.fallen);
        let aside = match self.public.won() {
            Some(won) if self.public.stage() != Some(Stage::Exchange) => {
                self.private[won.declarer].buried
            }
            Some(_) => CardSet::EMPTY,
            None => self.kitty,
        };
        (hands, fallen, aside)
    }
}

/// The trump that a declarer means to play, before the contract is fixed.
pub(crate) fn intended_trump(public: &Public) -> Option<Trump> {
    public.contract().map(|contract| contract.bid.trump).or_else(|| public.won()?.with.trump())
}

/// The Mighty as far as it can be told: of the contract, else of the bid, else the ace of spades.
pub(crate) fn intended_mighty(public: &Public) -> Card {
    intended_trump(public).map_or(Card::ACE_OF_SPADES, |trump| public.rules.mighty(trump))
}
