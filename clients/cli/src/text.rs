//! Text for people: what others wrote is made harmless before it reaches a terminal.

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
    let all = || std::iter::once(&head).chain(rows);
    let widths: [usize; N] = std::array::from_fn(|at| {
        all().map(|row| row[at].chars().count()).max().unwrap_or_default()
    });
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all().map(line).collect()
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
    fn a_very_long_sentence_keeps_its_beginning_and_its_end() {
        let shown = printable_sentence(&format!("begin {} end", "x".repeat(1_000_000)));
        assert!(shown.starts_with("begin x") && shown.ends_with("x end"), "{shown}");
        assert_eq!(shown.chars().count(), SENTENCE_LETTERS_MAX + 3);
    }
}
