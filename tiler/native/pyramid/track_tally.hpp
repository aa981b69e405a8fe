// Sums per track of a tile while its slices come, track by track.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pyramid/name_rows.hpp"
#include "pyramid/name_sweep.hpp"
#include "pyramid/name_tally.hpp"

namespace tilescope {

// Rows like those of names, one for each track that has anything in the tile: its number stands in place of a name's.
// Memory: 16 KB a track.
class TrackTally {
  public:
    explicit TrackTally(std::size_t tracks) : rows_(tracks), buckets_(tracks), used_(tracks, 0) {}

    // Goes on with the sweep of a track up to `stop`, and sums up its slices by name, too.
    void sweep(std::size_t track, NameSweep& slices, int64_t start, int64_t stop, NameTally& names) {
        Both both{names, buckets_.at(track), names.started(), 0};
        const NameSweep::Total total = slices.add(start, stop, both);
        if (!total.any) return;
        both.count();
        used_[track] = 1;
        NameRow& row = rows_[track];
        row.count += both.slices;
        row.busy += total.busy;
        row.self += total.self;
        row.duration += total.duration;
        row.longest = std::max(row.longest, total.longest);
        row.shortest = std::min(row.shortest, total.shortest);
    }

    // What is known of parts of the tile. The other one is empty then.
    void take_from(TrackTally& other) {
        for (std::size_t track = 0; track < rows_.size(); ++track) {
            if (other.used_.at(track) == 0) continue;
            used_[track] = 1;
            rows_[track].add(other.rows_[track]);
            buckets_[track].take_from(other.buckets_[track]);
            other.rows_[track] = {};
            other.used_[track] = 0;
        }
    }

    // All of it. Where others are to take it, it has to be kept: it stays as it is.
    NameRows rows() const {
        NameRows all;
        for (std::size_t track = 0; track < rows_.size(); ++track) {
            if (used_[track] == 0) continue;
            NameRow& row = all.rows.emplace_back(rows_[track]);
            row.number = static_cast<uint32_t>(track);
            row.n_buckets = buckets_[track].list(all.buckets);
        }
        return all;
    }

  private:
    // Sums of names, which tell how long the slices of a track last before they put them in order.
    struct Both {
        NameTally& names;
        BucketTally& buckets;
        std::size_t first = 0;  // of the track's, among those that stand as they came
        uint64_t slices = 0;

        int32_t key(int32_t name) const { return names.key(name); }
        void fetch(int32_t name) const { names.fetch(name); }
        NameRow& at(int32_t key) const { return names.at(key); }
        NameRow& add_start(int32_t key, int64_t duration) {
            if (names.is_full()) {
                count();
                first = 0;
            }
            return names.add_start(key, duration);
        }
        void count() {
            slices += names.started() - first;
            names.count_started(first, buckets);
        }
    };

    std::vector<NameRow> rows_;
    std::vector<BucketTally> buckets_;
    std::vector<uint8_t> used_;
};

}  // namespace tilescope
