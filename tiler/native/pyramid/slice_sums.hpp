// Sums per name of slices while they come, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pyramid/duration_bucket.hpp"
#include "pyramid/local_names.hpp"
#include "pyramid/name_rows.hpp"

namespace tilescope {

// One table for all tiles of a walk, which take what they have of it. Durations stand as they come, and are put in the order of
// names and buckets all at once. Memory: 68 bytes for each name there is, and so much for durations that stand as they came.
class SliceSums {
  public:
    // Of so many slices. `names` must stay where they are.
    SliceSums(const LocalNames& names, std::size_t slices);

    // What stands for a name below: its number.
    int32_t key(int32_t name) const { return static_cast<int32_t>(names_->number(name)); }
    NameRow& at(int32_t key) {
        const auto number = static_cast<std::size_t>(key);
        places_[number] = 1;
        are_used_[number / kTogether] = 1;
        return rows_[number];
    }

    // Has the row of a name in the cache soon.
    void fetch(int32_t name) const { __builtin_prefetch(rows_.data() + names_->number(name), 1); }

    // A slice that starts in the tile: its count and its durations. Returns the row of its name.
    NameRow& add_start(int32_t key, int64_t duration) {
        if (next_started_ == started_end_) set_aside();
        NameRow& sum = at(key);
        sum.add_start(duration);
        *next_started_++ = Started(buckets_of_->of(duration), static_cast<uint32_t>(key));
        return sum;
    }

    // Moves all of it to the end of `parts`, in some parts. It is empty then.
    void take(std::vector<NameRows>& parts);

    // Memory of rows that are not needed any more.
    NameRows empty_rows();
    void reuse(NameRows rows) { spare_.push_back(std::move(rows)); }

  private:
    // As many names are looked at together for what is used.
    static constexpr std::size_t kTogether = 4096;
    // The bucket of a duration, and the number of a name in place of a count: one word, for two that were just written are not
    // there yet as one.
    using Started = BucketCount;

    void set_aside();
    NameRows put_in_order();
    void sort_by_bucket();

    const LocalNames* names_;
    const DurationBuckets* buckets_of_;
    std::vector<NameRow> rows_;      // by number
    // By number: 1, or 0 where nothing is; and where the next of its durations goes, while they are put in order. No bytes: what
    // is written to these might be anything, for the compiler.
    std::vector<uint32_t> places_;
    std::vector<uint32_t> are_used_;  // whether any of kTogether is
    std::size_t room_;  // for so many durations
    std::unique_ptr<Started[]> started_, by_bucket_;
    std::unique_ptr<uint16_t[]> by_name_;  // buckets
    Started *next_started_, *started_end_;
    std::vector<NameRows> aside_, spare_;
};

}  // namespace tilescope
