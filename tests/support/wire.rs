//! Messages as the bytes that they are.

use std::sync::LazyLock;

use mighty_rules::{Card, CardSet};
use prost::bytes::{Buf, BufMut};
use prost_reflect::{DescriptorPool, DynamicMessage, Kind, ReflectMessage};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

/// Sends and receives bytes as they are, whatever they mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Raw;
    type Decoder = Raw;

    fn encoder(&mut self) -> Raw {
        Raw
    }

    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&message);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining()).to_vec()))
    }
}

/// Every card that an encoded message of this type names, in whichever field; fields that are only offers, in messages
/// of the types `but`, are left out.
///
/// # Panics
/// The bytes are no such message.
pub fn cards_in(message: &str, bytes: &[u8], but: &[&str]) -> CardSet {
    static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
        DescriptorPool::decode(mighty_protocol::DESCRIPTORS).expect("the descriptors are whole")
    });
    let descriptor = POOL.get_message_by_name(message).expect("there is such a message");
    let message = DynamicMessage::decode(descriptor, bytes).expect("the bytes are such a message");
    assert_eq!(message.unknown_fields().count(), 0, "nothing is hidden in unknown fields");
    let mut cards = Vec::new();
    walk(&message, but, &mut cards);
    cards.into_iter().collect()
}

fn walk(message: &DynamicMessage, but: &[&str], cards: &mut Vec<Card>) {
    if but.contains(&message.descriptor().name()) {
        return;
    }
    for (field, value) in message.fields() {
        let is_card = matches!(field.kind(), Kind::Enum(kind) if kind.name() == "Card");
        let values = value.as_list().unwrap_or(std::slice::from_ref(value));
        for value in values {
            if let Some(inner) = value.as_message() {
                walk(inner, but, cards);
            } else if is_card && let Some(number @ 1..) = value.as_enum_number() {
                let index = u8::try_from(number - 1).expect("a card is a small number");
                cards.push(Card::from_index(index).expect("there is such a card"));
            }
        }
    }
}
