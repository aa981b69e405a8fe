// Sums per name of any spans, in a hash table: how often, how long, how long in itself, the longest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "pyramid/bucket_counts.hpp"

namespace tilescope {

// A sum of ticks: slices side by side may last longer in total than 64 bits can say. Sums of parts may wrap on their
// way.
__extension__ using TickSum = unsigned __int128;

// The name of all names that have no row of their own.
constexpr int32_t kOtherNames = -2;

// Sums of the slices of one name in a span of time.
struct NameSum {
    int32_t name;
    uint64_t count;   // that start in the span
    TickSum busy;     // ticks of the span, each slice by itself
    TickSum self;     // ticks of the span at which a slice of the name is the last started of those that run
    // Durations, not clipped, of those that start in the span: of all together, of the longest, of the shortest.
    TickSum duration;
    int64_t longest;
    int64_t shortest;  // INT64_MAX: none starts there

    // Adds the sums of others, in this or another span.
    void add(const NameSum& other);
};

// A hash table by name that keeps its memory when it is emptied.
class NameSums {
  public:
    // With `buckets` it counts them as well.
    explicit NameSums(bool buckets = false) : has_buckets_(buckets) {}

    // Slices that start in the span, next. A name is looked up by itself.
    static void start(Span<const int32_t> names, Span<const int64_t> /*durations*/, int32_t* keys) {
        std::copy(names.begin(), names.end(), keys);
    }
    NameSum& at(int32_t name);
    // One of these: its count and its durations. Returns the sums of its name.
    NameSum& add_start(int32_t name, int64_t duration);
    // The number of a name, for its buckets.
    uint32_t number(int32_t name) {
        at(name);
        return static_cast<uint32_t>(last_);
    }
    void add_buckets(uint32_t number, uint32_t bucket, uint64_t count) { buckets_.add(number, bucket, count); }
    void add(const NameSums& other);
    void clear();
    const std::vector<NameSum>& sums() const { return sums_; }
    const BucketCounts& buckets() const { return buckets_; }

  private:
    void enter_all(size_t size);
    size_t place(int32_t name) const;

    bool has_buckets_;
    std::vector<NameSum> sums_;
    BucketCounts buckets_;         // names by their position in sums_
    std::vector<uint32_t> slots_;  // position in sums_ + 1; 0: empty
    size_t last_ = 0;              // what was asked for last is often asked for again
};

}  // namespace tilescope
