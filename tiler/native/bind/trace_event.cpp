// Python's door to trace_event_stream.hpp.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "trace_event/part.hpp"
#include "trace_event/stream.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

template <typename T>
nb::object column_or_none(bool wanted, Column<T>& column) {
    return wanted ? nb::cast(to_numpy(column)) : nb::none();
}

nb::str text(std::string_view utf8) { return nb::str(utf8.data(), utf8.size()); }

using Bytes = InColumn<std::uint8_t>;  // bytes, or any buffer of them

std::string_view view_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void read_part(TraceEventPart* part, const Bytes& block) {
    const std::string_view view = view_of(block);
    nb::gil_scoped_release release;
    new (part) TraceEventPart(view);
}

void feed(TraceEventStream& stream, const Bytes& data, TraceEventPart* part) {
    const std::string_view view = view_of(data);
    nb::gil_scoped_release release;
    if (part == nullptr) {
        stream.feed(view);
    } else {
        stream.feed(view, *part);
    }
}

void finish(TraceEventStream& stream) {
    nb::gil_scoped_release release;
    stream.finish();
}

nb::tuple take(TraceEventStream& stream) {
    EventColumns rows = stream.sink().take_chunk();
    return nb::make_tuple(to_numpy(rows.track), to_numpy(rows.phase), to_numpy(rows.time_ns),
                          column_or_none(rows.any_time_ps, rows.time_ps), to_numpy(rows.duration_ns),
                          column_or_none(rows.any_duration_ps, rows.duration_ps), to_numpy(rows.name),
                          column_or_none(rows.any_key, rows.key), column_or_none(rows.any_value, rows.value),
                          to_numpy(rows.flags), to_numpy(rows.args_end), to_numpy_as<std::uint8_t>(rows.args));
}

nb::list processes(const TraceEventStream& stream) {
    nb::list out;
    for (const ProcessEntry& one : stream.sink().tracks().processes()) {
        out.append(nb::make_tuple(static_cast<int>(one.id.kind), text(one.id.text), text(one.name), text(one.labels),
                                  one.sort_index.value_or(0)));
    }
    return out;
}

nb::list threads(const TraceEventStream& stream) {
    nb::list out;
    for (const ThreadEntry& one : stream.sink().tracks().threads()) {
        out.append(nb::make_tuple(one.process, static_cast<int>(one.id.kind), text(one.id.text), text(one.name),
                                  one.sort_index.value_or(0)));
    }
    return out;
}

nb::list tracks(const TraceEventStream& stream) {
    nb::list out;
    for (const TrackEntry& one : stream.sink().tracks().tracks()) {
        out.append(nb::make_tuple(static_cast<int>(one.role), one.process, one.thread, text(one.label[0]),
                                  text(one.label[1]), text(one.label[2])));
    }
    return out;
}

nb::list names(const TraceEventStream& stream) {
    nb::list out;
    const EventSink& sink = stream.sink();
    for (std::size_t name = 0; name < sink.names().size(); ++name) {
        out.append(nb::make_tuple(text(sink.names().at(static_cast<std::int32_t>(name))),
                                  text(sink.categories().at(sink.category_of_name()[name]))));
    }
    return out;
}

nb::dict by_letter(const std::array<std::int64_t, 128>& counts) {
    nb::dict out;
    for (std::size_t letter = 0; letter < counts.size(); ++letter) {
        if (counts[letter] == 0) continue;
        const char c = static_cast<char>(letter);
        out[nb::str(&c, 1)] = counts[letter];
    }
    return out;
}

nb::dict ignored(const TraceEventStream& stream) {
    nb::dict out;
    for (const auto& [reason, count] : stream.sink().ignored()) out[text(reason)] = count;
    return out;
}

// (name of a first piece or None, object, whether the value is whole, bytes)
nb::list member_pieces(TraceEventStream& stream) {
    nb::list out;
    for (const KeptMembers::Piece& piece : stream.members().take_pieces()) {
        out.append(nb::make_tuple(piece.first ? nb::object(text(piece.name)) : nb::none(), piece.object, piece.last,
                                  nb::bytes(piece.bytes.data(), piece.bytes.size())));
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

// NotTraceJson becomes an exception whose arguments are (what, offset, line, column).
void register_error(nb::module_& m) {
    static nb::object* type = nullptr;  // lives as long as the process, as the module does
    type = new nb::object(nb::steal(PyErr_NewException("tilescope.tiler._native.NotTraceJson", nullptr, nullptr)));
    m.attr("NotTraceJson") = *type;
    nb::register_exception_translator(
        [](const std::exception_ptr& error, void* payload) {
            try {
                std::rethrow_exception(error);
            } catch (const NotTraceJson& e) {
                const nb::tuple args = nb::make_tuple(e.what(), e.offset, e.line, e.column);
                PyErr_SetObject(static_cast<PyObject*>(payload), args.ptr());
            }
        },
        type->ptr());
}

}  // namespace

void bind_trace_event(nb::module_& m) {
    register_error(m);
    m.def("parse_microseconds", &parse_us, nb::arg("text"));
    nb::class_<TraceEventPart>(m, "TraceEventPart")
        .def("__init__", &read_part, nb::arg("block"))
        .def_prop_ro("first", &TraceEventPart::first)
        .def_prop_ro("last", &TraceEventPart::last);
    nb::class_<TraceEventStream>(m, "TraceEventStream")
        .def(nb::init<std::size_t>(), nb::arg("max_members") = 0)
        .def("member_pieces", &member_pieces)
        .def("dropped_objects", [](TraceEventStream& s) { return s.members().take_dropped(); })
        .def_prop_ro("more_members", [](TraceEventStream& s) { return s.members().more(); })
        .def_prop_ro("unnamed_members", [](TraceEventStream& s) { return s.members().unnamed(); })
        .def("feed", &feed, nb::arg("data"), nb::arg("part").none() = nb::none())
        .def("finish", &finish)
        .def("take", &take)
        .def_prop_ro("chunk_ready", [](const TraceEventStream& s) { return s.sink().chunk_ready(); })
        .def_prop_ro("rows", [](const TraceEventStream& s) { return s.sink().row_count(); })
        .def_prop_ro("parts_taken", &TraceEventStream::parts_taken)
        .def_prop_ro("offset", &TraceEventStream::offset)
        .def_prop_ro("cut_offset", &TraceEventStream::cut_offset)
        .def_prop_ro("ended_in", &ended_in)
        .def_prop_ro("elements", &TraceEventStream::elements)
        .def_prop_ro("has_event_array", &TraceEventStream::has_event_array)
        .def_prop_ro("event_array_is_none", &TraceEventStream::event_array_is_none)
        .def_prop_ro("base_time_ns", [](const TraceEventStream& s) { return s.base_time_ns(); })
        .def_prop_ro("base_time_differs", &TraceEventStream::base_time_differs)
        .def_prop_ro("host_name", [](const TraceEventStream& s) { return s.host_name(); })
        .def_prop_ro("written_total", [](const TraceEventStream& s) { return s.sink().written_total(); })
        .def("written", [](const TraceEventStream& s) { return by_letter(s.sink().written()); })
        .def("read", [](const TraceEventStream& s) { return by_letter(s.sink().read()); })
        .def("processes", &processes)
        .def("threads", &threads)
        .def("tracks", &tracks)
        .def("names", &names)
        .def_prop_ro("name_count", [](const TraceEventStream& stream) { return stream.sink().names().size(); })
        .def_prop_ro("name_bytes", [](const TraceEventStream& stream) { return stream.sink().names().bytes(); })
        .def_prop_ro("process_count",
                     [](const TraceEventStream& stream) { return stream.sink().tracks().processes().size(); })
        .def_prop_ro("thread_count",
                     [](const TraceEventStream& stream) { return stream.sink().tracks().threads().size(); })
        .def_prop_ro("id_count", [](const TraceEventStream& stream) { return stream.sink().keys().size(); })
        .def_prop_ro("id_bytes", [](const TraceEventStream& stream) { return stream.sink().keys().bytes(); })
        .def("ignored", &ignored);
}

}  // namespace tilescope
