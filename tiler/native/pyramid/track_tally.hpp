// Sums per track of a tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pyramid/duration_bucket.hpp"
#include "pyramid/name_rows.hpp"

namespace tilescope {

// Rows like those of names, one for each track that has anything in the tile: its number stands in place of a name's.
// Memory: 16 KB a track.
class TrackTally {
  public:
    explicit TrackTally(std::size_t tracks) : rows_(tracks), buckets_(tracks), used_(tracks, 0) {}

    NameRow& row(std::size_t track) { return rows_.at(track); }
    BucketCounter& buckets(std::size_t track) { return buckets_.at(track); }
    // The track has something there.
    void use(std::size_t track) { used_.at(track) = 1; }

    // Takes the sums of parts of the tile from another one, which is empty then.
    void take_from(TrackTally& other) {
        for (std::size_t track = 0; track < rows_.size(); ++track) {
            if (other.used_.at(track) == 0) continue;
            used_[track] = 1;
            NameRow& row = other.rows_[track];
            rows_[track].add(row);
            if (row.count > 0) buckets_[track].take_from(other.buckets_[track], least(row), most(row));
            row = {};
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
            if (row.count > 0) row.n_buckets = buckets_[track].list(all.buckets, least(row), most(row));
        }
        return all;
    }

  private:
    static uint32_t least(const NameRow& row) { return DurationBuckets::all().index_of(row.shortest); }
    static uint32_t most(const NameRow& row) { return DurationBuckets::all().index_of(row.longest); }

    std::vector<NameRow> rows_;
    std::vector<BucketCounter> buckets_;
    std::vector<uint8_t> used_;
};

}  // namespace tilescope
