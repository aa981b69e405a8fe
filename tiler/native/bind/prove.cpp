// Binds the proof of tiles.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/exceptions.hpp"
#include "bind/module.hpp"
#include "bind/prove.hpp"
#include "bind/unlocked.hpp"
#include "pages/container_reader.hpp"
#include "prove/block.hpp"
#include "prove/failure.hpp"
#include "prove/layer.hpp"
#include "prove/page_names.hpp"

namespace tilescope {

namespace {

template <typename Get>
OutColumn<int64_t> column_of(const std::vector<ProveEntry>& entries, Get get) {
    std::vector<int64_t> column;
    column.reserve(entries.size());
    for (const ProveEntry& entry : entries) column.push_back(entry.*get);
    return to_numpy(std::move(column));
}

// Bin, busy time, name.
using Entries = std::tuple<OutColumn<int64_t>, OutColumn<int64_t>, OutColumn<int64_t>>;

Entries entries_of(const std::vector<ProveEntry>& entries) {
    return {column_of(entries, &ProveEntry::bin), column_of(entries, &ProveEntry::busy),
            column_of(entries, &ProveEntry::name)};
}

// (events, busy time, fingerprint, rows in use, single slices, bins, overview) of a track of slices.
using SliceFacts = std::tuple<std::size_t, nb::int_, uint64_t, int64_t, std::size_t, std::size_t, Entries>;

SliceFacts facts_of(const ProveSlices& track) {
    const unsigned __int128 busy = track.leaves().busy();
    const auto high = nb::int_(static_cast<uint64_t>(busy >> 64)), low = nb::int_(static_cast<uint64_t>(busy));
    return {track.leaves().events(),      nb::int_((high << nb::int_(64)) + low),
            track.leaves().fingerprint(), track.leaves().rows_used(),
            track.individuals(),          track.bins(),
            entries_of(track.overview())};
}

// (samples, bins, overview bins, greatest value of each, least value, greatest value) of a counter.
using CounterFacts = std::tuple<std::size_t, std::size_t, OutColumn<int64_t>, OutColumn<double>, double, double>;

CounterFacts facts_of(const ProveCounter& track) {
    std::vector<int64_t> bins;
    std::vector<double> values;
    for (const ProveCounter::Peak& peak : track.peaks()) {
        bins.push_back(peak.bin);
        values.push_back(peak.value);
    }
    return {track.samples(), track.bins(),    to_numpy(std::move(bins)), to_numpy(std::move(values)),
            track.least(),   track.greatest()};
}

ProveRun run_of(int root_level, int64_t end, int64_t names) {
    if (root_level < 0 || root_level >= kProveLevels || end < 0 || end >= int64_t{1} << 61)
        throw std::invalid_argument("no such run");
    if (names < 0 || names > INT32_MAX) throw std::invalid_argument("too many names");
    return {root_level, root_level > 0 ? root_level - 1 : 0, end, names};
}

using Ints = OutColumn<int64_t>;
// Takes a tile's histogram: the tile's position; name, count, busy time, self time, duration, longest and shortest of
// each name; name, bucket and count of all buckets of durations, in this order.
using TellHistogram = nb::typed<nb::callable, void(std::size_t, std::tuple<Ints, Ints, Ints, Ints, Ints, Ints, Ints>,
                                                   std::tuple<Ints, Ints, Ints>)>;

// By slot.
template <typename Facts>
using BySlot = nb::typed<nb::dict, std::size_t, Facts>;

// Returns facts of the tracks of slices, and of the counters.
std::pair<BySlot<SliceFacts>, BySlot<CounterFacts>> prove_block(
    const BoundTree& tree, int root_level, int64_t end, int64_t names, const std::vector<int>& kinds,
    const std::vector<int64_t>& rows, const InColumn<uint8_t>& summed, const Fetch& fetch, const TellHistogram& alone,
    const TellHistogram& together, const TellHistogram& by_track, std::pair<int64_t, int64_t> row_range,
    ProveMemory& memory) {
    if (same_size(kinds, rows) > kProveSlots) throw std::invalid_argument("a block has 32 tracks at most");
    same_size(tree.tree(), summed);
    for (const uint8_t slot : tree.tree().slot) {
        if (slot >= kinds.size()) throw std::invalid_argument("a tile of no track");
    }
    std::vector<ProveTrack> tracks;
    for (std::size_t slot = 0; slot < kinds.size(); ++slot) {
        if (kinds[slot] < 0 || kinds[slot] > 2 || rows[slot] < 0 || rows[slot] > INT32_MAX)
            throw std::invalid_argument("no such track");
        tracks.push_back({static_cast<ProveTrack::Kind>(kinds[slot]), rows[slot]});
    }
    const auto tell = [](const TellHistogram& histogram, std::size_t tile, ProveNames& names_of_tile) {
        std::vector<int64_t> name, count, busy, self, duration, longest, shortest, of_name, bucket, of_bucket;
        for (const ProveNameSum& sum : names_of_tile.sums()) {
            name.push_back(sum.name);
            count.push_back(sum.count);
            busy.push_back(sum.busy);
            self.push_back(sum.self);
            duration.push_back(sum.duration);
            longest.push_back(sum.longest);
            shortest.push_back(sum.shortest);
        }
        for (const ProveBucket& bucket_count : names_of_tile.buckets()) {
            of_name.push_back(bucket_count.name);
            bucket.push_back(bucket_count.bucket);
            of_bucket.push_back(bucket_count.count);
        }
        nb::gil_scoped_acquire acquire;
        histogram(
            tile,
            std::make_tuple(to_numpy(std::move(name)), to_numpy(std::move(count)), to_numpy(std::move(busy)),
                            to_numpy(std::move(self)), to_numpy(std::move(duration)), to_numpy(std::move(longest)),
                            to_numpy(std::move(shortest))),
            std::make_tuple(to_numpy(std::move(of_name)), to_numpy(std::move(bucket)), to_numpy(std::move(of_bucket))));
    };
    const auto flags = copy_of<uint8_t>(summed);
    const ProveRows window{row_range.first, row_range.second};
    ProveBlock block(
        run_of(root_level, end, names), tree.tree(), tracks, window, flags, fetch_by(fetch, memory),
        [&](std::size_t tile, ProveNames& of_tile) { tell(alone, tile, of_tile); },
        [&](std::size_t tile, ProveNames& of_tile) { tell(together, tile, of_tile); },
        [&](std::size_t tile, ProveNames& of_tile) { tell(by_track, tile, of_tile); }, memory);
    {
        const Unlocked unlocked;
        block.run();
    }
    nb::dict slices, counters;
    for (std::size_t slot = 0; slot < tracks.size(); ++slot) {
        if (block.slices(slot) != nullptr) slices[nb::int_(slot)] = facts_of(*block.slices(slot));
        if (block.counter(slot) != nullptr) counters[nb::int_(slot)] = facts_of(*block.counter(slot));
    }
    return {slices, counters};
}

class BoundLayer {
  public:
    BoundLayer(int root_level, int64_t end, int64_t names, ProveMemory& memory)
        : memory_(memory), layer_(run_of(root_level, end, names), memory) {}

    void add_rollup(const BoundTree& tree, std::size_t slot, std::size_t track) {
        if (slot >= kProveSlots) throw std::invalid_argument("no such slot");
        layer_.add_rollup(tree.tree(), slot, track);
    }

    void gather(const BoundTree& tree, const InColumn<int64_t>& tiles, const InColumn<int64_t>& owners,
                const InColumn<uint8_t>& framing, int64_t start, int64_t stop, const Fetch& fetch) {
        const auto positions = copy_of<std::size_t>(tiles), numbers = copy_of<std::size_t>(owners);
        const auto frames = copy_of<bool>(framing);
        same_size(positions, numbers, frames);
        for (const std::size_t tile : positions) {
            if (tile >= tree.tree().size() || !tree.tree().is_leaf(tile)) throw std::invalid_argument("no such leaf");
        }
        const auto by = fetch_by(fetch, memory_);
        const Unlocked unlocked;
        layer_.gather(tree.tree(), positions, numbers, frames, start, stop, by);
    }

    void complete_until(std::size_t block, int64_t until, const Fetch& fetch) {
        const auto by = fetch_by(fetch, memory_);
        const Unlocked unlocked;
        layer_.complete_until(block, until, by);
    }

    Entries overview(std::size_t number) const { return entries_of(layer_.rollup(number).overview()); }
    std::size_t bins() const { return layer_.bins(); }

    void check_room() const { layer_.check_room(); }
    int64_t discard(int64_t start, int64_t stop) {
        if (stop - start < 2) throw std::invalid_argument("a batch that cannot be divided");
        return layer_.discard(start, stop);
    }

  private:
    ProveMemory& memory_;
    ProveLayer layer_;
};

// (where, what is wrong)
struct PositionAndWhat {
    template <typename Error>
    nb::tuple operator()(const Error& error) const {
        return nb::make_tuple(error.position(), error.what());
    }
};

struct TrackAndWhat {
    nb::tuple operator()(const WrongTrack& error) const { return nb::make_tuple(error.track(), error.what()); }
};

std::optional<int64_t> bound_unlisted_name(const nb::bytes& page, const InColumn<int64_t>& listed) {
    const Bytes bytes = bytes_of(view_of(page));
    const Unlocked unlocked;
    try {
        return unlisted_name(bytes, span_of(listed));
    } catch (const WrongRecord& error) {
        throw DamagedContainer(error.what());
    }
}

}  // namespace

void bind_prove(nb::module_& m) {
    bind_exception<WrongTile>(m, "WrongTile", PyExc_ValueError,
                              "WrongTile(position, what): something is wrong with a tile of a block.",
                              PositionAndWhat());
    bind_exception<ShortTile>(m, "ShortTile", PyExc_ValueError,
                              "ShortTile(position, what): a tile would take more memory to prove than there is.",
                              PositionAndWhat());
    bind_exception<WrongTrack>(m, "WrongTrack", PyExc_ValueError,
                               "WrongTrack(track, what): something is wrong with a track as a whole, given by its\n"
                               "slot, or in a layer by its number.",
                               TrackAndWhat());
    nb::class_<BoundTree>(m, "ProveTree",
                          "The tiles of a block, in key order, and the first tile of each of its pages.")
        .def(nb::init<std::size_t, const InColumn<uint8_t>&, const InColumn<int64_t>&, const InColumn<uint8_t>&,
                      const InColumn<uint8_t>&, const InColumn<int64_t>&, const InColumn<int64_t>&>(),
             nb::arg("block"), nb::arg("level"), nb::arg("index"), nb::arg("slot"), nb::arg("flags"), nb::arg("events"),
             nb::arg("page_first"));
    m.def(
        "prove_block", &prove_block, nb::arg("tree"), nb::arg("root_level"), nb::arg("end"), nb::arg("names"),
        nb::arg("kinds"), nb::arg("rows"), nb::arg("summed"), nb::arg("fetch"), nb::arg("alone"), nb::arg("together"),
        nb::arg("by_track"), nb::arg("row_range"), nb::arg("memory"),
        "Proves the tiles of a block. `fetch` gives page and residual of a page. `alone` takes the histogram of each\n"
        "tile whose `summed` has bit 1: position; of each name: name, count, busy time, self time, duration, longest,\n"
        "shortest; of all buckets of durations: name, bucket, count. `together` takes that of all tiles of one level\n"
        "and index that have bit 2, with the position of the first; `by_track` the same with slots in place of "
        "names.\n\n"
        "Returns by slot, of tracks of slices: events, busy time, rows in use, single slices, bins, overview\n"
        "(bin, busy time, name); of counters: samples, bins, overview (bin, greatest value), least and greatest\n"
        "value. Raises WrongTile, ShortTile and MemoryError.");
    m.def(
        "unlisted_name", &bound_unlisted_name, nb::arg("page"), nb::arg("listed"),
        "Returns a name that starts in a leaf of an inflated page and is not listed, or is listed and does not; None\n"
        "where they are the same. `listed` ascends. Raises DamagedContainer.");
    nb::class_<BoundLayer>(m, "ProveLayer",
                           "Rollups that have no track in common, proven together. Raises WrongTile and WrongTrack.")
        .def(nb::init<int, int64_t, int64_t, ProveMemory&>(), nb::arg("root_level"), nb::arg("end"), nb::arg("names"),
             nb::arg("memory"), nb::keep_alive<1, 5>())
        .def("add_rollup", &BoundLayer::add_rollup, nb::arg("tree"), nb::arg("slot"), nb::arg("track"),
             nb::keep_alive<1, 2>(), "Adds a rollup; those of a block one after the other.")
        .def("gather", &BoundLayer::gather, nb::arg("tree"), nb::arg("tiles"), nb::arg("owners"), nb::arg("framing"),
             nb::arg("start"), nb::arg("stop"), nb::arg("fetch"),
             "Takes the slices of leaves of a block that overlap the batch, [start, stop). `tiles` ascend; `owners`\n"
             "are the numbers of their rollups; `framing`: 1 where they are of a track that names nothing in it.")
        .def("check_room", &BoundLayer::check_room, "Raises MemoryError when there is no room to end the batch.")
        .def("discard", &BoundLayer::discard, nb::arg("start"), nb::arg("stop"),
             "Forgets the batch. Returns a tick in it at which to divide it.")
        .def("complete_until", &BoundLayer::complete_until, nb::arg("block"), nb::arg("until"), nb::arg("fetch"),
             "Ends the batch for the rollups of a block, and compares their tiles that end until then.")
        .def("overview", &BoundLayer::overview, nb::arg("number"),
             "Returns bin, busy time and name of a rollup's overview.")
        .def_prop_ro("bins", &BoundLayer::bins, "How many bins were compared.");
}

}  // namespace tilescope
