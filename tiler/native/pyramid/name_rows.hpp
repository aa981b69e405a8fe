// Sums per name of a tile, in the order of names, with the buckets of their durations side by side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
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

    void add_start(int64_t ticks) {
        ++count;
        duration += static_cast<uint64_t>(ticks);
        longest = std::max(longest, ticks);
        shortest = std::min(shortest, ticks);
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

// A bucket and how many slices have durations in it: in one word, for there are many of them.
class BucketCount {
  public:
    BucketCount() = default;  // of nothing in particular
    BucketCount(uint32_t bucket, uint64_t count) : bits_(count << kBits | bucket) {}

    uint32_t bucket() const { return static_cast<uint32_t>(bits_ & ((1U << kBits) - 1)); }
    uint64_t count() const { return bits_ >> kBits; }
    void add(uint64_t count) { bits_ += count << kBits; }

    static constexpr int kBits = 11;  // 2**11 is above the number of buckets, and 2**53 above that of slices
    static constexpr std::size_t kMost = std::size_t{1} << kBits;

  private:
    uint64_t bits_;
};

// Numbers that are made room for are not zero: they are written at once.
template <typename T>
struct Unwritten : std::allocator<T> {
    template <typename U>
    struct rebind {
        using other = Unwritten<U>;
    };
    template <typename U>
    void construct(U* memory) noexcept {
        ::new (static_cast<void*>(memory)) U;
    }
    template <typename U, typename... Values>
    void construct(U* memory, Values&&... values) {
        ::new (static_cast<void*>(memory)) U(std::forward<Values>(values)...);
    }
};
using BucketList = std::vector<BucketCount, Unwritten<BucketCount>>;

// Ascending by number; the buckets of each row ascend, too, one row after the other.
struct NameRows {
    std::vector<NameRow> rows;
    BucketList buckets;
};

// Number of bits that are set, each of which stands for a number.
inline std::size_t count_bits(const std::vector<uint64_t>& words) {
    std::size_t n = 0;
    for (const uint64_t word : words) n += static_cast<std::size_t>(__builtin_popcountll(word));
    return n;
}

// Some of them, that follow each other.
struct RowsView {
    Span<const NameRow> rows;
    Span<const BucketCount> buckets;

    uint64_t events() const;
};

// Counts the buckets of many slices. Those between two are looked at, which are the least and the most that it has.
class BucketCounter {
  public:
    void add(uint32_t bucket) { ++counts_[bucket]; }
    // Takes those of another, which counts anew.
    void take_from(BucketCounter& other, uint32_t least, uint32_t most);
    // Appends them, ascending. Returns how many they are.
    uint32_t list(BucketList& out, uint32_t least, uint32_t most) const;

  private:
    std::array<uint64_t, BucketCount::kMost> counts_{};
};

}  // namespace tilescope
