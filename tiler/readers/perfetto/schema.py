"""The fields of Perfetto's packets that are read, by https://perfetto.dev/docs/reference/trace-packet-proto.

A table of numbers, names and types; the messages are made of it. Fields that are not in it stay unknown.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE: Final = "tilescope.perfetto"
_REPEATED: Final = "*"

# Of each message: name of a field → number and type; a type with * is repeated, a capital begins the name of a message.
FIELDS: Final[dict[str, dict[str, tuple[int, str]]]] = {
    "TracePacket": {
        "timestamp": (8, "uint64"),
        "timestamp_clock_id": (58, "uint32"),
        "trusted_packet_sequence_id": (10, "uint32"),
        "sequence_flags": (13, "uint32"),
        "incremental_state_cleared": (41, "bool"),
        "previous_packet_dropped": (42, "uint32"),
        "interned_data": (12, "InternedData"),
        "trace_packet_defaults": (59, "TracePacketDefaults"),
        "track_event": (11, "TrackEvent"),
        "track_descriptor": (60, "TrackDescriptor"),
        "clock_snapshot": (6, "ClockSnapshot"),
        "process_tree": (2, "ProcessTree"),
        "process_descriptor": (43, "ProcessDescriptor"),
        "thread_descriptor": (44, "ThreadDescriptor"),
        "ftrace_events": (1, "FtraceEventBundle"),
        "gpu_render_stage_event": (53, "GpuRenderStageEvent"),
        "gpu_counter_event": (52, "GpuCounterEvent"),
        "compressed_packets": (50, "bytes"),
    },
    "TracePacketDefaults": {"timestamp_clock_id": (58, "uint32"), "track_event_defaults": (11, "TrackEventDefaults")},
    "TrackEventDefaults": {
        "track_uuid": (11, "uint64"),
        "extra_counter_track_uuids": (31, "uint64*"),
        "extra_double_counter_track_uuids": (45, "uint64*"),
    },
    "TrackEvent": {
        "category_iids": (3, "uint64*"),
        "categories": (22, "string*"),
        "name_iid": (10, "uint64"),
        "name": (23, "string"),
        "type": (9, "int32"),
        "track_uuid": (11, "uint64"),
        "counter_value": (30, "int64"),
        "double_counter_value": (44, "double"),
        "extra_counter_track_uuids": (31, "uint64*"),
        "extra_counter_values": (12, "int64*"),
        "extra_double_counter_track_uuids": (45, "uint64*"),
        "extra_double_counter_values": (46, "double*"),
        "flow_ids_old": (36, "uint64*"),
        "flow_ids": (47, "fixed64*"),
        "terminating_flow_ids_old": (42, "uint64*"),
        "terminating_flow_ids": (48, "fixed64*"),
        "correlation_id": (52, "uint64"),
        "correlation_id_str": (53, "string"),
        "callstack_iid": (56, "uint64"),
        "callstack": (55, "InlineCallstack"),
        "debug_annotations": (4, "DebugAnnotation*"),
        "timestamp_delta_us": (1, "int64"),
        "timestamp_absolute_us": (16, "int64"),
        "legacy_event": (6, "LegacyEvent"),
    },
    "InlineCallstack": {"frames": (1, "InlineFrame*")},
    "InlineFrame": {"function_name": (1, "string"), "source_file": (2, "string"), "line_number": (3, "uint32")},
    "LegacyEvent": {
        "name_iid": (1, "uint64"),
        "phase": (2, "int32"),
        "duration_us": (3, "int64"),
        "unscoped_id": (6, "uint64"),
        "local_id": (10, "uint64"),
        "global_id": (11, "uint64"),
        "id_scope": (7, "string"),
        "bind_id": (8, "uint64"),
        "bind_to_enclosing": (12, "bool"),
        "flow_direction": (13, "int32"),
        "instant_event_scope": (14, "int32"),
        "pid_override": (18, "int32"),
        "tid_override": (19, "int64"),
    },
    "DebugAnnotation": {
        "name_iid": (1, "uint64"),
        "name": (10, "string"),
        "bool_value": (2, "bool"),
        "uint_value": (3, "uint64"),
        "int_value": (4, "int64"),
        "double_value": (5, "double"),
        "string_value": (6, "string"),
        "string_value_iid": (17, "uint64"),
        "pointer_value": (7, "uint64"),
        "nested_value": (8, "NestedValue"),
        "legacy_json_value": (9, "string"),
        "dict_entries": (11, "DebugAnnotation*"),
        "array_values": (12, "DebugAnnotation*"),
    },
    "NestedValue": {
        "nested_type": (1, "int32"),
        "dict_keys": (2, "string*"),
        "dict_values": (3, "NestedValue*"),
        "array_values": (4, "NestedValue*"),
        "int_value": (5, "int64"),
        "double_value": (6, "double"),
        "bool_value": (7, "bool"),
        "string_value": (8, "string"),
    },
    "InternedData": {
        "event_categories": (1, "InternedName*"),
        "event_names": (2, "InternedName*"),
        "debug_annotation_names": (3, "InternedName*"),
        "debug_annotation_string_values": (29, "InternedString*"),
        "function_names": (5, "InternedString*"),
        "frames": (6, "InternedFrame*"),
        "callstacks": (7, "InternedCallstack*"),
        "gpu_specifications": (24, "InternedName*"),
        "gpu_counter_descriptors": (47, "InternedCounters*"),
    },
    "InternedName": {"iid": (1, "uint64"), "name": (2, "string")},
    "InternedString": {"iid": (1, "uint64"), "str": (2, "bytes")},
    "InternedFrame": {"iid": (1, "uint64"), "function_name_id": (2, "uint64"), "rel_pc": (4, "uint64")},
    "InternedCallstack": {"iid": (1, "uint64"), "frame_ids": (2, "uint64*")},
    "InternedCounters": {"iid": (1, "uint64"), "counter_descriptor": (2, "GpuCounterDescriptor")},
    "TrackDescriptor": {
        "uuid": (1, "uint64"),
        "parent_uuid": (5, "uint64"),
        "name": (2, "string"),
        "static_name": (10, "string"),
        "atrace_name": (13, "string"),
        "process": (3, "ProcessDescriptor"),
        "thread": (4, "ThreadDescriptor"),
        "counter": (8, "CounterDescriptor"),
        "sibling_order_rank": (12, "int32"),
    },
    "ProcessDescriptor": {"pid": (1, "int32"), "cmdline": (2, "string*"), "process_name": (6, "string")},
    "ThreadDescriptor": {
        "pid": (1, "int32"),
        "tid": (2, "int64"),
        "thread_name": (5, "string"),
        "reference_timestamp_us": (6, "int64"),
    },
    "CounterDescriptor": {
        "type": (1, "int32"),
        "unit": (3, "int32"),
        "unit_name": (6, "string"),
        "unit_multiplier": (4, "int64"),
        "is_incremental": (5, "bool"),
    },
    "ClockSnapshot": {"clocks": (1, "ClockReading*"), "primary_trace_clock": (2, "int32")},
    "ClockReading": {
        "clock_id": (1, "uint32"),
        "timestamp": (2, "uint64"),
        "is_incremental": (3, "bool"),
        "unit_multiplier_ns": (4, "uint64"),
    },
    "ProcessTree": {"processes": (1, "TreeProcess*"), "threads": (2, "TreeThread*")},
    "TreeProcess": {"pid": (1, "int32"), "cmdline": (3, "string*")},
    "TreeThread": {"tid": (1, "int32"), "tgid": (3, "int32"), "name": (2, "string")},
    "FtraceEventBundle": {
        "cpu": (1, "uint32"),
        "event": (2, "FtraceEvent*"),
        "compact_sched": (4, "CompactSched"),
    },
    "FtraceEvent": {"timestamp": (1, "uint64"), "pid": (2, "uint32"), "sched_switch": (4, "SchedSwitch")},
    "SchedSwitch": {"prev_state": (4, "int64"), "next_comm": (5, "string"), "next_pid": (6, "int32")},
    "CompactSched": {
        "intern_table": (5, "string*"),
        "switch_timestamp": (1, "uint64*"),
        "switch_next_pid": (3, "int32*"),
        "switch_next_comm_index": (6, "uint32*"),
    },
    "GpuRenderStageEvent": {
        "event_id": (1, "uint64"),
        "duration": (2, "uint64"),
        "hw_queue_id": (3, "int32"),
        "stage_id": (4, "int32"),
        "context": (5, "uint64"),
        "gpu_id": (11, "int32"),
        "submission_id": (10, "uint32"),
        "hw_queue_iid": (13, "uint64"),
        "stage_iid": (14, "uint64"),
        "name": (17, "string"),
        "name_iid": (20, "uint64"),
        "extra_data": (6, "ExtraData*"),
    },
    "ExtraData": {"name": (1, "string"), "value": (2, "string")},
    "GpuCounterEvent": {
        "counter_descriptor": (1, "GpuCounterDescriptor"),
        "counter_descriptor_iid": (4, "uint64"),
        "counters": (2, "GpuCounter*"),
        "gpu_id": (3, "int32"),
    },
    "GpuCounterDescriptor": {"specs": (1, "GpuCounterSpec*")},
    "GpuCounterSpec": {"counter_id": (1, "uint32"), "name": (2, "string")},
    "GpuCounter": {"counter_id": (1, "uint32"), "int_value": (2, "int64"), "double_value": (3, "double")},
}
# Lists of numbers that the schema has as packed.
PACKED: Final = frozenset({"switch_timestamp", "switch_next_pid", "switch_next_comm_index"})


def _messages() -> dict[str, Any]:
    """Classes of messages, by name."""
    file = descriptor_pb2.FileDescriptorProto(name=f"{_PACKAGE}.proto", package=_PACKAGE, syntax="proto2")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        for field_name, (number, kind) in fields.items():
            base = kind.removesuffix(_REPEATED)
            label = kinds.LABEL_REPEATED if kind.endswith(_REPEATED) else kinds.LABEL_OPTIONAL
            field = message.field.add(name=field_name, number=number, label=label)
            if base[0].isupper():
                field.type = kinds.TYPE_MESSAGE
                field.type_name = f".{_PACKAGE}.{base}"
            else:
                # Texts may be any bytes: proto2 does not check them in Python's runtime if they are bytes.
                field.type = kinds.Type.Value(f"TYPE_{'BYTES' if base == 'string' else base.upper()}")
            if field_name in PACKED:
                field.options.packed = True
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in FIELDS}


TracePacket: Final[Any] = _messages()["TracePacket"]
