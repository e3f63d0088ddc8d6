//! `mighty profiles` and the help pages, started as a program.

use std::process::{Command, Output};

use serde_json::Value;

fn run(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mighty"));
    let Output { status, stdout, stderr } = command.args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().expect("it was not killed"), text(stdout), text(stderr))
}

fn json(args: &[&str]) -> Value {
    let (code, out, complaints) = run(args);
    assert_eq!(code, 0, "{complaints}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn the_four_profiles_are_listed_with_their_hashes() {
    let (code, out, _) = run(&["profiles"]);
    assert_eq!(code, 0);
    let listed = json(&["profiles", "--json"]);
    let listed = listed.as_array().unwrap();
    let names: Vec<&str> = listed.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["classic", "hunter", "ripper", "korean"]);
    for one in listed {
        assert!(out.contains(one["hash"].as_str().unwrap()), "{out}");
    }
}

#[test]
fn every_option_is_described_and_what_was_set_stands_out() {
    let (_, out, _) = run(&["profiles", "korean", "--set", "auction.minimum=15"]);
    assert!(out.starts_with("Started from korean, with options set otherwise.\n"), "{out}");
    assert!(out.contains("auction.minimum = 15  (set; the profile has 14)"), "{out}");
    assert_eq!(out.matches("(set").count(), 1, "{out}");
    let plain = json(&["profiles", "korean", "--json"]);
    let set = json(&["profiles", "korean", "--json", "--set", "auction.ranking=suits"]);
    assert_eq!(set["rules"]["auction"]["ranking"], "suits");
    assert_eq!(set["overrides"]["auction.ranking"], "suits");
    assert_ne!(set["hash"], plain["hash"]);
    assert!(plain["mark"].is_string() && set["mark"].is_null(), "{plain} {set}");
    assert!(plain["options"].as_array().unwrap().len() > 40);
}

#[test]
fn what_there_is_not_exits_with_2_and_says_what_there_is() {
    let table: [(&[&str], &str); 4] = [
        (&["profiles", "chess"], "there are classic, hunter, ripper and korean"),
        (&["profiles", "korean", "--set", "auction.minimun=14"], "there is no option"),
        (&["profiles", "korean", "--set", "auction.minimum"], "auction.minimum=14"),
        (&["profiles", "--set", "auction.minimum=14"], "required"),
    ];
    for (args, complaint) in table {
        let (code, _, complaints) = run(args);
        assert_eq!(code, 2, "{args:?}: {complaints}");
        assert!(complaints.contains(complaint), "{args:?}: {complaints}");
    }
}

#[test]
fn every_command_has_a_help_page() {
    let (code, help, _) = run(&["--help"]);
    assert_eq!(code, 0);
    assert!(help.contains("Exit codes:"), "{help}");
    let commands: [&[&str]; 12] = [
        &["verify"],
        &["profiles"],
        &["tables"],
        &["create-table"],
        &["watch"],
        &["standings"],
        &["matches"],
        &["status"],
        &["record"],
        &["record", "get"],
        &["record", "show"],
        &["record", "list"],
    ];
    for command in commands {
        assert!(help.contains(command[0]), "{help}");
        let (code, page, _) = run(&[command, &["--help"]].concat());
        assert_eq!(code, 0, "{command:?}");
        let asks_a_server = !["verify", "profiles"].contains(&command[0]) && command != ["record"];
        assert_eq!(page.contains("[env: MIGHTY_SERVER"), asks_a_server, "{command:?}: {page}");
    }
}
