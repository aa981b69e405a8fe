#include "pyramid/first_look.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

FirstLook::FirstLook(const std::vector<SliceColumns>& tracks, const std::vector<HistogramTile>& tiles,
                     const LocalNames& names, Limits limits, bool by_track, MemoryBudget* budget)
    : limits_(limits),
      by_track_(by_track),
      needs_names_(!all_have_records(tracks, tiles, names.size())),
      has_record_(tiles.size(), needs_names_ ? 0 : 1),
      walk_(tiles, Tally(needs_names_ ? names.size() : 0, by_track ? tracks.size() : 0)) {
    for (const SliceColumns& slices : tracks) sweeps_.emplace_back(slices, names, budget);
}

// Whether tiles have so many events that they would have records with all `rows` there are. Only ends of spans are looked at.
bool FirstLook::all_have_records(const std::vector<SliceColumns>& tracks, const std::vector<HistogramTile>& tiles,
                                 std::size_t rows) const {
    struct Events {
        uint64_t n = 0;
        void close() {}
        void take_from(Events& other) { n += std::exchange(other.n, 0); }
    };
    TileWalk<Events> walk(tiles, Events());
    const auto count = [&tracks](uint32_t of_tracks, int64_t start, int64_t stop, Events& events) {
        for (std::size_t k = 0; k < tracks.size(); ++k) {
            if ((of_tracks >> k & 1) == 0) continue;
            const Span<const int64_t> starts = tracks[k].start;
            const auto first = std::lower_bound(starts.begin(), starts.end(), start);
            events.n += static_cast<uint64_t>(std::lower_bound(first, starts.end(), stop) - first);
        }
    };
    bool all = true;
    while (walk.next(count)) all = all && is_enough(walk.tally().n, rows);
    return all;
}

void FirstLook::Tally::take_from(Tally& other) {
    names.take_from(other.names);
    tracks.take_from(other.tracks);
    events += std::exchange(other.events, 0);
}

void FirstLook::sweep(uint32_t tracks, int64_t start, int64_t stop, Tally& tally) {
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

bool FirstLook::next() {
    if (!needs_names_ && !by_track_) return false;
    const auto sweep_on = [this](uint32_t tracks, int64_t start, int64_t stop, Tally& tally) {
        sweep(tracks, start, stop, tally);
    };
    if (!walk_.next(sweep_on)) return false;
    Tally& tally = walk_.tally();
    if (needs_names_) has_record_[walk_.at()] = is_enough(tally.events, tally.names.size()) ? 1 : 0;
    return true;
}

}  // namespace tilescope
