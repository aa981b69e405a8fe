// Binds what is read of a device's operations.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "xspace/operations.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using xspace::Operations;
using IdLists = std::vector<std::vector<std::int64_t>>;

using ColumnTuple = std::tuple<OutColumn<std::int64_t>, OutColumn<std::int64_t>, OutColumn<std::int64_t>,
                               OutColumn<std::int64_t>, std::vector<OutColumn<std::int64_t>>, std::int64_t>;

ColumnTuple columns_of(Operations::Columns columns) {
    std::vector<OutColumn<std::int64_t>> numbers;
    numbers.reserve(columns.numbers.size());
    for (std::vector<std::int64_t>& column : columns.numbers) numbers.push_back(to_numpy(std::move(column)));
    return {to_numpy(columns.kind),     to_numpy(columns.parent),
            to_numpy(columns.duration), to_numpy(std::move(columns.numbered)),
            std::move(numbers),         columns.last_stop};
}

ColumnTuple add(Operations& operations, const InColumn<std::int64_t>& args_end, std::int64_t begin,
                const InColumn<std::uint8_t>& args, const InColumn<std::int64_t>& start,
                const InColumn<std::int64_t>& duration) {
    Operations::Columns columns;
    {
        const Unlocked unlocked;
        columns = operations.add(span_of(args_end), begin, span_of(args), span_of(start), span_of(duration));
    }
    return columns_of(std::move(columns));
}

// The first event of a chunk, how many it has, where its checksum is, and its bytes.
using WrittenChunk = std::tuple<std::size_t, std::size_t, std::size_t, OutColumn<std::uint8_t>>;

auto add_with_chunks(Operations& operations, const InColumn<std::int64_t>& args_end, std::int64_t begin,
                     const InColumn<std::uint8_t>& args, const InColumn<std::int64_t>& start,
                     const InColumn<std::int64_t>& duration, std::size_t most_events, std::size_t most_bytes) {
    Operations::Columns columns;
    std::vector<xspace::OperationChunk> ended;
    {
        const Unlocked unlocked;
        xspace::OperationChunks& chunks = operations.chunks(most_events, most_bytes);
        columns = operations.add(span_of(args_end), begin, span_of(args), span_of(start), span_of(duration), &chunks);
        ended = chunks.take();
    }
    std::vector<WrittenChunk> made;
    made.reserve(ended.size());
    for (xspace::OperationChunk& chunk : ended)
        made.emplace_back(chunk.first, chunk.count, chunk.checksum_at, to_numpy(std::move(chunk.bytes)));
    return std::make_pair(columns_of(std::move(columns)), std::move(made));
}

using KindStats = std::vector<std::tuple<int, std::int64_t, nb::bytes>>;

auto kinds(const Operations& operations) {
    std::vector<std::int64_t> metadata;
    std::vector<std::pair<std::int64_t, KindStats>> with_stats;
    metadata.reserve(operations.kinds().size());
    for (const Operations::Kind& kind : operations.kinds()) {
        metadata.push_back(kind.metadata);
        const auto is_there = [](const xspace::OperationStat& stat) { return stat.kind != xspace::StatForm::none; };
        if (std::none_of(kind.stats.begin(), kind.stats.end(), is_there)) continue;
        KindStats stats;
        for (const xspace::OperationStat& stat : kind.stats)
            stats.emplace_back(static_cast<int>(stat.kind), stat.bits, to_bytes(stat.text));
        with_stats.emplace_back(static_cast<std::int64_t>(metadata.size()) - 1, std::move(stats));
    }
    return std::make_pair(to_numpy(std::move(metadata)), std::move(with_stats));
}

}  // namespace

void bind_operations(nb::module_& m) {
    nb::class_<Operations>(m, "Operations", "Reads the arguments of a device's operations, a line in canonical order.")
        .def(
            "__init__",
            [](Operations* self, std::vector<std::int64_t> begin, std::vector<std::int64_t> duration, IdLists numbers,
               IdLists of_kind, std::size_t max_kinds, std::int64_t tick_ps) {
                const xspace::OperationIds ids{std::move(begin), std::move(duration), std::move(numbers),
                                               std::move(of_kind)};
                new (self) Operations(ids, max_kinds, tick_ps);
            },
            nb::arg("begin"), nb::arg("duration"), nb::arg("numbers"), nb::arg("of_kind"), nb::arg("max_kinds"),
            nb::arg("tick_ps"))
        .def(
            "add", &add, nb::arg("args_end"), nb::arg("begin"), nb::arg("args"), nb::arg("start"), nb::arg("duration"),
            "Takes the next events, whose arguments begin at `begin`. Returns of each its kind, that of the operation\n"
            "it lies in, -1 none, and its duration in picoseconds; the places of those that have any numbers, and of\n"
            "these the numbers, -1 none: no column where none has any; and when the last event ends, in ticks.")
        .def(
            "add_with_chunks", &add_with_chunks, nb::arg("args_end"), nb::arg("begin"), nb::arg("args"),
            nb::arg("start"), nb::arg("duration"), nb::arg("most_events"), nb::arg("most_bytes"),
            "The same, and chunks of the arguments as they are stored, which do without what the durations say and\n"
            "without when operations began: of each its first event, how many it has, where four bytes are left for a\n"
            "checksum of their durations, and its bytes.")
        .def(
            "kinds", &kinds,
            "Returns of each kind so far its metadata, -1 none; and of those that stats make, their places with the\n"
            "stats: how each is written (1 integer, 2 unsigned, 3 reference, 4 text, 0 not there), its bits, its text.")
        .def(
            "kinds_from",
            [](const Operations& operations, std::size_t first) {
                std::vector<std::int64_t> metadata;
                metadata.reserve(operations.kinds().size() - std::min(first, operations.kinds().size()));
                for (std::size_t k = first; k < operations.kinds().size(); ++k)
                    metadata.push_back(operations.kinds()[k].metadata);
                return to_numpy(std::move(metadata));
            },
            nb::arg("first"), "Returns of each kind so far from this place on its metadata, -1 none.")
        .def_prop_ro("is_cut", &Operations::is_cut, "Whether kinds were told apart by metadata alone.")
        .def_prop_ro("first", &Operations::first, "When the first operation begins, ps of the device.")
        .def_prop_ro("last", &Operations::last, "When the last one ends.");
}

}  // namespace tilescope
