#include "pyramid/record_finder.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilescope {

namespace {

// Names of the slices that start in a tile. Those of a track follow each other, as its spans do.
struct Starting {
    std::vector<Span<const int32_t>> names;  // by track

    void close() {}
    void add(std::size_t track, Span<const int32_t> more) {
        Span<const int32_t>& joined = names[track];
        joined = joined.empty() ? more : Span<const int32_t>(joined.data(), joined.size() + more.size());
    }
    void take_from(Starting& other) {
        for (std::size_t track = 0; track < names.size(); ++track) {
            add(track, std::exchange(other.names[track], Span<const int32_t>()));
        }
    }
    uint64_t events() const {
        uint64_t events = 0;
        for (const Span<const int32_t> track_names : names) events += track_names.size();
        return events;
    }
    // Looks at no more slices than it takes to tell. `marks` are empty before and after.
    bool has_more_names(uint64_t most, const LocalNames& numbers, NameMarks& marks) const {
        for (const Span<const int32_t> track_names : names) {
            for (std::size_t k = 0; k < track_names.size() && marks.size() <= most; ++k)
                marks.mark(numbers.number(track_names[k]));
        }
        const bool has_more = marks.size() > most;
        marks.clear();
        return has_more;
    }
};

}  // namespace

RecordFinder::RecordFinder(const std::vector<SliceColumns>& tracks, const std::vector<HistogramTile>& tiles,
                           const LocalNames& names, Limits limits, bool by_track, MemoryBudget* budget)
    : limits_(limits),
      by_track_(by_track),
      has_record_(tiles.size(), 0),
      needs_names_(!find_by_starts(tracks, tiles, names)),
      walk_(tiles, Tally(needs_names_ ? names.size() : 0, by_track ? tracks.size() : 0)) {
    for (const SliceColumns& slices : tracks) sweeps_.emplace_back(slices, names, budget);
}

// Tells which have records by the slices that start in them, mostly by a few of these. Returns whether that is enough: else those
// that run there matter, too.
bool RecordFinder::find_by_starts(const std::vector<SliceColumns>& tracks, const std::vector<HistogramTile>& tiles,
                                  const LocalNames& names) {
    Starting none;
    none.names.resize(tracks.size());
    TileWalk<Starting> walk(tiles, none);
    const auto find = [&tracks](uint32_t of_tracks, int64_t start, int64_t stop, Starting& starting) {
        for (std::size_t k = 0; k < tracks.size(); ++k) {
            if ((of_tracks >> k & 1) == 0) continue;
            const Span<const int64_t> starts = tracks[k].start;
            const auto* const first = std::lower_bound(starts.begin(), starts.end(), start);
            const auto* const last = std::lower_bound(first, starts.end(), stop);
            starting.add(k, tracks[k].name.subspan(static_cast<std::size_t>(first - starts.begin()),
                                                   static_cast<std::size_t>(last - first)));
        }
    };
    std::optional<NameMarks> marks;
    while (walk.next(find)) {
        const Starting& starting = walk.tally();
        if (is_enough(starting.events(), names.size())) {  // with all names there are
            has_record_[walk.position()] = 1;
            continue;
        }
        if (!marks) marks.emplace(names.size());
        // With more names than so many it has none. What has no limit is enough.
        if (!starting.has_more_names(starting.events() / limits_.events_per_row, names, *marks)) return false;
    }
    return true;
}

void RecordFinder::Tally::take_from(Tally& other) {
    names.take_from(other.names);
    tracks.take_from(other.tracks);
    events += std::exchange(other.events, 0);
}

void RecordFinder::sweep(uint32_t tracks, int64_t start, int64_t stop, Tally& tally) {
    for (std::size_t k = 0; k < sweeps_.size(); ++k) {
        if ((tracks >> k & 1) == 0) continue;
        TrackSweep& slices = sweeps_[k];
        if (!by_track_) {
            tally.events += slices.mark(start, stop, tally.names);
            continue;
        }
        NameRow& row = tally.tracks.row(k);
        const uint64_t before = row.count;
        BucketCounter& buckets = tally.tracks.buckets(k);
        const bool any = needs_names_ ? slices.sum<true>(start, stop, tally.names, row, buckets)
                                      : slices.sum<false>(start, stop, tally.names, row, buckets);
        if (any) tally.tracks.use(k);
        tally.events += row.count - before;
    }
}

bool RecordFinder::next() {
    if (!needs_names_ && !by_track_) return false;
    const auto sweep_on = [this](uint32_t tracks, int64_t start, int64_t stop, Tally& tally) {
        sweep(tracks, start, stop, tally);
    };
    if (!walk_.next(sweep_on)) return false;
    Tally& tally = walk_.tally();
    if (needs_names_) has_record_[walk_.position()] = is_enough(tally.events, tally.names.size()) ? 1 : 0;
    return true;
}

}  // namespace tilescope
