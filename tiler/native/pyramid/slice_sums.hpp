// Sums per name of slices while they come, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pyramid/duration_bucket.hpp"
#include "pyramid/name_rows.hpp"
#include "pyramid/pair_numbers.hpp"
#include "pyramid/row_merge.hpp"

namespace tilescope {

// One table for all tiles of a walk, which take what they have of it. Durations stand as they come, and are put in the order of
// names and buckets all at once. Memory: 70 bytes for each number there is, and so much for durations that stand as they came.
class SliceSums {
  public:
    // Makes room for so many slices, and for numbers below `numbers`.
    SliceSums(std::size_t numbers, std::size_t slices);

    // The row of a name. The key of a name, here and below, is its number.
    NameRow& at(int32_t key) {
        const auto number = static_cast<std::size_t>(key);
        used_[number / 64] |= uint64_t{1} << number % 64;
        return rows_[number];
    }

    // Slices that start in the tile, next: puts their durations down, and has the rows of their names in the cache soon. They are
    // no more than the slices that it was made for.
    void start(const PairNumbers::OfTrack& numbers, Span<const int32_t> names, Span<const int64_t> durations,
               int32_t* keys) {
        if (names.size() > static_cast<std::size_t>(started_end_ - next_started_)) set_aside();
        Started* const started = next_started_;
        const DurationBuckets& buckets_of = *buckets_of_;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const uint32_t number = numbers.number(names[k]);
            keys[k] = static_cast<int32_t>(number);
            __builtin_prefetch(rows_.data() + number, 1);
            used_[number / 64] |= uint64_t{1} << number % 64;
            started[k] = Started(buckets_of.index_of(durations[k]), number);
        }
        next_started_ = started + names.size();
    }
    // One of these: its count and its sums. Returns the row of its name.
    NameRow& add_start(int32_t key, int64_t duration) {
        NameRow& sum = rows_[static_cast<std::size_t>(key)];
        sum.add_start(duration);
        return sum;
    }

    // Moves all of it to the end of `parts`, in some parts. It is empty then.
    void take(std::vector<NameRows>& parts);

    // Sums up parts, which are gone then.
    NameRows merged(std::vector<NameRows>& parts);

  private:
    // The bucket of a duration, and the number of a name in place of a count: one word, for two that were just written are not
    // there yet as one.
    using Started = BucketCount;

    void set_aside();
    NameRows put_in_order();
    void sort_by_bucket();

    const DurationBuckets* buckets_of_;
    std::vector<NameRow> rows_;      // by number
    std::vector<uint64_t> used_;     // numbers that something is of, as bits
    std::vector<uint32_t> places_;   // by number: where the next of its durations goes, while they are put in order
    std::size_t room_;  // for so many durations
    std::unique_ptr<Started[]> started_, by_bucket_;
    std::unique_ptr<uint16_t[]> by_name_;  // buckets
    Started *next_started_, *started_end_;
    std::vector<NameRows> aside_;
    RowMerge merge_;
};

// Sums of the slices of one track, as a `NameSweep` asks for them.
class TrackSums {
  public:
    TrackSums(SliceSums& sums, PairNumbers::OfTrack numbers) : sums_(&sums), numbers_(numbers) {}

    void start(Span<const int32_t> names, Span<const int64_t> durations, int32_t* keys) const {
        sums_->start(numbers_, names, durations, keys);
    }
    NameRow& at(int32_t key) const { return sums_->at(key); }
    NameRow& add_start(int32_t key, int64_t duration) const { return sums_->add_start(key, duration); }

  private:
    SliceSums* sums_;
    PairNumbers::OfTrack numbers_;
};

}  // namespace tilescope
