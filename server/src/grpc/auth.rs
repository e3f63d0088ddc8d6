//! Who somebody is.

use mighty_protocol::v1;
use tonic::{Code, Status};

use super::status;
use crate::matches::PlayerId;

/// Names and versions have at most so many characters.
const LONGEST_NAME: usize = 32;

/// The player that says hello. On a server without tokens, which listens on loopback only, its name is all it needs.
///
/// # Errors
/// A name or version that cannot be, or that of a house bot.
pub(crate) fn player(hello: &v1::Hello) -> Result<PlayerId, Status> {
    let v1::Hello { name, version, .. } = hello;
    if name.is_empty() || !is_name(name) {
        return Err(status::invalid("Hello.name", NAME_RULE));
    }
    if !is_name(version) {
        return Err(status::invalid("Hello.version", NAME_RULE));
    }
    if mighty_house::NAMES.contains(&name.as_str()) {
        let text = format!("`{name}` is the name of a house bot; choose another one");
        return Err(status::failure(Code::InvalidArgument, "NAME_OF_HOUSE_BOT", text));
    }
    Ok(PlayerId { name: name.clone(), version: version.clone(), house: false })
}

const NAME_RULE: &str =
    "send 1 to 32 letters, digits, `-`, `_` or `.` (a version may also be empty)";

fn is_name(text: &str) -> bool {
    let is_allowed = |letter: u8| letter.is_ascii_alphanumeric() || b"-_.".contains(&letter);
    text.len() <= LONGEST_NAME && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        let longest = "x".repeat(32);
        let too_long = "x".repeat(33);
        for (name, version, is_fine) in [
            ("bot", "", true),
            ("My_Bot-2.1", "0.1.0-beta", true),
            (longest.as_str(), longest.as_str(), true),
            ("", "", false),
            (too_long.as_str(), "", false),
            ("bot", too_long.as_str(), false),
            ("two words", "", false),
            ("line\nbreak", "", false),
            ("bot", "\u{7}", false),
            ("b\u{f6}t", "", false),
            ("cautious", "", false),
            ("random", "2", false),
        ] {
            let hello = v1::Hello {
                name: name.to_owned(),
                version: version.to_owned(),
                ..v1::Hello::default()
            };
            assert_eq!(player(&hello).is_ok(), is_fine, "{name:?} {version:?}");
        }
    }
}
