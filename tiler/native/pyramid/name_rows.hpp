// Sums per name of a tile, in the order of names, with the buckets of their durations side by side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// As `NameSum`, where all durations together are below 2**64 ticks. Sums of parts may wrap on their way. Each is looked up by
// itself, so it lies in one line of the cache.
struct alignas(64) NameRow {
    uint32_t number = 0;  // of the name
    uint32_t n_buckets = 0;
    uint64_t count = 0;
    uint64_t busy = 0;
    uint64_t self = 0;
    uint64_t duration = 0;
    int64_t longest = 0;
    int64_t shortest = INT64_MAX;  // none starts in the tile

    void add_start(int64_t of) {
        ++count;
        duration += static_cast<uint64_t>(of);
        longest = std::max(longest, of);
        shortest = std::min(shortest, of);
    }

    void add(const NameRow& other) {
        count += other.count;
        busy += other.busy;
        self += other.self;
        duration += other.duration;
        longest = std::max(longest, other.longest);
        shortest = std::min(shortest, other.shortest);
    }
};

// How many slices have durations of a bucket: in one word, for there are many of them.
class BucketCount {
  public:
    BucketCount() = default;  // of nothing in particular
    BucketCount(uint32_t bucket, uint64_t count) : bits_(count << kBits | bucket) {}

    uint32_t bucket() const { return static_cast<uint32_t>(bits_ & ((1U << kBits) - 1)); }
    uint64_t count() const { return bits_ >> kBits; }
    void add(uint64_t count) { bits_ += count << kBits; }

    static constexpr int kBits = 11;  // 2**11 is above the number of buckets, and 2**53 above that of slices

  private:
    uint64_t bits_;
};

// Ascending by number; the buckets of each row ascend, too, one row after the other.
struct NameRows {
    std::vector<NameRow> rows;
    std::vector<BucketCount> buckets;

    uint64_t events() const;
};

constexpr std::size_t kMostParts = 16;

// Rows of the same name are summed up, of kMostParts at most. `sums` are empty before.
void merge(const std::vector<NameRows>& parts, NameRows& sums);

// Counts the buckets of one name at a time.
class BucketTally {
  public:
    void add(uint32_t bucket, uint64_t count) {
        counts_.at(bucket) += count;
        used_[bucket / 64] |= uint64_t{1} << bucket % 64;
    }
    void add(Span<const BucketCount> some) {
        for (const BucketCount& one : some) add(one.bucket(), one.count());
    }
    // Appends them, ascending, and counts anew. Returns how many they are.
    uint32_t take(std::vector<BucketCount>& out);

    static constexpr std::size_t kBuckets = std::size_t{1} << BucketCount::kBits;

  private:
    std::array<uint64_t, kBuckets> counts_{};
    std::array<uint64_t, kBuckets / 64> used_{};
};

// Counts the buckets of many slices. Those between two are looked at, which are the least and the most that it has.
class BucketCounter {
  public:
    void add(uint32_t bucket) { ++counts_[bucket]; }
    // Takes those of another, which counts anew.
    void take_from(BucketCounter& other, uint32_t least, uint32_t most);
    // Appends them, ascending. Returns how many they are.
    uint32_t list(std::vector<BucketCount>& out, uint32_t least, uint32_t most) const;

  private:
    std::array<uint64_t, BucketTally::kBuckets> counts_{};
};

}  // namespace tilescope
