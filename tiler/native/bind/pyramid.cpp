// Binds tile trees, their overview, and page encoding.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/system.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "bind/written.hpp"
#include "pyramid/block.hpp"
#include "pyramid/counter_track.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/overview.hpp"
#include "pyramid/rollup_track.hpp"
#include "pyramid/slice_digest.hpp"
#include "pyramid/slice_track.hpp"
#include "pyramid/time_checks.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Memory that is free but kept for later goes back to the system. The next allocations cost page faults again.
void release_free_memory() {
    const Unlocked unlocked;
    system::trim_heap();
}

// Memory that is freed is kept for what comes next, so much at most, arrays included: pages that the system takes back and
// gives again, cleared, were a twentieth of the processor time of a build.
void keep_free_memory(size_t bytes, int parts) { system::keep_in_heap(bytes, parts); }

constexpr int64_t kOverviewBinsAtMost = 1 << 20;

// (bin, name, utilisation)
auto overview_columns(const std::vector<OverviewBin>& bins) {
    std::vector<int64_t> bin;
    std::vector<int32_t> name;
    std::vector<uint8_t> utilisation;
    for (const OverviewBin& overview_bin : bins) {
        bin.push_back(overview_bin.bin);
        name.push_back(overview_bin.name);
        utilisation.push_back(overview_bin.utilisation);
    }
    return std::make_tuple(to_numpy(std::move(bin)), to_numpy(std::move(name)), to_numpy(std::move(utilisation)));
}

// The tile tree of a track, with the arrays that it points into.
struct BoundTiles {
    std::vector<nb::object> kept;  // outlives the tiles
    std::unique_ptr<TrackTiles> tiles;

    // (bin, name, utilisation) of a rollup's part of the overview layer.
    auto overview(int level, int64_t lanes) const {
        const auto* rollup = dynamic_cast<const RollupTrack*>(tiles.get());
        if (rollup == nullptr) throw std::invalid_argument("only the tiles of a rollup know their overview");
        if (lanes < 1) throw std::invalid_argument("a rollup has at least one lane");
        return overview_columns(rollup->overview(level, lanes));
    }

    // The same of a track of slices.
    auto take_overview() const {
        auto* track = dynamic_cast<SliceTrack*>(tiles.get());
        if (track == nullptr) throw std::invalid_argument("only the tiles of slices have an overview of their own");
        return overview_columns(track->take_overview());
    }

    // Joins the part that follows the cut of a rollup.
    void join(const BoundTiles& later) const {
        auto* rollup = dynamic_cast<RollupTrack*>(tiles.get());
        const auto* other = dynamic_cast<const RollupTrack*>(later.tiles.get());
        if (rollup == nullptr || other == nullptr) throw std::invalid_argument("only the parts of rollups are joined");
        const Unlocked unlocked;
        rollup->join(*other);
    }
};

void check_level(int level) {
    if (level < 0 || level > kMaxLevel) throw std::invalid_argument("level is not in 0..27");
}

BoundTiles slice_tiles(const InColumn<int64_t>& start, const InColumn<int64_t>& duration, const InColumn<uint32_t>& row,
                       const InColumn<int32_t>& name, const InColumn<uint8_t>& flags, int root_level,
                       MemoryBudget* budget, std::optional<int> overview_level) {
    check_level(root_level);
    if (overview_level) check_level(*overview_level);
    BoundTiles bound;
    for (const nb::object& array :
         {nb::cast(start), nb::cast(duration), nb::cast(row), nb::cast(name), nb::cast(flags)})
        bound.kept.push_back(array);
    if (budget != nullptr) bound.kept.push_back(nb::cast(budget, nb::rv_policy::reference));
    const SliceColumns columns(span_of(start), span_of(duration), span_of(row), span_of(name), span_of(flags));
    const Unlocked unlocked;
    // Of each bin there is a note: at such a level they are few.
    if (overview_level && columns.size() != 0 && bin_at(columns.start.back(), *overview_level) > kOverviewBinsAtMost)
        throw std::invalid_argument("the level is too fine for an overview");
    bound.tiles = std::make_unique<SliceTrack>(columns, root_level, budget, overview_level);
    return bound;
}

// (fingerprint, end)
auto slice_digest(const InColumn<int64_t>& start, const InColumn<int64_t>& duration, const InColumn<uint32_t>& row,
                  const InColumn<int32_t>& name, const InColumn<uint8_t>& flags) {
    const SliceColumns columns(span_of(start), span_of(duration), span_of(row), span_of(name), span_of(flags));
    const Unlocked unlocked;
    const SliceDigest digest = digest_of(columns);
    return std::make_tuple(digest.fingerprint, digest.end);
}

BoundTiles counter_tiles(const InColumn<int64_t>& time, const InColumn<double>& value, int root_level) {
    check_level(root_level);
    BoundTiles bound;
    bound.kept = {nb::cast(time), nb::cast(value)};
    const SampleColumns columns(span_of(time), span_of(value));
    const Unlocked unlocked;
    check_times(columns.time);
    bound.tiles = std::make_unique<CounterTrack>(columns, root_level);
    return bound;
}

// Slices that are kept for rollups, with the arrays that they lie in, if they do.
struct BoundSlices {
    KeptSlices slices;
    std::vector<nb::object> kept;

    BoundSlices(const InColumn<int64_t>& start, const InColumn<int64_t>& duration, const InColumn<int32_t>& name)
        : slices({span_of(start), span_of(duration), span_of(name)}),
          kept{nb::cast(start), nb::cast(duration), nb::cast(name)} {}

    BoundSlices(int file, int64_t offset, const SliceColumns& columns) : slices(file, offset, columns) {}

    // In a file, from `offset` on.
    static std::unique_ptr<BoundSlices> in_file(int file, int64_t offset, const InColumn<int64_t>& start,
                                                const InColumn<int64_t>& duration, const InColumn<int32_t>& name) {
        const SliceColumns columns(span_of(start), span_of(duration), span_of(name));
        const Unlocked unlocked;
        return std::make_unique<BoundSlices>(file, offset, columns);
    }
};

std::vector<const KeptSlices*> slices_of(const std::vector<const BoundSlices*>& children) {
    std::vector<const KeptSlices*> slices;
    slices.reserve(children.size());
    for (const BoundSlices* child : children) slices.push_back(&child->slices);
    return slices;
}

BoundTiles rollup_tiles(const std::vector<const BoundSlices*>& children, int root_level, MemoryBudget* budget,
                        size_t terminal_slices, uint64_t narrow_slices, int64_t start, std::optional<int64_t> stop) {
    check_level(root_level);
    const std::vector<const KeptSlices*> slices = slices_of(children);
    BoundTiles bound;
    {
        const Unlocked unlocked;
        // Times are checked on the way: slices of a whole run are not read twice.
        bound.tiles = std::make_unique<RollupTrack>(slices, root_level, RollupSpan{start, stop.value_or(INT64_MAX)},
                                                    budget, terminal_slices, narrow_slices);
    }
    return bound;
}

std::vector<int64_t> rollup_cuts(const std::vector<const BoundSlices*>& children, int root_level, size_t parts,
                                 size_t terminal_slices) {
    check_level(root_level);
    const std::vector<const KeptSlices*> slices = slices_of(children);
    const Unlocked unlocked;
    return RollupTrack::cuts(slices, root_level, parts, terminal_slices);
}

struct BoundBlock {
    std::vector<nb::object> kept;  // outlives the block
    Block block;

    explicit BoundBlock(uint32_t number) : block(number) {}

    // Takes the tiles from `bound`, which is empty afterwards.
    void add(int slot, BoundTiles& bound) {
        if (!bound.tiles) throw std::invalid_argument("these tiles are in a block already");
        block.add(slot, std::move(bound.tiles));
        for (nb::object& object : bound.kept) kept.push_back(std::move(object));
        bound.kept.clear();
    }

    void seal() {
        const Unlocked unlocked;
        block.seal();
    }

    // (level, index, slot, flags, events, weight) of all tiles, in key order.
    auto tiles() const {
        std::vector<int64_t> index, events, weight;
        std::vector<uint8_t> level, slot, flags;
        for (size_t position = 0; position < block.size(); ++position) {
            const Tile& tile = block.tile(position);
            level.push_back(tile.level);
            index.push_back(tile.index);
            slot.push_back(static_cast<uint8_t>(block.slot(position)));
            flags.push_back(tile.flags);
            events.push_back(static_cast<int64_t>(tile.last - tile.first));
            weight.push_back(static_cast<int64_t>(block.weight(position)));
        }
        return std::make_tuple(to_numpy(std::move(level)), to_numpy(std::move(index)), to_numpy(std::move(slot)),
                               to_numpy(std::move(flags)), to_numpy(std::move(events)), to_numpy(std::move(weight)));
    }

    // (page, residual) of tiles [first, last).
    auto encode(size_t first, size_t last, MemoryBudget* budget) const {
        std::optional<PlannedPage> planned;
        {
            const Unlocked unlocked;
            planned.emplace(block.page(first, last, budget));
        }
        const auto& residual = planned->residual();
        return std::make_tuple(written(planned->page()), residual ? written(*residual) : nb::bytes("", 0));
    }
};

}  // namespace

void bind_pyramid(nb::module_& m) {
    nb::register_exception_translator([](const std::exception_ptr& pending, void*) {
        try {
            std::rethrow_exception(pending);
        } catch (const std::system_error& error) {
            errno = error.code().value();
            PyErr_SetFromErrno(PyExc_OSError);
        }
    });
    m.attr("TIME_LIMIT") = kTimeLimit;
    m.def("root_level", &root_level, nb::arg("end"), "Returns the lowest level at which tile 0 covers [0, end].");
    m.def("release_free_memory", &release_free_memory,
          "Gives memory that is free but kept for later back to the system.");
    m.def("keep_free_memory", &keep_free_memory, nb::arg("bytes"), nb::arg("parts"),
          "Keeps memory that is freed, up to so many bytes, from now on: for a process that has one thing to do.\n"
          "Threads share so many parts of it.");
    nb::class_<MemoryBudget>(m, "MemoryBudget", "The memory that work may take, shared by its threads.")
        .def(nb::init<std::size_t>(), nb::arg("limit"))
        .def_prop_ro("limit", &MemoryBudget::limit)
        .def_prop_ro("taken", &MemoryBudget::taken)
        .def("refused", &MemoryBudget::refused,
             "Returns the most that was asked for and not given since the last call.")
        .def("take", &MemoryBudget::take, nb::arg("size"), "Raises MemoryError, and has not taken it then.")
        .def("give", &MemoryBudget::give, nb::arg("size"));
    nb::class_<BoundTiles>(m, "Tiles", "The tile tree of a track.")
        .def("overview", &BoundTiles::overview, nb::arg("level"), nb::arg("lanes"),
             "Returns bin, name and utilisation (1 to 255) of the overview of a rollup.")
        .def("take_overview", &BoundTiles::take_overview,
             "Returns bin, name and utilisation (1 to 255) of the overview of slices whose tiles were made with a "
             "level\n"
             "for it; once.")
        .def("join", &BoundTiles::join, nb::arg("later"),
             "Makes the part of a rollup before its cut the whole, with the part behind it.");
    m.def("slice_tiles", &slice_tiles, nb::arg("start"), nb::arg("duration"), nb::arg("row"), nb::arg("name"),
          nb::arg("flags"), nb::arg("root_level"), nb::arg("budget") = nb::none(),
          nb::arg("overview_level") = nb::none(),
          "Returns the tiles of slices, which are in canonical order, and of one level their part of the overview "
          "layer.\n"
          "What they take is taken from the budget, as long as they live. Raises MemoryError.");
    m.def("slice_digest", &slice_digest, nb::arg("start"), nb::arg("duration"), nb::arg("row"), nb::arg("name"),
          nb::arg("flags"),
          "Returns a number of 64 bits that tells slices from others, and when the last of them ends.");
    m.def("counter_tiles", &counter_tiles, nb::arg("time"), nb::arg("value"), nb::arg("root_level"),
          "Returns the tiles of samples, which are in the order of time.");
    nb::class_<BoundSlices>(m, "KeptSlices", "The slices of a track, kept for its rollups.")
        .def(nb::init<const InColumn<int64_t>&, const InColumn<int64_t>&, const InColumn<int32_t>&>(), nb::arg("start"),
             nb::arg("duration"), nb::arg("name"), "In the memory of the arrays, which it keeps.")
        .def_static("in_file", &BoundSlices::in_file, nb::arg("file"), nb::arg("offset"), nb::arg("start"),
                    nb::arg("duration"), nb::arg("name"),
                    "Writes them to an open file from `offset` on. Raises OSError.")
        .def_prop_ro(
            "bytes", [](const BoundSlices& bound) { return bound.slices.bytes(); },
            "What they take in a file at most.");
    m.def("rollup_tiles", &rollup_tiles, nb::arg("children"), nb::arg("root_level"), nb::arg("budget") = nb::none(),
          nb::arg("terminal_slices") = RollupTrack::kTerminalSlices,
          nb::arg("narrow_slices") = RollupTrack::kNarrowSlices, nb::arg("start") = 0, nb::arg("stop") = nb::none(),
          "Returns the tiles of the rollup of these tracks: those below the root in which at most `terminal_slices`\n"
          "start have no children. One of more than `narrow_slices` counts in 64 bits. With cuts as `start` and "
          "`stop`\n"
          "it is the part between them, to be joined. Raises MemoryError when more slices are open at once\n"
          "than the budget has room for.");
    m.def(
        "rollup_cuts", &rollup_cuts, nb::arg("children"), nb::arg("root_level"), nb::arg("parts"),
        nb::arg("terminal_slices") = RollupTrack::kTerminalSlices,
        "Returns times, ascending, at which the rollup of these tracks may be cut into so many parts of about as many\n"
        "slices; fewer where slices are not spread so.");
    nb::class_<BoundBlock>(m, "Block", "The tiles of up to 32 neighbouring tracks, to be written as pages.")
        .def(nb::init<uint32_t>(), nb::arg("number"))
        .def("add", &BoundBlock::add, nb::arg("slot"), nb::arg("tiles"),
             "Takes the tiles of a track: they are of no further use.")
        .def("seal", &BoundBlock::seal, "Puts the tiles in key order. To be called once, when all tracks are in.")
        .def("tiles", &BoundBlock::tiles,
             "Returns level, index, slot, flags, events and weight of all tiles, in key order.")
        .def("encode", &BoundBlock::encode, nb::arg("first"), nb::arg("last"), nb::arg("budget") = nb::none(),
             "Returns page and residual of tiles [first, last), not compressed. Raises MemoryError for a tile that is "
             "too\n"
             "large for the budget.");
}

}  // namespace tilescope
