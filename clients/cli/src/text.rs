//! Text for people: what others wrote is made harmless before it reaches a terminal.

use std::fmt;

use crate::room::clipped;

/// The most letters of a sentence that are printed; a hostile line may quote itself at any length.
const SENTENCE_LETTERS_MAX: usize = 600;

/// Text without control characters and without those that hide or turn round what follows.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|letter| !is_unprintable(*letter)).collect()
}

/// As [`printable`], and with its middle left out when it is very long.
pub(crate) fn printable_sentence(text: &str) -> String {
    let letters: Vec<char> = text.chars().filter(|letter| !is_unprintable(*letter)).collect();
    if letters.len() <= SENTENCE_LETTERS_MAX {
        return letters.into_iter().collect();
    }
    let half = SENTENCE_LETTERS_MAX / 2;
    let head: String = letters[..half].iter().collect();
    let tail: String = letters[letters.len() - half..].iter().collect();
    format!("{head} … {tail}")
}

/// So many of something.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Reads a number of things of which there is at least one.
///
/// # Errors
/// A sentence that says how it is written.
pub(crate) fn read_count(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count) if count > 0 => Ok(count),
        Ok(_) | Err(_) => Err(format!("write a whole number from 1 to {}", u32::MAX)),
    }
}

/// Rows under a head, each column as wide as its widest cell.
pub(crate) fn columns<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> Vec<String> {
    let head = head.map(str::to_owned);
    let all: Vec<&[String]> =
        std::iter::once(&head).chain(rows).map(<[String; N]>::as_slice).collect();
    grid(&all)
}

/// Rows as long as each other, each column as wide as its widest cell.
pub(crate) fn grid(rows: &[impl AsRef<[String]>]) -> Vec<String> {
    let columns = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or_default();
    let column = |at: usize| rows.iter().filter_map(move |row| row.as_ref().get(at));
    let widths: Vec<usize> = (0..columns)
        .map(|at| column(at).map(|cell| cell.chars().count()).max().unwrap_or_default())
        .collect();
    let line = |row: &[String]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(|row| line(row.as_ref())).collect()
}

/// Something that is listed, and who sits there.
pub(crate) struct Listed<const N: usize> {
    /// Its columns.
    pub(crate) cells: [String; N],
    /// The five seats; they get lines of their own where there is no room beside the columns.
    pub(crate) seats: Vec<String>,
}

/// Things in columns, with their seats beside them or, in narrow terminals, below.
pub(crate) fn listing<const N: usize>(
    head: [&str; N],
    listed: &[Listed<N>],
    room: usize,
) -> Vec<String> {
    let cells: Vec<[String; N]> = listed.iter().map(|one| one.cells.clone()).collect();
    let table = columns(head, &cells);
    let table_width = widest(&table);
    let seats = listed.iter().map(|one| one.seats.join(", "));
    let beside = table.iter().zip(std::iter::once("seats".to_owned()).chain(seats));
    let beside: Vec<String> =
        beside.map(|(line, seats)| format!("{line:<table_width$}  {seats}")).collect();
    if widest(&beside) <= room {
        return beside;
    }
    let mut lines = vec![table[0].clone()];
    for (line, one) in table[1..].iter().zip(listed) {
        lines.push(line.clone());
        lines.extend(wrapped(&one.seats, room));
    }
    lines.into_iter().map(|line| clipped(&line, room)).collect()
}

/// How many letters the longest of these lines has.
pub(crate) fn widest(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or_default()
}

/// Pieces in lines that are set in, as many in each as fit.
fn wrapped(pieces: &[String], room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let comma = if at + 1 < pieces.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + piece.chars().count() + comma.len() < room => {
                line.push_str(&format!(" {piece}{comma}"));
            }
            Some(_) | None => lines.push(format!("    {piece}{comma}")),
        }
    }
    lines
}

/// A moment, to the second: what is smaller is of no use to a reader.
pub(crate) fn moment(timestamp: &impl fmt::Display) -> String {
    let whole = timestamp.to_string();
    whole.split_once('.').map_or(whole.clone(), |(seconds, _)| format!("{seconds}Z"))
}

fn is_unprintable(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        assert_eq!(printable("\u{1b}[2Jbo\u{9b}31mt\r\n\u{202e}x\u{7f}"), "[2Jbo31mtx");
        assert_eq!(printable("마이티-v2 ñ"), "마이티-v2 ñ");
    }

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let rows = [["ada", "+12.5"], ["마이티", "0"]].map(|row| row.map(str::to_owned));
        assert_eq!(columns(["name", "total"], &rows), ["name  total", "ada   +12.5", "마이티   0"]);
    }

    #[test]
    fn seats_go_below_where_there_is_no_room_beside() {
        let seats = ["rust-cautious +12.5", "cy -3", "eve 0"].map(str::to_owned).to_vec();
        let listed = [Listed { cells: ["r-1".to_owned(), "korean".to_owned()], seats }];
        let list = |room| listing(["record", "profile"], &listed, room);
        assert_eq!(
            list(52),
            ["record  profile  seats", "r-1     korean   rust-cautious +12.5, cy -3, eve 0",]
        );
        assert_eq!(
            list(32),
            ["record  profile", "r-1     korean", "    rust-cautious +12.5, cy -3,", "    eve 0",]
        );
    }

    #[test]
    fn moments_are_told_to_the_second() {
        assert_eq!(moment(&"2026-11-30T17:35:07.123456Z"), "2026-11-30T17:35:07Z");
        assert_eq!(moment(&"2026-11-30T17:35:07Z"), "2026-11-30T17:35:07Z");
    }

    #[test]
    fn a_very_long_sentence_keeps_its_beginning_and_its_end() {
        let shown = printable_sentence(&format!("begin {} end", "x".repeat(1_000_000)));
        assert!(shown.starts_with("begin x") && shown.ends_with("x end"), "{shown}");
        assert_eq!(shown.chars().count(), SENTENCE_LETTERS_MAX + 3);
    }
}
