#include "bind/xspace_events.hpp"

#include <stdexcept>

#include "bind/unlocked.hpp"

namespace tilescope {

std::optional<LineEvents::Columns> LineEvents::next(std::size_t max_rows, std::size_t max_args_bytes) {
    if (max_rows == 0) throw std::invalid_argument("a chunk has at least one row");
    xspace::Chunk chunk;
    bool any = false;
    {
        const Unlocked unlocked;
        any = std::visit([&](auto& decoder) { return decoder.next(chunk, max_rows, max_args_bytes); }, decoder_);
    }
    if (!any) return std::nullopt;
    Columns columns{nb::dict()};
    columns["key"] = chunk.key.size() != 0 ? nb::cast(to_numpy(chunk.key)) : nb::none();
    columns["value"] = chunk.value.size() != 0 ? nb::cast(to_numpy(chunk.value)) : nb::none();
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

void bind_xspace_events(nb::module_& m) {
    nb::class_<LineEvents>(m, "XSpaceLineEvents", "The events of a line, chunk by chunk.")
        .def("next", &LineEvents::next, nb::arg("max_rows"), nb::arg("max_args_bytes"),
             "Returns columns, or None, by their names in an EventChunk. None: there are no more events.")
        .def_prop_ro("position", &LineEvents::position);

    nb::class_<SliceReading>(m, "XSpaceLineSlices", "The slices of a line, on their way to columns of the caller's.")
        .def(
            "advance", [](SliceReading& reading, std::size_t stop) { return reading.decoder.advance(stop); },
            nb::arg("stop"), nb::call_guard<Unlocked>(),
            "Reads on until `stop`, a byte offset. Returns whether there is more.")
        .def_prop_ro("position", [](const SliceReading& reading) { return reading.decoder.position(); })
        .def_prop_ro(
            "args_bytes", [](const SliceReading& reading) { return reading.decoder.args_bytes(); },
            "How many bytes of arguments there are so far.");
}

}  // namespace tilescope
