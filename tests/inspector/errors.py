"""What a failed call says of itself: its code, and the google.rpc.ErrorInfo in its status details."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory

# The two messages of google.rpc that are needed, so that no further package is.
FILE = descriptor_pb2.FileDescriptorProto(
    name="inspector/rpc.proto", package="google.rpc", syntax="proto3", dependency=["google/protobuf/any.proto"]
)
STRING, INT32, MESSAGE = 9, 5, 11
ONE, MANY = 1, 3


def describe(name: str, *fields: tuple[str, int, int, int, str]) -> descriptor_pb2.DescriptorProto:
    described = FILE.message_type.add(name=name)
    for field_name, number, label, kind, type_name in fields:
        described.field.add(name=field_name, number=number, label=label, type=kind, type_name=type_name or None)
    return described


describe("Status", ("code", 1, ONE, INT32, ""), ("details", 3, MANY, MESSAGE, ".google.protobuf.Any"))
info = describe(
    "ErrorInfo",
    ("reason", 1, ONE, STRING, ""),
    ("domain", 2, ONE, STRING, ""),
    ("metadata", 3, MANY, MESSAGE, ".google.rpc.ErrorInfo.MetadataEntry"),
)
entry = info.nested_type.add(name="MetadataEntry", options=descriptor_pb2.MessageOptions(map_entry=True))
entry.field.add(name="key", number=1, label=1, type=9)
entry.field.add(name="value", number=2, label=1, type=9)
POOL = descriptor_pool.DescriptorPool()
POOL.AddSerializedFile(any_pb2.DESCRIPTOR.serialized_pb)
POOL.Add(FILE)
Status: Any = message_factory.GetMessageClass(POOL.FindMessageTypeByName("google.rpc.Status"))
ErrorInfo: Any = message_factory.GetMessageClass(POOL.FindMessageTypeByName("google.rpc.ErrorInfo"))


@dataclass(frozen=True)
class Failure:
    """A failed call: canonical code, ErrorInfo (empty where there is none), and the text."""

    code: str
    domain: str
    reason: str
    text: str
    metadata: dict[str, str] = field(default_factory=dict)


def failure_of(error: grpc.RpcError) -> Failure:
    assert isinstance(error, grpc.aio.AioRpcError | grpc.Call)
    metadata = dict(error.trailing_metadata() or ())
    status = Status.FromString(metadata.get("grpc-status-details-bin", b""))
    found = ErrorInfo()
    for detail in status.details:
        if detail.type_url.endswith("/google.rpc.ErrorInfo"):
            found = ErrorInfo.FromString(detail.value)
    code = error.code()
    return Failure(code.name if code else "", found.domain, found.reason, error.details() or "", dict(found.metadata))
