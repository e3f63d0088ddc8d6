//! The five seats, and what belongs to each.

use std::fmt;
use std::ops::{Index, IndexMut};

/// One of the five seats, 0 to 4, clockwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Seat(u8);

impl Seat {
    /// The five seats in order.
    pub const ALL: [Seat; 5] = [Seat(0), Seat(1), Seat(2), Seat(3), Seat(4)];

    /// The seat with this number; `None` from 5 up.
    pub fn new(number: usize) -> Option<Seat> {
        Seat::ALL.get(number).copied()
    }

    /// The number, 0 to 4.
    pub fn number(self) -> usize {
        self.0 as usize
    }

    /// The seat to the left, which is next in play.
    #[must_use]
    pub fn next(self) -> Seat {
        self.after(1)
    }

    /// The seat that many places to the left.
    #[must_use]
    #[inline]
    pub fn after(self, places: usize) -> Seat {
        Seat::ALL[(self.0 as usize + places) % 5]
    }

    /// All five seats, beginning with this one.
    pub fn round(self) -> impl Iterator<Item = Seat> {
        (0..5).map(move |places| self.after(places))
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One value for each seat.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BySeat<T>(pub [T; 5]);

impl<T> BySeat<T> {
    /// Makes the value of each seat.
    pub fn from_fn(mut make: impl FnMut(Seat) -> T) -> BySeat<T> {
        BySeat(std::array::from_fn(|number| make(Seat::ALL[number])))
    }

    /// Each seat with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Seat, &T)> {
        Seat::ALL.into_iter().zip(&self.0)
    }

    /// The values made into others, seat by seat.
    pub fn map<U>(self, make: impl FnMut(T) -> U) -> BySeat<U> {
        BySeat(self.0.map(make))
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.0 as usize]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.0 as usize]
    }
}
