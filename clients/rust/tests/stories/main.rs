//! Bots and spectators against a server that plays a script.

mod script;
mod session;
mod spectator;

/// What is shown is what compiles.
#[test]
fn the_readme_shows_the_whole_example() {
    let readme = include_str!("../../README.md");
    let example = include_str!("../../examples/twenty_lines.rs");
    let (_, code) = example.split_once("\n\n").expect("a comment comes first");
    assert!(readme.contains(code), "copy examples/twenty_lines.rs into README.md");
}
