// Binds the XSpace reader: two passes over a buffer, columns out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind_arrays.hpp"
#include "utf8.hpp"
#include "wire.hpp"
#include "xspace_events.hpp"
#include "xspace_outline.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

template <typename T> nb::object to_numpy(xspace::Column<T>& column) {
    const std::size_t size = column.size();
    T* data = column.release();
    nb::capsule owner(data, [](void* pointer) noexcept { std::free(pointer); });
    return nb::cast(OutColumn<T>(data, {size}, owner));
}

// What Python sees of a line and of a plane.
struct LineInfo {
    std::size_t plane;
    std::int64_t id;
    std::int64_t timestamp_ns;
    std::string name;
    std::string display_name;
    std::size_t events;
};

struct PlaneInfo {
    std::string name;
    nb::list stats;       // bytes, XStat messages
    nb::dict stat_names;  // stat metadata id → name
    std::size_t lines;
};

struct MetadataInfo {
    std::size_t plane;
    std::int64_t id;
    std::string name;
    std::string display_name;
    nb::bytes stats;
};

// An XSpace in a buffer that it keeps alive. For one thread at a time; hot calls release the GIL.
class XSpaceFile {
  public:
    explicit XSpaceFile(InColumn<std::uint8_t> buffer)
        : buffer_(std::move(buffer)), source_{buffer_.data(), buffer_.size()}, outline_(source_) {}

    bool read_outline(std::size_t stop) {
        nb::gil_scoped_release release;
        return outline_.advance(stop);
    }

    std::vector<PlaneInfo> planes() const {
        std::vector<PlaneInfo> result;
        for (const xspace::Plane& plane : outline_.outline().planes) {
            PlaneInfo info{text(plane.name), nb::list(), nb::dict(), 0};
            for (const wire::Range& stat : plane.stats) info.stats.append(bytes(stat));
            for (const xspace::MetadataEntry& entry : plane.stat_metadata)
                info.stat_names[nb::int_(entry.id)] = text(xspace::stat_metadata_name(source_, entry.value));
            result.push_back(std::move(info));
        }
        for (const xspace::Line& line : outline_.outline().lines) ++result[line.plane].lines;
        return result;
    }

    std::vector<LineInfo> lines() const {
        std::vector<LineInfo> result;
        for (const xspace::Line& line : outline_.outline().lines)
            result.push_back({line.plane, line.id, line.timestamp_ns, text(line.name), text(line.display_name), line.events});
        return result;
    }

    std::vector<std::string> errors() const { return texts(outline_.outline().errors); }
    std::vector<std::string> warnings() const { return texts(outline_.outline().warnings); }
    std::vector<std::string> hostnames() const { return texts(outline_.outline().hostnames); }

    void start_events(std::vector<std::int64_t> line_start_ns) {
        if (line_start_ns.size() != outline_.outline().lines.size()) throw std::invalid_argument("one start per line, please");
        decoder_.emplace(source_, outline_.outline(), std::move(line_start_ns));
    }

    std::optional<nb::dict> next_events(std::size_t max_rows, std::size_t max_args_bytes) {
        if (max_rows == 0) throw std::invalid_argument("a chunk has at least one row");
        xspace::Chunk chunk;
        bool any = false;
        {
            nb::gil_scoped_release release;
            any = decoder().next(chunk, max_rows, max_args_bytes);
        }
        if (!any) return std::nullopt;
        nb::dict columns;
        columns["key"] = chunk.key.size() != 0 ? to_numpy(chunk.key) : nb::none();
        columns["value"] = nb::none();
        columns["track"] = to_numpy(chunk.track);
        columns["phase"] = to_numpy(chunk.phase);
        columns["time_ns"] = to_numpy(chunk.time_ns);
        columns["time_ps"] = to_numpy(chunk.time_ps);
        columns["duration_ns"] = to_numpy(chunk.duration_ns);
        columns["duration_ps"] = to_numpy(chunk.duration_ps);
        columns["name"] = to_numpy(chunk.name);
        columns["flags"] = to_numpy(chunk.flags);
        columns["args_end"] = to_numpy(chunk.args_end);
        columns["args"] = to_numpy(chunk.args);
        return columns;
    }

    std::vector<std::string> names() {
        const auto& names = decoder().names().names();
        return {names.begin(), names.end()};
    }

    std::vector<MetadataInfo> used_metadata() {
        std::vector<MetadataInfo> result;
        for (const xspace::UsedMetadata& used : decoder().used_metadata()) {
            std::string stats;
            for (const wire::Range& stat : used.stats) stats += view(stat);
            result.push_back({used.plane, used.id, text(used.name), text(used.display_name), nb::bytes(stats.data(), stats.size())});
        }
        return result;
    }

    xspace::EventCounts counts() { return decoder().counts(); }
    std::size_t outline_position() const { return outline_.position(); }
    std::size_t events_position() const { return decoder_ ? decoder_->position() : 0; }

  private:
    xspace::EventDecoder& decoder() {
        if (!decoder_) throw std::invalid_argument("start_events comes first");
        return *decoder_;
    }

    std::string_view view(wire::Range range) const {
        return {reinterpret_cast<const char*>(source_.data) + range.begin, range.size()};
    }
    std::string text(wire::Range range) const { return utf8::repaired(view(range)); }
    nb::bytes bytes(wire::Range range) const { return nb::bytes(source_.data + range.begin, range.size()); }
    std::vector<std::string> texts(const std::vector<wire::Range>& ranges) const {
        std::vector<std::string> result;
        for (const wire::Range& range : ranges) result.push_back(text(range));
        return result;
    }

    InColumn<std::uint8_t> buffer_;
    wire::Source source_;
    xspace::OutlineReader outline_;
    std::optional<xspace::EventDecoder> decoder_;
};

// `WireError(what, offset)` in Python.
void bind_wire_error(nb::module_& m) {
    static nb::object* type = nullptr;  // lives as long as the process, as the module does
    type = new nb::object(nb::steal(PyErr_NewException("tilescope.tiler._native.WireError", PyExc_ValueError, nullptr)));
    m.attr("WireError") = *type;
    nb::register_exception_translator(
        [](const std::exception_ptr& pending, void* payload) {
            try {
                std::rethrow_exception(pending);
            } catch (const wire::Error& error) {
                const nb::tuple args = nb::make_tuple(error.what(), error.offset());
                PyErr_SetObject(static_cast<PyObject*>(payload), args.ptr());
            }
        },
        type->ptr());
}

}  // namespace

void bind_xspace(nb::module_& m);  // module.cpp calls it

void bind_xspace(nb::module_& m) {
    bind_wire_error(m);

    nb::class_<LineInfo>(m, "XSpaceLine")
        .def_ro("plane", &LineInfo::plane)
        .def_ro("id", &LineInfo::id)
        .def_ro("timestamp_ns", &LineInfo::timestamp_ns)
        .def_ro("name", &LineInfo::name)
        .def_ro("display_name", &LineInfo::display_name)
        .def_ro("events", &LineInfo::events);

    nb::class_<PlaneInfo>(m, "XSpacePlane")
        .def_ro("name", &PlaneInfo::name)
        .def_ro("stats", &PlaneInfo::stats)
        .def_ro("stat_names", &PlaneInfo::stat_names)
        .def_ro("lines", &PlaneInfo::lines);

    nb::class_<MetadataInfo>(m, "XSpaceMetadata")
        .def_ro("plane", &MetadataInfo::plane)
        .def_ro("id", &MetadataInfo::id)
        .def_ro("name", &MetadataInfo::name)
        .def_ro("display_name", &MetadataInfo::display_name)
        .def_ro("stats", &MetadataInfo::stats);

    nb::class_<xspace::EventCounts>(m, "XSpaceCounts")
        .def_ro("events", &xspace::EventCounts::events)
        .def_ro("out_of_range", &xspace::EventCounts::out_of_range)
        .def_ro("flow_ends", &xspace::EventCounts::flow_ends);

    nb::class_<XSpaceFile>(m, "XSpaceFile")
        .def(nb::init<InColumn<std::uint8_t>>(), nb::arg("buffer"))
        .def("read_outline", &XSpaceFile::read_outline, nb::arg("stop"))
        .def("planes", &XSpaceFile::planes)
        .def("lines", &XSpaceFile::lines)
        .def("errors", &XSpaceFile::errors)
        .def("warnings", &XSpaceFile::warnings)
        .def("hostnames", &XSpaceFile::hostnames)
        .def("start_events", &XSpaceFile::start_events, nb::arg("line_start_ns"))
        .def("next_events", &XSpaceFile::next_events, nb::arg("max_rows"), nb::arg("max_args_bytes"))
        .def("names", &XSpaceFile::names)
        .def("used_metadata", &XSpaceFile::used_metadata)
        .def("counts", &XSpaceFile::counts)
        .def_prop_ro("outline_position", &XSpaceFile::outline_position)
        .def_prop_ro("events_position", &XSpaceFile::events_position);
}

}  // namespace tilescope
