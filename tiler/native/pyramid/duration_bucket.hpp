// Buckets of durations: for quantiles that are right to one per cent. See docs/page-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/bit_length.hpp"
#include "pyramid/geometry.hpp"

namespace tilescope {

class DurationBuckets {
  public:
    static const DurationBuckets& all();

    // The index of the bucket of a duration from 0 to 2**61 - 1; buckets are in order. Throws std::out_of_range for
    // others.
    uint32_t index_of(int64_t duration) const {
        if (duration < 0 || duration >= kTimeLimit) throw std::out_of_range("a duration beyond 2**61");
        const std::size_t bucket = near_[static_cast<std::size_t>(place_of(duration))];
        return static_cast<uint32_t>(bucket + (first_[bucket + 1] <= duration ? 1 : 0));
    }

    // Number of buckets.
    uint32_t size() const { return static_cast<uint32_t>(first_.size() - 1); }

  private:
    // A bucket is looked for from that of the duration with the same leading bits and zeros after them: at most one
    // further, for durations with these bits differ by less than one per cent.
    static constexpr int kLeading = 7;

    DurationBuckets();
    static int64_t place_of(int64_t duration) {
        // Of short ones, too, as if they had one bit more than the leading ones: then none are left.
        const auto bits = static_cast<uint64_t>(duration) | ((uint64_t{2} << kLeading) - 1);
        const int more = bit_length(bits) - kLeading - 1;
        return (static_cast<int64_t>(more) << kLeading) + (duration >> more);
    }
    static int64_t least_at(int64_t place);

    std::vector<int64_t> first_;  // duration of each, and what lies beyond the last
    std::vector<uint16_t> near_;  // by leading bits
};

}  // namespace tilescope
