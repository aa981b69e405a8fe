// Binds the reader of trace-event JSON.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/exceptions.hpp"
#include "bind/module.hpp"
#include "bind/name_entries.hpp"
#include "bind/unlocked.hpp"
#include "trace_event/part.hpp"
#include "trace_event/stream.hpp"

namespace tilescope {

namespace {

template <typename T>
std::optional<OutColumn<T>> column_or_none(bool wanted, Column<T>& column) {
    if (!wanted) return std::nullopt;
    return to_numpy(column);
}

using Counts = nb::typed<nb::dict, std::string, std::int64_t>;

nb::str text(std::string_view utf8) { return nb::str(utf8.data(), utf8.size()); }

using Buffer = InColumn<std::uint8_t>;  // bytes, or what else shows its own

TimeUnit unit_of(bool nanoseconds) { return nanoseconds ? TimeUnit::nanoseconds : TimeUnit::microseconds; }

void read_part(TraceEventPart* part, const Buffer& block, PackedTexts* texts, bool nanoseconds) {
    const std::string_view view = text_of(span_of(block));
    const Unlocked unlocked;
    new (part) TraceEventPart(view, texts, unit_of(nanoseconds));
}

void feed(TraceEventStream& stream, const Buffer& data, TraceEventPart* part) {
    const std::string_view view = text_of(span_of(data));
    const Unlocked unlocked;
    if (part == nullptr) {
        stream.feed(view);
    } else {
        stream.feed(view, *part);
    }
}

void finish(TraceEventStream& stream) {
    const Unlocked unlocked;
    stream.finish();
}

auto take(TraceEventStream& stream) {
    EventColumns rows = stream.sink().take_chunk();
    return std::make_tuple(to_numpy(rows.track), to_numpy(rows.phase), to_numpy(rows.time_ns),
                           column_or_none(rows.any_time_ps, rows.time_ps), to_numpy(rows.duration_ns),
                           column_or_none(rows.any_duration_ps, rows.duration_ps), to_numpy(rows.name),
                           column_or_none(rows.any_key, rows.key), column_or_none(rows.any_value, rows.value),
                           to_numpy(rows.flags), to_numpy(rows.args_end), to_numpy_as<std::uint8_t>(rows.args));
}

using Texts = nb::typed<nb::list, nb::str>;

Texts texts(const LatestValues<std::string>& values) {
    nb::list out;
    for (const std::string& value : values.values()) out.append(text(value));
    return out;
}

ListOfTuples<int, nb::str, Texts, Texts, std::vector<std::int64_t>, bool> processes(const TraceEventStream& stream) {
    nb::list out;
    for (const ProcessEntry& process : stream.sink().tracks().processes()) {
        out.append(nb::make_tuple(static_cast<int>(process.id.kind), text(process.id.text), texts(process.names),
                                  texts(process.labels), process.sort_indices.values(), process.id.is_string));
    }
    return out;
}

ListOfTuples<std::int64_t, int, nb::str, Texts, std::optional<std::int64_t>, nb::str, bool> threads(
    const TraceEventStream& stream) {
    nb::list out;
    for (const ThreadEntry& thread : stream.sink().tracks().threads()) {
        out.append(nb::make_tuple(thread.process, static_cast<int>(thread.id.kind), text(thread.id.text),
                                  texts(thread.names), thread.sort_index, text(thread.device.value_or(std::string())),
                                  thread.id.is_string));
    }
    return out;
}

ListOfTuples<int, std::int64_t, std::int64_t, nb::str, nb::str, nb::str> tracks(const TraceEventStream& stream) {
    nb::list out;
    for (const TrackEntry& track : stream.sink().tracks().tracks()) {
        out.append(nb::make_tuple(static_cast<int>(track.role), track.process, track.thread, text(track.label[0]),
                                  text(track.label[1]), text(track.label[2])));
    }
    return out;
}

Counts by_letter(const std::array<std::int64_t, 128>& counts) {
    nb::dict out;
    for (std::size_t letter = 0; letter < counts.size(); ++letter) {
        if (counts[letter] == 0) continue;
        const char c = static_cast<char>(letter);
        out[nb::str(&c, 1)] = counts[letter];
    }
    return out;
}

Counts ignored(const TraceEventStream& stream) {
    nb::dict out;
    for (const auto& [reason, count] : stream.sink().ignored()) out[text(reason)] = count;
    return out;
}

ListOfTuples<std::optional<nb::str>, std::uint64_t, bool, nb::bytes> member_pieces(TraceEventStream& stream) {
    nb::list out;
    for (const KeptMembers::Piece& piece : stream.members().take_pieces()) {
        out.append(nb::make_tuple(piece.first ? nb::object(text(piece.name)) : nb::none(), piece.object, piece.last,
                                  to_bytes(piece.bytes)));
    }
    return out;
}

const char* ended_in(const TraceEventStream& stream) {
    switch (stream.ended_in()) {
    case EndedIn::nothing: return "nothing";
    case EndedIn::complete: return "complete";
    case EndedIn::array: return "array";
    case EndedIn::object: return "object";
    case EndedIn::value: return "value";
    case EndedIn::event: return "event";
    case EndedIn::damage: break;
    }
    return "damage";
}

// (nanoseconds, picoseconds), or None where it is malformed or out of range.
std::optional<std::pair<std::int64_t, int>> parse_us(std::string_view digits) {
    PicoTime time;
    if (parse_microseconds(digits, time) != DecimalStatus::ok) return std::nullopt;
    return std::pair<std::int64_t, int>(time.ns, time.ps);
}

struct WhatAndWhere {
    nb::tuple operator()(const NotTraceJson& error) const {
        return nb::make_tuple(error.what(), error.offset, error.line, error.column);
    }
};

}  // namespace

void bind_trace_event(nb::module_& m) {
    bind_exception<NotTraceJson>(m, "NotTraceJson", PyExc_Exception,
                                 "NotTraceJson(what, byte offset, line, column): it is no trace-event JSON.",
                                 WhatAndWhere());
    m.def("parse_microseconds", &parse_us, nb::arg("text"),
          "Returns nanoseconds and picoseconds; None: it is malformed or out of range.");
    m.def(
        "side_of_category", [](std::string_view category) { return static_cast<int>(side_of_category(category)); },
        nb::arg("category"),
        "Returns whether events of that category are of a host (1), of a device (2) or of either (4).");
    nb::class_<TraceEventPart>(m, "TraceEventPart",
                               "The events of a block of a file, read without knowing what stands before it.")
        .def("__init__", &read_part, nb::arg("block"), nb::arg("texts").none() = nb::none(),
             nb::arg("nanoseconds") = false,
             nb::sig("def __init__(self, block: bytes | bytearray | memoryview, texts: PackedTexts | None = None, "
                     "nanoseconds: bool = False) -> None"),
             "Arguments are packed where there are `texts` for it. Times are in microseconds, or else in nanoseconds.")
        .def_prop_ro("first", &TraceEventPart::first, "The first byte of the block that was read.")
        .def_prop_ro("last", &TraceEventPart::last, "Behind the last byte that was read.");
    nb::class_<TraceEventStream>(m, "TraceEventStream", "A trace-event file, fed in pieces. Raises NotTraceJson.")
        .def(
            "__init__",
            [](TraceEventStream* stream, std::size_t max_members, bool nanoseconds) {
                new (stream) TraceEventStream(max_members, unit_of(nanoseconds));
            },
            nb::arg("max_members") = 0, nb::arg("nanoseconds") = false,
            "Keeps so many members of objects beside the events. Times are in microseconds, or else in nanoseconds.")
        .def("pack_arguments", &TraceEventStream::pack_arguments, nb::arg("texts"), nb::keep_alive<1, 2>(),
             "Arguments are packed from now on. Before anything is fed.")
        .def(
            "feed", &feed, nb::arg("data"), nb::arg("part").none() = nb::none(),
            nb::sig("def feed(self, data: bytes | bytearray | memoryview, part: TraceEventPart | None = None) -> None"),
            "Takes the next bytes. The part, if there is one, was read from them; it is used up.")
        .def("finish", &finish)
        .def("take", &take,
             "Returns the columns of the rows so far, in the order of an EventChunk: track, phase, time in ns and\n"
             "ps, duration in ns and ps, name, key, value, flags, args_end, args.")
        .def_prop_ro(
            "chunk_ready", [](const TraceEventStream& s) { return s.sink().chunk_ready(); },
            "Whether `take` gives a chunk that has been filled.")
        .def_prop_ro(
            "rows", [](const TraceEventStream& s) { return s.sink().row_count(); }, "Rows that were not taken yet.")
        .def_prop_ro("parts_taken", &TraceEventStream::parts_taken,
                     "How many of the parts that were fed could be used.")
        .def_prop_ro("offset", &TraceEventStream::offset, "Of the first byte that has not been dealt with.")
        .def_prop_ro("cut_offset", &TraceEventStream::cut_offset, "Of the event that the file ends in.")
        .def_prop_ro("ended_in", &ended_in,
                     nb::sig("def ended_in(self) -> "
                             "typing.Literal['nothing', 'complete', 'array', 'object', 'value', 'event', 'damage']"))
        .def_prop_ro("elements", &TraceEventStream::elements,
                     "Of event arrays; empty objects and nulls are not counted.")
        .def_prop_ro("has_event_array", &TraceEventStream::has_event_array)
        .def_prop_ro("event_array_is_none", &TraceEventStream::event_array_is_none)
        .def_prop_ro("base_time_ns", [](const TraceEventStream& s) { return s.base_time_ns(); })
        .def_prop_ro("base_time_differs", &TraceEventStream::base_time_differs)
        .def_prop_ro("samples", &TraceEventStream::samples, "Objects in members `samples` beside the events.")
        .def_prop_ro(
            "v8_profiles", [](const TraceEventStream& s) { return s.sink().v8_profiles(); },
            "Events with samples of V8's CPU profiler.")
        .def_prop_ro("host_name", [](const TraceEventStream& s) { return s.host_name(); })
        .def_prop_ro("written_total", [](const TraceEventStream& s) { return s.sink().written_total(); })
        .def(
            "written", [](const TraceEventStream& s) { return by_letter(s.sink().written()); },
            "Returns how many events the file has, by the letter of their phase.")
        .def(
            "read", [](const TraceEventStream& s) { return by_letter(s.sink().read()); },
            "Returns how many events became rows, by the letter of their phase.")
        .def("ignored", &ignored, "Returns how many events were ignored, by the reason.")
        .def("processes", &processes,
             "Returns of each process: kind of pid, pid, names, labels and sort indices, those written last at the "
             "end, and\n"
             "whether the pid was written as a string.")
        .def(
            "threads", &threads,
            "Returns of each thread: process, kind of tid, tid, names, the last at the end, sort index or None, and "
            "the\n"
            "argument `device` of its first slice whose category is of a device, and whether the tid was written as a\n"
            "string.")
        .def("tracks", &tracks, "Returns of each track: role, process or -1, thread or -1, three labels.")
        .def(
            "track_sides", [](const TraceEventStream& s) { return s.sink().track_sides(); },
            "Returns of each track what `side_of_category` says of rows that were taken: a sum, as of several.")
        .def(
            "names", [](const TraceEventStream& s) { return pairs_of(s.sink().names()); },
            "Returns text and category of each name.")
        .def_prop_ro("name_count", [](const TraceEventStream& s) { return s.sink().names().size(); })
        .def_prop_ro(
            "name_bytes", [](const TraceEventStream& s) { return s.sink().names().bytes(); },
            "Of the texts and categories of all names: a text counts with each category.")
        .def_prop_ro(
            "process_count", [](const TraceEventStream& s) { return s.sink().tracks().processes().size(); },
            "Processes without events, too.")
        .def_prop_ro(
            "thread_count", [](const TraceEventStream& s) { return s.sink().tracks().threads().size(); },
            "Threads without events, too.")
        .def_prop_ro(
            "id_count", [](const TraceEventStream& s) { return s.sink().keys().size(); },
            "Ids of async slices and flows, as far as they are kept as text.")
        .def_prop_ro("id_bytes", [](const TraceEventStream& s) { return s.sink().keys().bytes(); })
        .def("member_pieces", &member_pieces,
             "Returns pieces of members beside the events: name of a first piece, number of the object, whether the\n"
             "value is whole, bytes.")
        .def(
            "dropped_objects", [](TraceEventStream& s) { return s.members().take_dropped(); },
            "Returns the numbers of objects that were events after all.")
        .def_prop_ro(
            "more_members", [](TraceEventStream& s) { return s.members().more(); }, "How many were not kept.")
        .def_prop_ro(
            "unnamed_members", [](TraceEventStream& s) { return s.members().unnamed(); },
            "How many were not kept because their names are too long.");
}

}  // namespace tilescope
