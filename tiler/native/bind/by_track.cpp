// Binds the order of rows of chunks by track.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/chunk_columns.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/by_track.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

template <typename T>
using OutOptional = std::optional<OutColumn<T>>;

template <typename T>
OutOptional<T> to_numpy(std::optional<Column<T>>& column) {
    if (!column) return std::nullopt;
    return tilescope::to_numpy(*column);
}

using OutColumns = std::tuple<OutColumn<uint8_t>, OutColumn<int64_t>, OutOptional<int16_t>, OutColumn<int64_t>,
                              OutOptional<int16_t>, OutColumn<int32_t>, OutOptional<int64_t>, OutOptional<double>,
                              OutColumn<uint8_t>, OutColumn<int64_t>, OutColumn<uint8_t>>;

// The tracks of all rows, one behind the other: of one chunk as they are, of several in `joined`.
Span<const int32_t> all_tracks(const std::vector<InColumn<int32_t>>& tracks, const std::vector<ChunkPart>& chunks,
                               Column<int32_t>& joined) {
    if (tracks.size() != chunks.size()) throw std::invalid_argument("each chunk has a column of tracks");
    for (size_t k = 0; k < chunks.size(); ++k) same_size(span_of(tracks[k]), chunks[k].phase);
    if (tracks.size() == 1) return span_of(tracks.front());
    for (const InColumn<int32_t>& track : tracks) {
        joined.ensure(track.size());
        joined.append_unchecked(span_of(track));
    }
    return joined;
}

std::tuple<OutColumn<int32_t>, OutColumn<int64_t>, std::optional<OutColumns>> by_track(
    const std::vector<InColumn<int32_t>>& tracks, const nb::typed<nb::list, ChunkColumns>& chunks) {
    std::vector<ChunkPart> parts;
    parts.reserve(chunks.size());
    for (const nb::handle chunk : chunks) parts.push_back(nb::cast<const ChunkColumns&>(chunk).whole());

    auto release = std::make_optional<Unlocked>();
    Column<int32_t> joined;
    const Span<const int32_t> track = all_tracks(tracks, parts, joined);
    RowsByTrack rows = rows_by_track(track);
    if (rows.order.empty() && parts.size() == 1) {
        release.reset();
        return {tilescope::to_numpy(std::move(rows.tracks)), tilescope::to_numpy(std::move(rows.stops)), std::nullopt};
    }
    if (rows.order.empty()) rows.order = as_they_are(track.size());
    SortedColumns out = in_order(parts, rows.order);
    release.reset();
    return {tilescope::to_numpy(std::move(rows.tracks)), tilescope::to_numpy(std::move(rows.stops)),
            OutColumns(tilescope::to_numpy(out.phase), tilescope::to_numpy(out.time_ns), to_numpy(out.time_ps),
                       tilescope::to_numpy(out.duration_ns), to_numpy(out.duration_ps), tilescope::to_numpy(out.name),
                       to_numpy(out.key), to_numpy(out.value), tilescope::to_numpy(out.flags),
                       tilescope::to_numpy(out.args_end), tilescope::to_numpy(out.args))};
}

}  // namespace

void bind_by_track(nb::module_& m) {
    m.def(
        "by_track", &by_track, nb::arg("tracks"), nb::arg("chunks"),
        "Of chunks with the tracks of their rows: the tracks that have rows, where the rows of each end when they are\n"
        "brought together, and the columns of all chunks but `track` with the rows in that order, of one track as "
        "they\n"
        "stood; None: those of the only chunk are.");
}

}  // namespace tilescope
