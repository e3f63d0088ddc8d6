//! The five seats side by side: their names, and a grid with a column for each.

use mighty_rules::{BySeat, Seat};

use crate::paint::width;
use crate::text::printable;

const LABEL_WIDTH: usize = 11;
const SEAT_WIDTH: usize = 13;
/// A longer name is cut off where it heads a column.
const NAME_LETTERS_MAX: usize = SEAT_WIDTH - 3;

/// The names at the five seats, made harmless for a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Names(BySeat<String>);

impl Names {
    /// These names; a seat without one goes by its number.
    pub(crate) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
        let mut names = names.into_iter();
        Names(BySeat::from_fn(|_| names.next().map(printable).unwrap_or_default()))
    }

    /// A seat as a sentence names it: `2 cy`.
    pub(crate) fn of(&self, seat: Seat) -> String {
        match self.0[seat].as_str() {
            "" => format!("seat {seat}"),
            name => format!("{seat} {name}"),
        }
    }

    /// The head of a grid.
    pub(crate) fn head(&self) -> String {
        row("", &BySeat::from_fn(|seat| self.of(seat).chars().take(NAME_LETTERS_MAX + 2).collect()))
    }
}

/// A line of a grid.
pub(crate) fn row(label: &str, cells: &BySeat<String>) -> String {
    let line = cells.0.iter().fold(padded(label, LABEL_WIDTH), |line, cell| {
        // A cell that is too long pushes the others on rather than run into them.
        let gap = if line.is_empty() || line.ends_with(' ') { "" } else { " " };
        line + gap + &padded(cell, SEAT_WIDTH)
    });
    line.trim_end().to_owned()
}

/// A line with a label before it, in line with a grid.
pub(crate) fn labelled(label: &str, text: &str) -> String {
    format!("{}{text}", padded(label, LABEL_WIDTH)).trim_end().to_owned()
}

fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_keeps_its_columns() {
        let names = Names::new(["ada", "a-very-long-name", "\u{1b}[31mcy", "", "eve"]);
        let lines = [
            names.head(),
            row(
                "total",
                &BySeat(["1", "\u{1b}[31m-2.5\u{1b}[0m", "", "33", "4"].map(str::to_owned)),
            ),
        ];
        assert_eq!(
            lines,
            [
                "           0 ada        1 a-very-lon 2 [31mcy     seat 3       4 eve",
                "total      1            \u{1b}[31m-2.5\u{1b}[0m                      33           4",
            ]
        );
    }
}
