//! A test that stops when the answer is in: whether one bot is better than another.

/// What is asked of the test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Question {
    /// The difference that matters, in points a hand, above 0.
    pub effect: f64,
    /// How often, at most, one is called better although both are equal; between 0 and 1.
    pub false_alarm: f64,
    /// How often, at most, one that is better by the effect is not called better; between 0 and 1.
    pub missed: f64,
}

impl Default for Question {
    fn default() -> Question {
        Question { effect: 0.5, false_alarm: 0.05, missed: 0.05 }
    }
}

/// What came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The first is better.
    FirstBetter,
    /// The second is better.
    SecondBetter,
    /// They differ by less than the effect.
    NoDifference,
}

/// A sequential test of the mean difference over blocks, taken in the order of the schedule.
///
/// Two of Wald's probability ratio tests run side by side, "equal" against "better by the effect" in either direction,
/// each with half the false alarms (Sobel and Wald 1949, Ann. Math. Statist. 20, 502). The unknown variance is estimated
/// from the blocks so far, as in a generalised ratio test (Li, Liu, Ying 2014, Sequential Analysis 33, 539): with n blocks of
/// mean m and variance s², the logarithm of the ratio is n · effect · (2 m − effect) / (2 s²).
#[derive(Clone, Debug)]
pub struct SequentialTest {
    question: Question,
    blocks: f64,
    sum: f64,
    squares: f64,
    /// What each direction has come to, first better and second better.
    verdicts: [Option<bool>; 2],
}

/// The variance counts this many made-up blocks, each so many effects off the mean: bots that differ in few hands would
/// else look alike for sure after some equal blocks.
const MADE_UP_BLOCKS: f64 = 2.0;
const MADE_UP_DISTANCE: f64 = 20.0;

impl SequentialTest {
    /// A test without blocks.
    pub fn new(question: Question) -> SequentialTest {
        SequentialTest { question, blocks: 0.0, sum: 0.0, squares: 0.0, verdicts: [None; 2] }
    }

    /// Takes in the next block: the mean of first − second, in points a hand. Tells the answer once there is one;
    /// further blocks do not change it.
    pub fn add(&mut self, difference: f64) -> Option<Answer> {
        if let Some(answer) = self.answer() {
            return Some(answer);
        }
        self.blocks += 1.0;
        self.sum += difference;
        self.squares += difference * difference;
        let Question { effect, false_alarm, missed } = self.question;
        let accept = ((1.0 - missed) / (false_alarm / 2.0)).ln();
        let reject = (missed / (1.0 - false_alarm / 2.0)).ln();
        let mean = self.sum / self.blocks;
        let spread = (self.squares - self.blocks * mean * mean).max(0.0);
        let made_up = MADE_UP_BLOCKS * (MADE_UP_DISTANCE * effect).powi(2);
        let variance = (spread + made_up) / (self.blocks + MADE_UP_BLOCKS);
        for (verdict, mean) in self.verdicts.iter_mut().zip([mean, -mean]) {
            let ratio = self.blocks * effect * (2.0 * mean - effect) / (2.0 * variance);
            if verdict.is_none() && (ratio >= accept || ratio <= reject) {
                *verdict = Some(ratio >= accept);
            }
        }
        self.answer()
    }

    /// The answer, once there is one.
    pub fn answer(&self) -> Option<Answer> {
        match self.verdicts {
            [Some(true), _] => Some(Answer::FirstBetter),
            [_, Some(true)] => Some(Answer::SecondBetter),
            [Some(false), Some(false)] => Some(Answer::NoDifference),
            [None | Some(false), None] | [None, Some(false)] => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha12Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// How a simulated comparison went.
    #[derive(Default, Debug)]
    struct Simulated {
        first: usize,
        second: usize,
        equal: usize,
        blocks: usize,
    }

    const RUNS: usize = 1000;

    fn simulate(mut block: impl FnMut(&mut ChaCha12Rng) -> f64) -> Simulated {
        let mut rng = ChaCha12Rng::seed_from_u64(11);
        let mut simulated = Simulated::default();
        for _ in 0..RUNS {
            let mut test = SequentialTest::new(Question::default());
            let answer = loop {
                simulated.blocks += 1;
                if let Some(answer) = test.add(block(&mut rng)) {
                    break answer;
                }
            };
            match answer {
                Answer::FirstBetter => simulated.first += 1,
                Answer::SecondBetter => simulated.second += 1,
                Answer::NoDifference => simulated.equal += 1,
            }
        }
        simulated
    }

    /// A bell with this standard deviation, as the sum of three uniform numbers.
    fn bell(rng: &mut ChaCha12Rng, deviation: f64) -> f64 {
        (0..3).map(|_| rng.random_range(-1.0..1.0)).sum::<f64>() * deviation
    }

    /// Most blocks equal, few far off: two bots that differ in one hand of many.
    fn seldom(rng: &mut ChaCha12Rng) -> f64 {
        match rng.random_range(0..20_u8) {
            0 => 10.0,
            1 => -10.0,
            _ => 0.0,
        }
    }

    /// 5 % of 1000 runs are 50; chance adds 22 with a probability of one in a thousand.
    const AT_MOST: usize = 72;

    #[test]
    fn equal_bots_are_seldom_told_apart() {
        for (what, simulated) in [
            ("little luck", simulate(|rng| bell(rng, 1.0))),
            ("much luck", simulate(|rng| bell(rng, 4.0))),
            ("seldom different", simulate(seldom)),
        ] {
            assert!(simulated.first + simulated.second <= AT_MOST, "{what}: {simulated:?}");
        }
    }

    #[test]
    fn a_bot_better_by_the_effect_is_seldom_missed() {
        for (what, simulated) in [
            ("little luck", simulate(|rng| 0.5 + bell(rng, 1.0))),
            ("much luck", simulate(|rng| 0.5 + bell(rng, 4.0))),
            ("seldom different", simulate(|rng| 0.5 + seldom(rng))),
        ] {
            assert!(simulated.second + simulated.equal <= AT_MOST, "{what}: {simulated:?}");
        }
        let worse = simulate(|rng| -0.5 + bell(rng, 4.0));
        assert!(worse.first + worse.equal <= AT_MOST, "{worse:?}");
    }

    #[test]
    fn a_large_difference_is_found_sooner_than_the_effect() {
        let just = simulate(|rng| 0.5 + bell(rng, 4.0));
        let large = simulate(|rng| 2.0 + bell(rng, 4.0));
        assert!(large.blocks * 3 < just.blocks, "{large:?} {just:?}");
        assert_eq!(large.first, RUNS);
    }

    #[test]
    fn bots_that_play_alike_are_called_equal_after_some_blocks() {
        let mut test = SequentialTest::new(Question::default());
        let blocks = (1..).find(|_| test.add(0.0).is_some()).expect("the test ends");
        assert_eq!(test.answer(), Some(Answer::NoDifference));
        assert!((20..200).contains(&blocks), "{blocks}");
    }
}
