// Sums per name of a tile while its slices come, one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pyramid/duration_bucket.hpp"
#include "pyramid/local_names.hpp"
#include "pyramid/name_rows.hpp"

namespace tilescope {

// Durations stand as they come, and are put in the order of names and buckets all at once. Memory: four bytes for each
// name there is; what the names of the tile and their buckets take; and so much for durations that stand as they came.
class NameTally {
  public:
    // `names` must stay where they are.
    explicit NameTally(const LocalNames& names)
        : names_(&names),
          buckets_of_(&DurationBuckets::all()),
          places_(names.size(), 0),
          used_(names.size() / 64 + 1) {}

    // What stands for a name below: its number.
    int32_t key(int32_t name) const { return static_cast<int32_t>(names_->number(name)); }
    NameRow& at(int32_t key) { return row(static_cast<uint32_t>(key)); }

    // Has the row of a name in the cache soon.
    void fetch(int32_t name) const { fetch_row(names_->number(name)); }

    // A slice that starts in the tile: its count and its durations. Returns the row of its name.
    NameRow& add_start(int32_t key, int64_t duration) {
        if (is_full()) set_aside();
        NameRow& sum = at(key);
        sum.add_start(duration);
        started_.emplace_back(static_cast<uint32_t>(key), buckets_of_->of(duration));
        return sum;
    }

    // Slices that stand as they came: how many, whether there is no room for another, and the buckets of those from the
    // `first` on.
    std::size_t started() const { return started_.size(); }
    bool is_full() const { return started_.size() == kStarted; }
    void count_started(std::size_t first, BucketTally& buckets) const {
        for (std::size_t k = first; k < started_.size(); ++k) buckets.add(started_[k].bucket(), 1);
    }

    // What is known of parts of the tile. The other one is empty then.
    void add(NameRows part);
    void take_from(NameTally& other);

    // How many rows it has, and how many slices start in it.
    std::size_t rows();
    uint64_t events() const;
    // All of it. It is empty then.
    NameRows take();

  private:
    static constexpr std::size_t kStarted = std::size_t{1} << 18;
    static constexpr std::size_t kParts = 8;

    // The number of a name, and the bucket of a duration: one word, for two that were just written are not there yet as one.
    class Started {
      public:
        Started(uint32_t number, uint32_t bucket) : bits_(uint64_t{number} << BucketCount::kBits | bucket) {}

        uint32_t number() const { return static_cast<uint32_t>(bits_ >> BucketCount::kBits); }
        uint16_t bucket() const { return static_cast<uint16_t>(bits_ & ((1U << BucketCount::kBits) - 1)); }

      private:
        uint64_t bits_;
    };

    void fetch_row(uint32_t number) const {
        const uint32_t place = places_[number];
        __builtin_prefetch(rows_.data() + (place == 0 ? rows_.size() : place - 1), 1);
    }

    NameRow& row(uint32_t number) {
        uint32_t& place = places_[number];
        if (place == 0) {
            rows_.emplace_back();
            rows_.back().number = number;
            place = static_cast<uint32_t>(rows_.size());
            used_[number / 64] |= uint64_t{1} << number % 64;
        }
        return rows_[place - 1];
    }

    void set_aside();
    void merge_parts();
    NameRows put_in_order();

    const LocalNames* names_;
    const DurationBuckets* buckets_of_;
    std::vector<NameRow> rows_;
    std::vector<uint32_t> places_;  // by the number of a name, its place in rows_ + 1; 0: none
    std::vector<uint64_t> used_;    // the same, as bits
    std::vector<Started> started_;
    std::vector<NameRows> parts_;  // which are not in the above
};

}  // namespace tilescope
