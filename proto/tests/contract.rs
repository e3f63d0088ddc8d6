//! `proto/contract.txt` names everything that programs in the field rely on: a change of the contract shows in its
//! own line of a review. `UPDATE_CONTRACT=1 cargo test -p mighty-protocol --test contract` writes it anew.

use std::fmt::Write;
use std::{env, fs};

use prost::Message;
use prost_types::field_descriptor_proto::Label;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorSet,
    ServiceDescriptorProto,
};

const CONTRACT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/proto/contract.txt");

#[test]
fn the_contract_is_the_published_one() {
    let contract = contract();
    if env::var_os("UPDATE_CONTRACT").is_some() {
        fs::write(CONTRACT, &contract).expect("the contract can be written");
    }
    let published = fs::read_to_string(CONTRACT).expect("the contract can be read");
    let changed = contract.lines().filter(|line| !published.lines().any(|known| known == *line));
    assert!(
        contract == published,
        "the contract has changed; if that is meant, run this test with UPDATE_CONTRACT=1. New lines:\n{}",
        changed.collect::<Vec<_>>().join("\n"),
    );
}

/// Every service, message and enum of `mighty.v1`, a line each member, sorted by file.
fn contract() -> String {
    let set = FileDescriptorSet::decode(mighty_protocol::DESCRIPTORS).expect("descriptors decode");
    let mut text = String::new();
    let mut files: Vec<_> = set.file.iter().filter(|file| file.package() == "mighty.v1").collect();
    files.sort_by_key(|file| file.name());
    for file in files {
        file.service.iter().for_each(|service| write_service(&mut text, service));
        file.message_type.iter().for_each(|message| write_message(&mut text, "", message));
        file.enum_type.iter().for_each(|values| write_enum(&mut text, "", values));
    }
    text
}

fn write_service(text: &mut String, service: &ServiceDescriptorProto) {
    for method in &service.method {
        let stream = |streaming| if streaming { "stream " } else { "" };
        line(
            text,
            format_args!(
                "{}.{}({}{}) {}{}",
                service.name(),
                method.name(),
                stream(method.client_streaming()),
                short(method.input_type()),
                stream(method.server_streaming()),
                short(method.output_type()),
            ),
        );
    }
}

fn write_message(text: &mut String, scope: &str, message: &DescriptorProto) {
    let name = format!("{scope}{}", message.name());
    line(text, format_args!("{name}"));
    for field in &message.field {
        let choice = field
            .oneof_index
            .filter(|_| !field.proto3_optional())
            .and_then(|index| message.oneof_decl.get(index as usize))
            .map_or(String::new(), |choice| format!(" of {}", choice.name()));
        let (number, kind) = (field.number(), field_kind(message, field));
        line(text, format_args!("{name}.{} = {number} {kind}{choice}", field.name()));
    }
    let scope = format!("{name}.");
    let nested = message.nested_type.iter();
    let messages = nested.filter(|nested| !nested.options.as_ref().is_some_and(|o| o.map_entry()));
    messages.for_each(|nested| write_message(text, &scope, nested));
    message.enum_type.iter().for_each(|values| write_enum(text, &scope, values));
}

fn write_enum(text: &mut String, scope: &str, values: &EnumDescriptorProto) {
    for value in &values.value {
        let (name, number) = (value.name(), value.number());
        line(text, format_args!("{scope}{}.{name} = {number}", values.name()));
    }
}

fn field_kind(message: &DescriptorProto, field: &FieldDescriptorProto) -> String {
    let entry = message.nested_type.iter().find(|nested| {
        nested.options.as_ref().is_some_and(|options| options.map_entry())
            && field.type_name().ends_with(&format!(".{}", nested.name()))
    });
    if let Some(DescriptorProto { field: key_and_value, .. }) = entry {
        let kinds: Vec<String> =
            key_and_value.iter().map(|field| field_kind(message, field)).collect();
        return format!("map<{}>", kinds.join(", "));
    }
    let kind = match field.type_name.as_deref() {
        Some(named) => short(named).to_owned(),
        None => field.r#type().as_str_name().trim_start_matches("TYPE_").to_lowercase(),
    };
    match field.label() {
        Label::Repeated => format!("repeated {kind}"),
        Label::Optional if field.proto3_optional() => format!("optional {kind}"),
        Label::Optional | Label::Required => kind,
    }
}

fn short(name: &str) -> &str {
    let name = name.trim_start_matches('.');
    name.strip_prefix("mighty.v1.").unwrap_or(name)
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string takes any text");
}
