// Binds the joining of a track's events that lie in many chunks.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "bind/chunk_columns.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/pieces.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using Chunks = nb::typed<nb::list, ChunkColumns>;

std::vector<ChunkPart> parts_of(const Chunks& chunks, const InColumn<int64_t>& starts, const InColumn<int64_t>& stops) {
    std::vector<ChunkPart> parts;
    parts.reserve(chunks.size());
    if (starts.size() != chunks.size() || stops.size() != chunks.size()) {
        throw std::invalid_argument("a piece is a chunk, and its first and last row");
    }
    for (size_t k = 0; k < chunks.size(); ++k) {
        if (starts.data()[k] < 0 || stops.data()[k] < 0) throw std::invalid_argument("rows that are not there");
        const auto& chunk = nb::cast<const ChunkColumns&>(chunks[k]);
        parts.push_back(chunk.part(static_cast<size_t>(starts.data()[k]), static_cast<size_t>(stops.data()[k])));
    }
    return parts;
}

std::tuple<size_t, size_t, bool, bool> piece_sizes(const Chunks& chunks, const InColumn<int64_t>& starts,
                                                   const InColumn<int64_t>& stops) {
    size_t rows = 0;
    size_t args_bytes = 0;
    bool keys = false;
    bool values = false;
    for (const ChunkPart& part : parts_of(chunks, starts, stops)) {
        part.check();
        rows += part.rows();
        args_bytes += part.args_bytes();
        keys = keys || part.key.has_value();
        values = values || part.value.has_value();
    }
    return {rows, args_bytes, keys, values};
}

template <typename T>
std::optional<Span<T>> writable(const std::optional<WritableColumn<T>>& column) {
    if (!column) return std::nullopt;
    return span_of(*column);
}

std::tuple<size_t, size_t> join_pieces(const Chunks& chunks, const InColumn<int64_t>& starts,
                                       const InColumn<int64_t>& stops, uint64_t from_ns, bool picoseconds, bool rounds,
                                       const InColumn<int32_t>& names, size_t row, size_t args_at,
                                       const WritableColumn<uint8_t>& phase, const WritableColumn<int64_t>& start,
                                       const WritableColumn<int64_t>& duration, const WritableColumn<int32_t>& name,
                                       const std::optional<WritableColumn<int64_t>>& key,
                                       const std::optional<WritableColumn<double>>& value,
                                       const WritableColumn<uint8_t>& flags, const WritableColumn<int64_t>& args_end,
                                       const WritableColumn<uint8_t>& args) {
    const std::vector<ChunkPart> parts = parts_of(chunks, starts, stops);
    const JoinedColumns out{span_of(phase),  span_of(start), span_of(duration), span_of(name), writable(key),
                            writable(value), span_of(flags), span_of(args_end), span_of(args)};
    const Span<const int32_t> run_names = span_of(names);
    const Unlocked unlocked;
    for (const ChunkPart& part : parts) {
        join_part(part, {from_ns, picoseconds, rounds}, run_names, out, row, args_at);
        row += part.rows();
        args_at += part.args_bytes();
    }
    return {row, args_at};
}

}  // namespace

void bind_pieces(nb::module_& m) {
    m.def("piece_sizes", &piece_sizes, nb::arg("chunks"), nb::arg("starts"), nb::arg("stops"),
          "Of pieces, rows [start, stop) of chunks: rows, bytes of arguments, whether any has keys, and values.");
    m.def("join_pieces", &join_pieces, nb::arg("chunks"), nb::arg("starts"), nb::arg("stops"), nb::arg("from_ns"),
          nb::arg("picoseconds"), nb::arg("rounds"), nb::arg("names"), nb::arg("at"), nb::arg("args_at"),
          nb::arg("phase"), nb::arg("start"), nb::arg("duration"), nb::arg("name"), nb::arg("key").none(),
          nb::arg("value").none(), nb::arg("flags"), nb::arg("args_end"), nb::arg("args"),
          "Writes the rows of pieces one behind the other, as ticks and with names of the run, from row `at` and byte\n"
          "`args_at` of the arguments on. Returns where they end.");
}

}  // namespace tilescope
