//! Means and how sure they are: the block is the sample.

use mighty_server::ladder::standings::t_quantile;

/// Points over hands, added up block by block.
///
/// Hands of one block share their deal, so they are no samples of their own. Points over hands is a ratio r of two sums
/// over n blocks, and its variance is that of the blocks' residuals, points − r · hands:
/// n / (n − 1) · Σ residual² / (Σ hands)² (Cochran, Sampling Techniques, 6.4).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PerHand {
    blocks: u64,
    points: f64,
    hands: f64,
    squared_points: f64,
    points_by_hands: f64,
    squared_hands: f64,
}

/// A mean with its 95 % interval, in points per 100 hands.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct Estimate {
    /// The mean.
    pub points: f64,
    /// Half the width of its interval; none with fewer than two blocks.
    pub interval: Option<f64>,
}

impl PerHand {
    /// Adds a block: the points of all its hands, and how many there were. A block without hands tells nothing.
    pub fn add(&mut self, points: f64, hands: f64) {
        if hands == 0.0 {
            return;
        }
        self.blocks += 1;
        self.points += points;
        self.hands += hands;
        self.squared_points += points * points;
        self.points_by_hands += points * hands;
        self.squared_hands += hands * hands;
    }

    /// How many hands there were.
    pub fn hands(&self) -> f64 {
        self.hands
    }

    /// Points per 100 hands; `None` before the first hand.
    pub fn per_100(&self) -> Option<Estimate> {
        if self.blocks == 0 {
            return None;
        }
        let ratio = self.points / self.hands;
        let interval = (self.blocks > 1).then(|| {
            let blocks = self.blocks as f64;
            let residuals = self.squared_points - 2.0 * ratio * self.points_by_hands
                + ratio * ratio * self.squared_hands;
            let variance = blocks / (blocks - 1.0) * residuals.max(0.0) / self.hands.powi(2);
            100.0 * t_quantile(self.blocks - 1) * variance.sqrt()
        });
        Some(Estimate { points: 100.0 * ratio, interval })
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:+.1}", self.points)?;
        self.interval.map_or(Ok(()), |interval| write!(f, " ± {interval:.1}"))
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha12Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn a_mean_is_as_sure_as_its_blocks_agree() {
        let mut per_hand = PerHand::default();
        assert_eq!(per_hand.per_100(), None);
        per_hand.add(10.0, 5.0);
        assert_eq!(per_hand.per_100(), Some(Estimate { points: 200.0, interval: None }));
        per_hand.add(0.0, 0.0);
        per_hand.add(20.0, 5.0);
        let estimate = per_hand.per_100().expect("there were hands");
        assert_eq!(estimate.points, 300.0);
        // Two samples, 200 and 400: a standard error of 100, and 12.706 of them.
        assert!((estimate.interval.expect("two blocks") - 1270.62).abs() < 0.01, "{estimate}");
    }

    /// Blocks of five hands that share their luck: hand-wise intervals would be far too narrow.
    #[test]
    fn nineteen_of_twenty_intervals_hold_the_truth() {
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        let held = (0..2000).filter(|_| {
            let mut per_hand = PerHand::default();
            for _ in 0..12 {
                let luck = rng.random_range(-10.0..10.0);
                let hands = f64::from(rng.random_range(3..=5_u8));
                per_hand.add((2.0 + luck) * hands, hands);
            }
            let estimate = per_hand.per_100().expect("there were hands");
            (estimate.points - 200.0).abs() <= estimate.interval.expect("twelve blocks")
        });
        let held = held.count();
        assert!((1860..=1940).contains(&held), "{held} of 2000");
    }
}
