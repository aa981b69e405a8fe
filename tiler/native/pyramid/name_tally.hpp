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

    NameRow& at(int32_t name) { return row(names_->number(name)); }

    // A slice that starts in the tile: its count and its durations. Returns the row of its name.
    NameRow& add_start(int32_t name, int64_t duration) {
        if (started_.size() == kStarted) set_aside();
        NameRow& sum = at(name);
        ++sum.count;
        sum.duration += static_cast<uint64_t>(duration);
        sum.longest = std::max(sum.longest, duration);
        sum.shortest = std::min(sum.shortest, duration);
        started_.push_back({sum.number, buckets_of_->of(duration)});
        return sum;
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

    struct Started {
        uint32_t number;
        uint32_t bucket;
    };

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
