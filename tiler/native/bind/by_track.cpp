// Binds the order of a chunk's rows by track.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "columns/by_track.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

template <typename T>
using InOptional = std::optional<InColumn<T>>;

template <typename T>
using OutOptional = std::optional<OutColumn<T>>;

template <typename T>
std::optional<Column<T>> in_order(const std::optional<Span<const T>>& column, const std::vector<uint32_t>& order) {
    if (!column) return std::nullopt;
    return in_order(*column, order);
}

template <typename T>
std::optional<Span<const T>> span_of(const InOptional<T>& column) {
    if (!column) return std::nullopt;
    return tilescope::span_of(*column);
}

template <typename T>
OutOptional<T> to_numpy(std::optional<Column<T>>& column) {
    if (!column) return std::nullopt;
    return tilescope::to_numpy(*column);
}

using SortedColumns = std::tuple<OutColumn<uint8_t>, OutColumn<int64_t>, OutOptional<int16_t>, OutColumn<int64_t>,
                                 OutOptional<int16_t>, OutColumn<int32_t>, OutOptional<int64_t>, OutOptional<double>,
                                 OutColumn<uint8_t>, OutColumn<int64_t>, OutColumn<uint8_t>>;

std::tuple<OutColumn<int32_t>, OutColumn<int64_t>, std::optional<SortedColumns>> by_track(
    const InColumn<int32_t>& track, const InColumn<uint8_t>& phase, const InColumn<int64_t>& time_ns,
    const InOptional<int16_t>& time_ps, const InColumn<int64_t>& duration_ns, const InOptional<int16_t>& duration_ps,
    const InColumn<int32_t>& name, const InOptional<int64_t>& key, const InOptional<double>& value,
    const InColumn<uint8_t>& flags, const InColumn<int64_t>& args_end, const InColumn<uint8_t>& args) {
    const auto tracks = tilescope::span_of(track);
    const auto phases = tilescope::span_of(phase);
    const auto times = tilescope::span_of(time_ns);
    const auto times_ps = span_of(time_ps);
    const auto durations = tilescope::span_of(duration_ns);
    const auto durations_ps = span_of(duration_ps);
    const auto names = tilescope::span_of(name);
    const auto keys = span_of(key);
    const auto values = span_of(value);
    const auto marks = tilescope::span_of(flags);
    const auto ends = tilescope::span_of(args_end);
    const auto bytes = tilescope::span_of(args);

    auto release = std::make_optional<nb::gil_scoped_release>();
    RowsByTrack rows = rows_by_track(tracks);
    if (rows.order.empty()) {
        release.reset();
        return {tilescope::to_numpy(std::move(rows.tracks)), tilescope::to_numpy(std::move(rows.stops)), std::nullopt};
    }
    const std::vector<uint32_t>& order = rows.order;
    Column<uint8_t> phase_out = in_order(phases, order);
    Column<int64_t> time_out = in_order(times, order);
    auto time_ps_out = in_order(times_ps, order);
    Column<int64_t> duration_out = in_order(durations, order);
    auto duration_ps_out = in_order(durations_ps, order);
    Column<int32_t> name_out = in_order(names, order);
    auto key_out = in_order(keys, order);
    auto value_out = in_order(values, order);
    Column<uint8_t> flags_out = in_order(marks, order);
    StringsInOrder args_out = strings_in_order(ends, bytes, order);
    release.reset();
    return {tilescope::to_numpy(std::move(rows.tracks)), tilescope::to_numpy(std::move(rows.stops)),
            SortedColumns(tilescope::to_numpy(phase_out), tilescope::to_numpy(time_out), to_numpy(time_ps_out),
                          tilescope::to_numpy(duration_out), to_numpy(duration_ps_out), tilescope::to_numpy(name_out),
                          to_numpy(key_out), to_numpy(value_out), tilescope::to_numpy(flags_out),
                          tilescope::to_numpy(args_out.ends), tilescope::to_numpy(args_out.data))};
}

}  // namespace

void bind_by_track(nb::module_& m) {
    m.def("by_track", &by_track, nb::arg("track"), nb::arg("phase"), nb::arg("time_ns"), nb::arg("time_ps").none(),
          nb::arg("duration_ns"), nb::arg("duration_ps").none(), nb::arg("name"), nb::arg("key").none(),
          nb::arg("value").none(), nb::arg("flags"), nb::arg("args_end"), nb::arg("args"),
          "Of a chunk: the tracks that have rows, where the rows of each end when they are brought together, and the\n"
          "columns but `track` with the rows in that order, of one track as they stood; None: they are.");
}

}  // namespace tilescope
