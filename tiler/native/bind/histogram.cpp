// Binds the histograms of names.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/windows.hpp"
#include "pyramid/duration_bucket.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/histogram.hpp"
#include "pyramid/histogram_record.hpp"
#include "pyramid/leaf_slices.hpp"
#include "pyramid/leaf_spans.hpp"
#include "pyramid/span_sums.hpp"
#include "pyramid/start_bounds.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

void check(const SliceColumns& slices, uint64_t& ticks) {
    for (size_t k = 0; k < slices.size(); ++k) {
        if (slices.start[k] < 0 || slices.start[k] >= kTimeLimit)
            throw std::invalid_argument("times are not in [0, 2**61)");
        if (k > 0 && slices.start[k] < slices.start[k - 1]) throw std::invalid_argument("slices are not in time order");
        if (slices.duration[k] < 0 || slices.duration[k] >= kTimeLimit - slices.start[k]) {
            throw std::invalid_argument("slices end beyond 2**61");
        }
        if (__builtin_add_overflow(ticks, static_cast<uint64_t>(slices.duration[k]), &ticks)) {
            throw std::invalid_argument("slices last 2**64 ticks together");
        }
    }
}

using SumColumn = OutColumn<int64_t>;
// Low and high 64 bits.
using Halves = std::pair<OutColumn<uint64_t>, OutColumn<uint64_t>>;
// Name, count, busy time, self time, duration, longest, shortest.
using SumColumns = std::tuple<SumColumn, SumColumn, Halves, Halves, Halves, SumColumn, SumColumn>;
// Numbers of buckets of each row; bucket and count of each.
using BucketColumns = std::tuple<SumColumn, SumColumn, SumColumn>;

class WideColumn {
  public:
    void push_back(TickSum value) {
        low_.push_back(static_cast<uint64_t>(value));
        high_.push_back(static_cast<uint64_t>(value >> 64));
    }
    Halves halves() { return {to_numpy(std::move(low_)), to_numpy(std::move(high_))}; }

  private:
    std::vector<uint64_t> low_, high_;
};

SumColumns columns_of(const std::vector<NameSum>& sums) {
    std::vector<int64_t> name, count, longest, shortest;
    WideColumn busy, self, duration;
    for (const NameSum& sum : sums) {
        name.push_back(sum.name);
        count.push_back(static_cast<int64_t>(sum.count));
        busy.push_back(sum.busy);
        self.push_back(sum.self);
        duration.push_back(sum.duration);
        longest.push_back(sum.longest);
        shortest.push_back(sum.count == 0 ? 0 : sum.shortest);
    }
    return {to_numpy(std::move(name)),    to_numpy(std::move(count)),   busy.halves(), self.halves(), duration.halves(),
            to_numpy(std::move(longest)), to_numpy(std::move(shortest))};
}

BucketColumns columns_of(BucketRows rows) {
    return {to_numpy(std::move(rows.n)), to_numpy(std::move(rows.bucket)), to_numpy(std::move(rows.count))};
}

// Start, duration and name of the slices of a track.
using TrackColumns = std::tuple<InColumn<int64_t>, InColumn<int64_t>, InColumn<int32_t>>;

// A walk that keeps the arrays alive which it goes over.
class BoundHistograms {
  public:
    BoundHistograms(std::vector<TrackColumns> tracks, const InColumn<uint8_t>& level, const InColumn<int64_t>& index,
                    const InColumn<uint32_t>& leaf_of, size_t rows, uint64_t events_per_row, MemoryBudget* budget,
                    const std::optional<std::vector<int32_t>>& track_names,
                    const std::optional<InColumn<uint8_t>>& together, const std::optional<InColumn<uint32_t>>& own,
                    size_t most_pairs)
        : tracks_(std::move(tracks)), rows_(rows) {
        const Unlocked unlocked;
        std::vector<SliceColumns> slices;
        uint64_t ticks = 0;
        for (const auto& [start, duration, name] : tracks_) {
            slices.emplace_back(span_of(start), span_of(duration), span_of(name));
            check(slices.back(), ticks);
        }
        std::vector<HistogramTile> tiles(same_size(level, index, leaf_of));
        for (size_t k = 0; k < tiles.size(); ++k) {
            tiles[k] = {span_of(index)[k], span_of(level)[k], span_of(leaf_of)[k]};
        }
        if (together) {
            same_size(level, *together);
            for (size_t k = 0; k < tiles.size(); ++k) tiles[k].together = span_of(*together)[k] != 0;
        }
        if (own) {
            same_size(level, *own);
            for (size_t k = 0; k < tiles.size(); ++k) tiles[k].own = span_of(*own)[k];
        }
        const RecordFinder::Limits limits{rows, events_per_row};
        walk_ = std::make_unique<HistogramWalk>(slices, std::move(tiles), limits, budget, track_names, most_pairs);
    }

    // Level and index of a tile, its histogram and its spread.
    using Found = std::optional<std::tuple<int, int64_t, nb::bytes, nb::bytes>>;

    Found next_by_track(uint32_t owner) {
        const std::optional<std::vector<int32_t>>& names = walk_->track_names();
        if (!names) throw std::invalid_argument("tracks have no names");
        HistogramRecords records;
        {
            const Unlocked unlocked;
            tracks_done_ = tracks_done_ || !walk_->next_by_track();
            if (!tracks_done_) {
                const NameRows sums = walk_->track_sums();
                records = encode_histogram({sums.rows, sums.buckets}, *names, HistogramWalk::kTracks,
                                           walk_->tile_by_track().level, owner);
            }
        }
        if (tracks_done_) return std::nullopt;
        const HistogramTile& tile = walk_->tile_by_track();
        return std::make_tuple(static_cast<int>(tile.level), tile.index, to_bytes(records.histogram),
                               to_bytes(records.spread));
    }

    // By tile: whether all together have a record, and which tracks, as bits.
    std::pair<OutColumn<uint8_t>, OutColumn<uint32_t>> with_records() {
        std::vector<uint8_t> together;
        std::vector<uint32_t> own;
        {
            const Unlocked unlocked;
            tracks_done_ = true;
            for (const HistogramTile& tile : walk_->with_records()) {
                together.push_back(tile.together ? 1 : 0);
                own.push_back(tile.own);
            }
        }
        return {to_numpy(std::move(together)), to_numpy(std::move(own))};
    }

    // The place of a track, and what was found of it.
    using FoundOf = std::optional<std::tuple<std::optional<size_t>, int, int64_t, nb::bytes, nb::bytes>>;

    FoundOf next(uint32_t owner, const std::vector<uint32_t>& owners) {
        HistogramRecords records;
        {
            const Unlocked unlocked;
            tracks_done_ = true;
            done_ = done_ || !walk_->next();
            if (!done_) {
                const uint32_t record_owner = walk_->track() ? owners.at(*walk_->track()) : owner;
                records = encode_histogram(walk_->sums(), walk_->names(), rows_, walk_->tile().level, record_owner);
            }
        }
        if (done_) return std::nullopt;
        return std::make_tuple(walk_->track(), static_cast<int>(walk_->tile().level), walk_->tile().index,
                               to_bytes(records.histogram), to_bytes(records.spread));
    }

  private:
    std::vector<TrackColumns> tracks_;
    size_t rows_;
    std::unique_ptr<HistogramWalk> walk_;
    bool tracks_done_ = false, done_ = false;
};

std::vector<LeafPart> leaf_parts(const InColumn<int64_t>& tile, const InColumn<int64_t>& index,
                                 const InColumn<int64_t>& slot, const InColumn<int64_t>& first,
                                 const InColumn<int64_t>& stop) {
    std::vector<LeafPart> parts(same_size(tile, index, slot, first, stop));
    for (size_t k = 0; k < parts.size(); ++k) {
        if (span_of(tile)[k] < 0) throw std::invalid_argument("no such tile");
        parts[k] = {static_cast<size_t>(span_of(tile)[k]), span_of(index)[k], span_of(slot)[k], span_of(first)[k],
                    span_of(stop)[k]};
    }
    return parts;
}

// Sums of spans, record by record.
class BoundSpanSums {
  public:
    explicit BoundSpanSums(bool buckets) : has_buckets_(buckets), sums_(buckets) {}

    void add_leaves(const nb::bytes& page, size_t max_rows, const InColumn<int64_t>& tile,
                    const InColumn<int64_t>& index, const InColumn<int64_t>& slot, const InColumn<int64_t>& first,
                    const InColumn<int64_t>& stop, const InColumn<int32_t>& as_name,
                    const std::optional<InColumn<int32_t>>& names) {
        const std::vector<LeafPart> parts = leaf_parts(tile, index, slot, first, stop);
        const Span<const int32_t> as = span_of(as_name);
        std::optional<Span<const int32_t>> renamed;
        if (names) renamed = span_of(*names);
        const Bytes bytes = bytes_of(view_of(page));
        const Unlocked unlocked;
        sums_.add_leaves(ContainerReader(bytes, max_rows), parts, as, renamed);
    }

    bool add_stored(const nb::bytes& histogram, const std::optional<nb::bytes>& buckets, size_t max_rows, int32_t as) {
        if (buckets.has_value() != has_buckets_)
            throw std::invalid_argument("buckets are counted for all, or for none");
        const Bytes record = bytes_of(view_of(histogram));
        const Bytes counts = buckets ? bytes_of(view_of(*buckets)) : Bytes();
        const Unlocked unlocked;
        std::optional<ContainerReader> counted;
        if (has_buckets_) counted.emplace(counts, max_rows);
        return sums_.add_stored(ContainerReader(record, max_rows), counted, as);
    }

    void add_tracks(const nb::bytes& histogram, const std::optional<nb::bytes>& buckets, size_t max_rows,
                    const InColumn<int32_t>& as_name) {
        if (buckets.has_value() != has_buckets_)
            throw std::invalid_argument("buckets are counted for all, or for none");
        const Bytes record = bytes_of(view_of(histogram));
        const Bytes counts = buckets ? bytes_of(view_of(*buckets)) : Bytes();
        const Span<const int32_t> as = span_of(as_name);
        const Unlocked unlocked;
        std::optional<ContainerReader> counted;
        if (has_buckets_) counted.emplace(counts, max_rows);
        sums_.add_tracks(ContainerReader(record, max_rows), counted, as);
    }

    void add(const BoundSpanSums& other) {
        if (&other == this) throw std::invalid_argument("sums cannot be added to themselves");
        const Unlocked unlocked;
        sums_.add(other.sums_);
    }

    SumColumns sums() const { return columns_of(sums_.sums()); }

    BucketColumns buckets() const { return columns_of(sums_.buckets()); }

    void clear() { sums_.clear(); }

  private:
    bool has_buckets_;
    SpanSums sums_;
};

OutColumn<int64_t> bucket_of_each(const InColumn<int64_t>& durations) {
    std::vector<int64_t> buckets;
    buckets.reserve(durations.size());
    for (const int64_t duration : span_of(durations)) buckets.push_back(DurationBuckets::all().index_of(duration));
    return to_numpy(std::move(buckets));
}

// Adds some leaves of a page to what is made of them.
template <typename Made>
void add_page(Made& made, const nb::bytes& page, size_t max_rows, const std::vector<LeafPart>& parts,
              const std::optional<InColumn<int32_t>>& names) {
    std::optional<Span<const int32_t>> renamed;
    if (names) renamed = span_of(*names);
    const Bytes bytes = bytes_of(view_of(page));
    const Unlocked unlocked;
    made.add(ContainerReader(bytes, max_rows), parts, renamed);
}

// The times at which slices of some kinds run, page by page.
class BoundLeafSpans {
  public:
    explicit BoundLeafSpans(const InColumn<uint8_t>& kinds)
        : spans_(std::vector<uint8_t>(span_of(kinds).begin(), span_of(kinds).end())) {
        const Bytes all = span_of(kinds);
        if (std::any_of(all.begin(), all.end(), [](uint8_t kind) { return kind >= LeafSpans::kKinds; })) {
            throw std::invalid_argument("there is no such kind");
        }
    }

    void add(const nb::bytes& page, size_t max_rows, const InColumn<int64_t>& tile, const InColumn<int64_t>& index,
             const InColumn<int64_t>& slot, const InColumn<int64_t>& first, const InColumn<int64_t>& stop,
             const std::optional<InColumn<int32_t>>& names) {
        add_page(spans_, page, max_rows, leaf_parts(tile, index, slot, first, stop), names);
    }

    // All in one call, for which Python's lock is given away once: between many short calls threads wait for it.
    std::vector<std::pair<OutColumn<int64_t>, OutColumn<int64_t>>> windows(
        const std::vector<nb::bytes>& pages, size_t max_rows, const InColumn<int64_t>& parts_of_page,
        const InColumn<int64_t>& tile, const InColumn<int64_t>& index, const InColumn<int64_t>& slot,
        const InColumn<int64_t>& first, const InColumn<int64_t>& stop, int64_t limit) {
        const std::vector<LeafPart> parts = leaf_parts(tile, index, slot, first, stop);
        const Span<const int64_t> counts = span_of(parts_of_page);
        if (counts.size() != pages.size()) throw std::invalid_argument("no number of parts of a page");
        std::vector<Bytes> contents;
        contents.reserve(pages.size());
        for (const nb::bytes& page : pages) contents.push_back(bytes_of(view_of(page)));
        std::vector<TickSpans> windows(LeafSpans::kKinds);
        {
            const Unlocked unlocked;
            std::vector<ContainerReader> readers;
            readers.reserve(contents.size());
            for (page_ = 0; page_ < contents.size(); ++page_) readers.emplace_back(contents[page_], max_rows);
            try {
                spans_.add(readers, parts, std::vector<size_t>(counts.begin(), counts.end()));
            } catch (const DamagedContainer&) {
                page_ = spans_.page();
                throw;
            }
            std::vector<Spans> taken = spans_.take();
            for (size_t kind = 0; kind < taken.size(); ++kind) {
                windows[kind] = tick_spans(TickSpans{std::move(taken[kind].start), std::move(taken[kind].stop)}, limit);
            }
        }
        std::vector<std::pair<OutColumn<int64_t>, OutColumn<int64_t>>> columns;
        columns.reserve(windows.size());
        for (TickSpans& spans : windows) {
            columns.emplace_back(to_numpy(std::move(spans.start)), to_numpy(std::move(spans.stop)));
        }
        return columns;
    }

    [[nodiscard]] size_t page() const { return page_; }

    std::vector<std::pair<OutColumn<int64_t>, OutColumn<int64_t>>> take() {
        std::vector<std::pair<OutColumn<int64_t>, OutColumn<int64_t>>> taken;
        for (Spans& spans : spans_.take()) {
            taken.emplace_back(to_numpy(std::move(spans.start)), to_numpy(std::move(spans.stop)));
        }
        return taken;
    }

  private:
    LeafSpans spans_;
    size_t page_ = 0;
};

// The bounds of the slices that start in stretches, page by page.
class BoundStartBounds {
  public:
    BoundStartBounds(const InColumn<uint8_t>& kinds, const InColumn<int64_t>& borders)
        : bounds_(std::vector<uint8_t>(span_of(kinds).begin(), span_of(kinds).end()),
                  std::vector<int64_t>(span_of(borders).begin(), span_of(borders).end())) {}

    void add(const nb::bytes& page, size_t max_rows, const InColumn<int64_t>& tile, const InColumn<int64_t>& index,
             const InColumn<int64_t>& slot, const InColumn<int64_t>& first, const InColumn<int64_t>& stop,
             const std::optional<InColumn<int32_t>>& names) {
        add_page(bounds_, page, max_rows, leaf_parts(tile, index, slot, first, stop), names);
    }

    [[nodiscard]] std::tuple<OutColumn<int64_t>, OutColumn<int64_t>, OutColumn<int64_t>> bounds() const {
        const Bounds& all = bounds_.bounds();
        return {to_numpy(std::vector<int64_t>(all.first)), to_numpy(std::vector<int64_t>(all.last)),
                to_numpy(std::vector<int64_t>(all.stop))};
    }

  private:
    StartBounds bounds_;
};

}  // namespace

void bind_histogram(nb::module_& m) {
    nb::class_<BoundHistograms>(m, "Histograms", "The histograms of names of tiles, one after the other.")
        .def(nb::init<std::vector<TrackColumns>, const InColumn<uint8_t>&, const InColumn<int64_t>&,
                      const InColumn<uint32_t>&, size_t, uint64_t, MemoryBudget*,
                      const std::optional<std::vector<int32_t>>&, const std::optional<InColumn<uint8_t>>&,
                      const std::optional<InColumn<uint32_t>>&, size_t>(),
             nb::arg("tracks"), nb::arg("level"), nb::arg("index"), nb::arg("leaf_of"), nb::arg("rows"),
             nb::arg("events_per_row") = 0, nb::arg("budget") = nb::none(), nb::arg("track_names") = nb::none(),
             nb::arg("together") = nb::none(), nb::arg("own") = nb::none(),
             nb::arg("most_pairs") = size_t{HistogramWalk::kMostPairs}, nb::keep_alive<1, 8>(),
             "Of start, duration and name of the slices of up to 32 tracks together, in canonical order, and of tiles\n"
             "in the order in which they are wanted. `leaf_of`: for which tracks a tile is a leaf, as bits: they are\n"
             "not in the histograms of tiles below. A histogram has so many `rows` and one of all others at most; a\n"
             "tile in which fewer events start than so many a row has none. `track_names`: of each track the name\n"
             "that all its slices are summed up under, ascending, in records of their own. `together`: whether a tile\n"
             "is wanted of all tracks together: all of them, if it is not given. `own`: of which tracks it is wanted,\n"
             "of each by itself, as bits: of none. What is wanted of a tile must be wanted of the one above it.\n"
             "`most_pairs`: so many pairs of a track and a name are told apart at once, and those of one track more.")
        .def("next_by_track", &BoundHistograms::next_by_track, nb::arg("owner"),
             "Returns level and index of the next tile, its histogram by track, of `owner`, and its spread of\n"
             "durations, both uncompressed. None: there are no more tiles.")
        .def("with_records", &BoundHistograms::with_records,
             "Returns `together` and `own` as they were given, without those that have no histogram by name.")
        .def("next", &BoundHistograms::next, nb::arg("owner"), nb::arg("owners") = std::vector<uint32_t>(),
             "Returns the place of a track, level and index of a tile, the track's histogram by name, of that one of\n"
             "`owners`, and its spread of durations, both uncompressed. Of all tracks together there is no place, and\n"
             "they are of `owner`. None: there are no more. It is asked for after all by track.");
    nb::class_<BoundSpanSums>(m, "SpanSums", "Sums by name of spans: of stored histograms and parts of leaves.")
        .def(nb::init<bool>(), nb::arg("buckets"))
        .def(
            "add_leaves", &BoundSpanSums::add_leaves, nb::arg("page"), nb::arg("max_rows"), nb::arg("tile"),
            nb::arg("index"), nb::arg("slot"), nb::arg("first"), nb::arg("stop"), nb::arg("as_name"),
            nb::arg("names") = nb::none(),
            "Adds parts [first, stop) of the tiles in these positions of an uncompressed page, ascending. `index` and\n"
            "`slot`: what must stand there. `as_name`: the name that all slices of a part are summed up under, or\n"
            "ITS_OWN; `names`: other names for all slices of the page, LEFT_OUT for those that do not count and do "
            "not\n"
            "interrupt others. Raises DamagedContainer.")
        .def("add_stored", &BoundSpanSums::add_stored, nb::arg("histogram"), nb::arg("buckets").none(),
             nb::arg("max_rows"), nb::arg("as_name"),
             "Adds a stored histogram. Returns False, and adds nothing, where names in it have no rows of their own\n"
             "and would need them. Raises DamagedContainer.")
        .def("add_tracks", &BoundSpanSums::add_tracks, nb::arg("histogram"), nb::arg("buckets").none(),
             nb::arg("max_rows"), nb::arg("as_name"),
             "Adds the stored sums of the tracks of a block. `as_name`: by slot, the name that a track is summed up\n"
             "under, or LEFT_OUT. Raises DamagedContainer.")
        .def("add", &BoundSpanSums::add, nb::arg("other"), "Adds what others have summed up.")
        .def(
            "sums", &BoundSpanSums::sums,
            "Returns name, count, busy time, self time, duration, longest, shortest. Of sums of ticks the low and the\n"
            "high 64 bits.")
        .def("buckets", &BoundSpanSums::buckets,
             "Returns how many buckets of durations each of the names has, and bucket and count of each of these.")
        .def("clear", &BoundSpanSums::clear, "Begins anew.");
    m.attr("ITS_OWN") = kItsOwn;
    m.attr("LEFT_OUT") = kLeftOut;
    m.def("duration_bucket", &bucket_of_each, nb::arg("durations"),
          "Returns the bucket of each duration, in which all are alike to one per cent.");
    m.def(
        "leaf_slices",
        [](const nb::bytes& page, size_t max_rows, const InColumn<int64_t>& tile, const InColumn<int64_t>& index,
           const InColumn<int64_t>& slot, const std::vector<uint8_t>& columns, bool reaching) {
            const std::vector<LeafPart> leaves = leaf_parts(tile, index, slot, tile, tile);
            const Bytes bytes = bytes_of(view_of(page));
            LeafSlices slices;
            {
                const Unlocked unlocked;
                slices = leaf_slices(ContainerReader(bytes, max_rows), leaves, columns, reaching);
            }
            std::vector<OutColumn<int64_t>> arrays;
            arrays.reserve(slices.columns.size());
            for (std::vector<int64_t>& values : slices.columns) arrays.push_back(to_numpy(std::move(values)));
            return std::make_pair(to_numpy(std::move(slices.count)), std::move(arrays));
        },
        nb::arg("page"), nb::arg("max_rows"), nb::arg("tile"), nb::arg("index"), nb::arg("slot"), nb::arg("columns"),
        nb::arg("reaching"),
        "Returns how many slices start in each of some leaves of a page, and with `reaching` those that reach in, and\n"
        "columns of them by id, leaf by leaf. Raises DamagedContainer.");
    nb::class_<BoundLeafSpans>(m, "LeafSpans", "When slices of some kinds run, from parts of leaves, page by page.")
        .def(nb::init<const InColumn<uint8_t>&>(), nb::arg("kinds"),
             "`kinds`: of each name, the one without a name first, its kind, below 8. 0: it does not matter.")
        .def(
            "add", &BoundLeafSpans::add, nb::arg("page"), nb::arg("max_rows"), nb::arg("tile"), nb::arg("index"),
            nb::arg("slot"), nb::arg("first"), nb::arg("stop"), nb::arg("names") = nb::none(),
            "Adds parts [first, stop) of the tiles in these positions of an uncompressed page, ascending. `index` and\n"
            "`slot`: what must stand there; `names`: other names for all slices of the page, LEFT_OUT for those that\n"
            "do not count. Raises DamagedContainer.")
        .def("windows", &BoundLeafSpans::windows, nb::arg("pages"), nb::arg("max_rows"), nb::arg("parts_of_page"),
             nb::arg("tile"), nb::arg("index"), nb::arg("slot"), nb::arg("first"), nb::arg("stop"), nb::arg("limit"),
             "Returns of each kind the ticks below a limit in which it runs, as spans that ascend and do not touch: of "
             "what\n"
             "was added, and of parts of these pages, so many of each. Raises DamagedContainer.")
        .def_prop_ro("page", &BoundLeafSpans::page,
                     "The place of the last page that `windows` read: of a damaged one, where it raised.")
        .def(
            "take", &BoundLeafSpans::take,
            "Returns of each kind what was added since the last call: first ticks, and ticks after the last. Spans of\n"
            "one leaf ascend and do not touch; those of several leaves are in no order.");
    nb::class_<BoundStartBounds>(m, "StartBounds",
                                 "Bounds of the slices that start in stretches of time, from parts of leaves.")
        .def(nb::init<const InColumn<uint8_t>&, const InColumn<int64_t>&>(), nb::arg("kinds"), nb::arg("borders"),
             "`kinds`: of each name, the one without a name first, 0 if its slices do not matter. `borders` of the\n"
             "stretches, which ascend: each begins where the one before ends.")
        .def("add", &BoundStartBounds::add, nb::arg("page"), nb::arg("max_rows"), nb::arg("tile"), nb::arg("index"),
             nb::arg("slot"), nb::arg("first"), nb::arg("stop"), nb::arg("names") = nb::none(),
             "Adds all slices of tiles, which are given as LeafSpans takes them, wherever they start. Raises\n"
             "DamagedContainer.")
        .def("bounds", &BoundStartBounds::bounds,
             "Returns of each stretch the first start, the last start and the greatest end; -1 where nothing starts.");
}

}  // namespace tilescope
