//! The settlement: from contract and points to what each seat gets.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};

use crate::bid::{Bid, Trump};
use crate::rules::{BackRun, Double, FailureScore, Rules, Shares, SuccessScore};
use crate::seat::{BySeat, Seat};

/// A score, exact to half a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score {
    halves: i64,
}

impl Score {
    /// Nothing.
    pub const ZERO: Score = Score { halves: 0 };

    /// So many whole points.
    pub const fn points(points: i64) -> Score {
        Score { halves: points * 2 }
    }

    /// So many half points.
    pub const fn halves(halves: i64) -> Score {
        Score { halves }
    }

    /// The score in half points.
    pub const fn in_halves(self) -> i64 {
        self.halves
    }

    /// The score in points, for statistics.
    pub fn as_f64(self) -> f64 {
        self.halves as f64 / 2.0
    }
}

impl Add for Score {
    type Output = Score;
    fn add(self, other: Score) -> Score {
        Score { halves: self.halves + other.halves }
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Score) {
        self.halves += other.halves;
    }
}

impl Sub for Score {
    type Output = Score;
    fn sub(self, other: Score) -> Score {
        Score { halves: self.halves - other.halves }
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score { halves: -self.halves }
    }
}

impl Sum for Score {
    fn sum<I: Iterator<Item = Score>>(scores: I) -> Score {
        scores.fold(Score::ZERO, Add::add)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.halves < 0 { "-" } else { "" };
        let halves = self.halves.unsigned_abs();
        let half = if halves % 2 == 1 { ".5" } else { "" };
        write!(f, "{sign}{}{half}", halves / 2)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl serde::Serialize for Score {
    /// Whole points are whole numbers, halves end in `.5`.
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.halves % 2 == 0 {
            to.serialize_i64(self.halves / 2)
        } else {
            to.serialize_f64(self.as_f64())
        }
    }
}

impl<'de> serde::Deserialize<'de> for Score {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Score, D::Error> {
        let halves = f64::deserialize(from)? * 2.0;
        if halves.fract() != 0.0 || halves.abs() > 1e15 {
            return Err(serde::de::Error::custom("a score is a multiple of one half"));
        }
        Ok(Score { halves: halves as i64 })
    }
}

/// How a played hand ended, as far as the settlement asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The declarer.
    pub declarer: Seat,
    /// The friend; nobody in a game alone.
    pub friend: Option<Seat>,
    /// Whether the declarer announced that there is no friend.
    pub announced_alone: bool,
    /// The contract.
    pub contract: Bid,
    /// The points of the declarer's side, buried ones included, 0 to 20.
    pub taken: u8,
}

impl Played {
    /// Whether the contract was made.
    pub fn made(&self) -> bool {
        self.taken >= self.contract.points
    }

    fn is_on_declarers_side(&self, seat: Seat) -> bool {
        seat == self.declarer || Some(seat) == self.friend
    }

    fn defenders_took(&self) -> u8 {
        Bid::MOST_POINTS - self.taken
    }

    /// What the hand is worth before doubling, never below zero.
    pub fn worth(&self, rules: &Rules) -> i64 {
        let contract = i64::from(self.contract.points);
        let taken = i64::from(self.taken);
        let base = i64::from(rules.scoring.base);
        let worth = if self.made() {
            match rules.scoring.success {
                SuccessScore::Flat => 1,
                SuccessScore::Contract => contract - base,
                SuccessScore::TwiceContractPlusOver => 2 * (contract - base) + (taken - contract),
                SuccessScore::PointsOverBase => taken - base,
                SuccessScore::Risk => (taken - base) + (contract - base),
                SuccessScore::Over => taken - contract,
                SuccessScore::OverPlusOne => taken - contract + 1,
            }
        } else {
            match rules.scoring.failure {
                FailureScore::Flat => 1,
                FailureScore::Deficit => contract - taken,
                FailureScore::ContractPlusDeficit => (contract - base) + (contract - taken),
            }
        };
        worth.max(0)
    }

    /// Whether this double applies, were it among the rules' doubles.
    pub fn is_doubled_by(&self, double: Double, rules: &Rules) -> bool {
        match double {
            Double::NoTrump => self.contract.trump == Trump::NoTrump,
            Double::NoFriend => self.announced_alone,
            Double::Run => self.taken == Bid::MOST_POINTS,
            Double::GrandSlam => self.contract.points == Bid::MOST_POINTS && self.made(),
            Double::BackRun => {
                let enough = match rules.scoring.back_run {
                    BackRun::Points(points) => points,
                    BackRun::Contract => self.contract.points,
                };
                !self.made() && self.defenders_took() >= enough
            }
        }
    }

    /// The product of the doubles.
    pub fn factor(&self, rules: &Rules) -> i64 {
        let doubles = &rules.scoring.doubles;
        let count = doubles.iter().filter(|double| self.is_doubled_by(**double, rules)).count();
        1 << count
    }

    /// What each seat gets for the hand itself, the pot aside.
    pub fn scores(&self, rules: &Rules) -> BySeat<Score> {
        let factor = self.factor(rules);
        let stake = Score::points(self.worth(rules) * factor);
        let (declarer, friend, defender) = self.shares(stake.in_halves(), rules.scoring.shares);
        let bonus = if self.made() {
            let over = i64::from(self.taken - self.contract.points);
            Score::points(over * i64::from(rules.scoring.overtrick_bonus) * factor)
        } else {
            Score::ZERO
        };
        BySeat::from_fn(|seat| {
            if seat == self.declarer {
                declarer + bonus
            } else if Some(seat) == self.friend {
                friend
            } else {
                defender
            }
        })
    }

    /// The shares of the declarer, the friend and each defender in a stake of so many half points.
    fn shares(&self, stake: i64, shares: Shares) -> (Score, Score, Score) {
        let signed = if self.made() { stake } else { -stake };
        let zero_sum = |stake: i64| {
            let declarer = if self.friend.is_some() { 2 * stake } else { 4 * stake };
            (Score::halves(declarer), Score::halves(stake), Score::halves(-stake))
        };
        match shares {
            Shares::ZeroSum => zero_sum(signed),
            // A stake is whole points, so its half is exact.
            Shares::Halved if self.made() => zero_sum(signed / 2),
            Shares::Halved => zero_sum(signed),
            Shares::Uneven => {
                (Score::halves(signed), Score::halves(signed / 2), Score::halves(-signed))
            }
        }
    }

    /// The seats that share the pot: the side that won the hand.
    pub fn winning_side(&self) -> impl Iterator<Item = Seat> {
        let played = *self;
        Seat::ALL
            .into_iter()
            .filter(move |seat| played.is_on_declarers_side(*seat) == played.made())
    }

    /// Splits a pot among the side that won: what each of its seats gets in whole points, and what stays.
    pub fn split_pot(&self, pot: u64) -> (BySeat<Score>, u64) {
        let winners = self.winning_side().count() as u64;
        let each = pot / winners;
        let mut scores = BySeat::default();
        for seat in self.winning_side() {
            scores[seat] = Score::points(each as i64);
        }
        (scores, pot - each * winners)
    }
}
