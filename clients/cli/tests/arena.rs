//! `mighty arena`, started as a program; the bots of these stories are house bots, and commands that are none.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// A directory of its own, in which the program is started; removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(story: &str) -> Place {
        let path = std::env::temp_dir().join(format!("mighty-cli-{story}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    /// Runs `mighty` with these words: its exit code, what it printed and what it said.
    fn mighty(&self, words: &str) -> (i32, String, String) {
        self.run(&words.split_whitespace().collect::<Vec<_>>())
    }

    fn run(&self, words: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mighty"));
        let Output { status, stdout, stderr } =
            command.current_dir(&self.0).args(words).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code().expect("it was not killed"), text(stdout), text(stderr))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn house_bots_are_compared_and_their_records_verified() {
    let place = Place::new("run");
    let run = "arena run --house random --house cautious --deals 4 --seed 7";
    let (code, out, said) = place.mighty(run);
    assert_eq!(code, 0, "{said}");
    for wanted in
        ["as declarer", "better than that of the column", "4 deals at 20 tables", "seed 7"]
    {
        assert!(out.contains(wanted), "{wanted}: {out}");
    }
    assert!(said.contains("4/4"), "{said}");
    let page = std::fs::read_to_string(place.0.join("arena-7/report.html")).unwrap();
    assert!(page.contains("4 deals at 20 tables") && page.contains("<svg"), "{page}");
    let (code, _, said) = place.mighty("verify -q arena-7/records.jsonl");
    assert_eq!((code, said.contains("20 matches")), (0, true), "{said}");

    // More deals go on; the same ones are not played again.
    let (code, out, said) =
        place.mighty(&format!("{run} --deals 6 --json").replace("--deals 4 ", ""));
    assert_eq!(code, 0, "{said}");
    let printed: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(printed["summary"]["blocks"], 6);
    assert_eq!(printed["contest"]["seed"], "7");
    assert!(!said.contains("4/6") && said.contains("6/6"), "{said}");

    let (code, out, _) = place.mighty(&format!("{run} --csv"));
    assert_eq!(code, 0);
    assert_eq!(out.lines().count(), 9, "{out}");
    assert!(out.contains("cautious,declarer,"), "{out}");
}

#[test]
fn twenty_tables_a_deal() {
    let place = Place::new("twenty");
    let (code, out, said) =
        place.mighty("arena run --house random --house cautious --twenty --deals 1 --json");
    assert_eq!(code, 0, "{said}");
    let printed: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(printed["summary"]["tables"], 20);
}

#[test]
fn a_comparison_says_what_it_found() {
    let place = Place::new("compare");
    let (code, out, said) = place.mighty("arena compare cautious random --effect 5 --seed 7");
    assert_eq!(code, 0, "{said}");
    assert!(out.contains("cautious is better than random: +"), "{out}");
    let (code, out, _) = place.mighty("arena compare cautious random --deals 1 --seed 8");
    assert_eq!(code, 0);
    assert!(out.contains("There is no answer yet"), "{out}");
}

#[test]
fn an_arena_file_says_the_same_and_a_wrong_one_names_its_line() {
    let place = Place::new("file");
    let file = "seed = \"7\"\ndeals = 1\nout = \"kept\"\n[[bot]]\nhouse = \"random\"\n\
                [[bot]]\nhouse = \"cautious\"\n";
    std::fs::write(place.0.join("arena.toml"), file).unwrap();
    let (code, out, said) = place.mighty("arena run arena.toml");
    assert_eq!(code, 0, "{said}");
    assert!(out.contains("1 deal at 5 tables"), "{out}");
    assert!(place.0.join("kept/records.jsonl").exists());

    std::fs::write(place.0.join("wrong.toml"), file.replace("random", "reckless")).unwrap();
    let (code, _, said) = place.mighty("arena run wrong.toml");
    assert_eq!(code, 2);
    assert!(said.contains("wrong.toml, line 5") && said.contains("random and cautious"), "{said}");
    let (code, _, said) = place.mighty("arena run no-such.toml");
    assert_eq!((code, said.contains("no-such.toml")), (2, true), "{said}");
}

#[test]
fn what_cannot_be_played_ends_with_what_to_do() {
    let place = Place::new("refused");
    for (words, wanted) in [
        (vec!["--bot", "new=./no-such-bot", "--deals", "1", "--seed", "1"], "no-such-bot"),
        (vec!["--bot", "new=sleep 60", "--patience", "500ms", "--seed", "2"], "MIGHTY_SERVER"),
        (vec!["--house", "reckless"], "random and cautious"),
        (vec!["--bot", "reckless"], "NAME=COMMAND"),
        (vec![], "at least two"),
        (
            vec!["--house", "cautious", "--house", "random", "--set", "match.hands=3"],
            "leave it unset",
        ),
        (vec!["--house", "cautious", "--house", "random", "--profile", "poker"], "classic, hunter"),
        (vec!["arena.toml", "--twenty"], "cannot be used with"),
    ] {
        let (code, _, said) = place.run(&[&["arena", "run"], words.as_slice()].concat());
        assert_eq!(code, 2, "{words:?}: {said}");
        assert!(said.contains(wanted), "{words:?}: {said}");
    }
}

#[test]
fn results_of_another_arena_are_left_alone() {
    let place = Place::new("another");
    let run = "arena run --house random --house cautious --deals 1 --out kept --seed";
    assert_eq!(place.mighty(&format!("{run} 7")).0, 0);
    let before = std::fs::read(place.0.join("kept/records.jsonl")).unwrap();
    let (code, _, said) = place.mighty(&format!("{run} 8"));
    assert_eq!(code, 2);
    assert!(said.contains("differs in its seed") && said.contains("--out"), "{said}");
    assert_eq!(std::fs::read(place.0.join("kept/records.jsonl")).unwrap(), before);
}
