// The buckets of one name, of several parts or tracks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/span.hpp"
#include "pyramid/name_rows.hpp"

namespace tilescope {

// Counts those of one name at a time. Between the least and the most there are a few words of bits, that tell which occur.
class BucketMerge {
  public:
    void add(Span<const BucketCount> ascending) {
        if (ascending.empty()) return;
        least_ = std::min(least_, ascending.front().bucket());
        most_ = std::max(most_, ascending.back().bucket());
        for (const BucketCount& entry : ascending) {
            const uint32_t bucket = entry.bucket();
            counts_[bucket] += entry.count();
            used_[bucket / 64] |= uint64_t{1} << bucket % 64;
        }
    }
    // Writes them, ascending, and begins anew. Returns where they end.
    BucketCount* take(BucketCount* out) {
        if (least_ > most_) return out;
        for (std::size_t word = least_ / 64; word <= most_ / 64; ++word) {
            for (uint64_t left = used_[word]; left != 0; left &= left - 1) {
                const std::size_t bucket = 64 * word + static_cast<std::size_t>(__builtin_ctzll(left));
                *out++ = BucketCount(static_cast<uint32_t>(bucket), counts_[bucket]);
                counts_[bucket] = 0;
            }
            used_[word] = 0;
        }
        least_ = kBuckets;
        most_ = 0;
        return out;
    }

  private:
    static constexpr std::size_t kBuckets = BucketCount::kMost;

    uint32_t least_ = kBuckets, most_ = 0;
    std::array<uint64_t, kBuckets> counts_{};
    std::array<uint64_t, kBuckets / 64> used_{};
};

}  // namespace tilescope
