#include "pyramid/name_rows.hpp"

#include <utility>

namespace tilescope {

uint64_t RowsView::events() const {
    uint64_t events = 0;
    for (const NameRow& row : rows) events += row.count;
    return events;
}

void BucketCounter::take_from(BucketCounter& other, uint32_t least, uint32_t most) {
    for (std::size_t bucket = least; bucket <= most; ++bucket) {
        counts_[bucket] += std::exchange(other.counts_[bucket], 0);
    }
}

// There is no foretelling which occur, so nothing depends on it.
uint32_t BucketCounter::list(BucketList& out, uint32_t least, uint32_t most) const {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): 16 KB, of which those that are read were written
    std::array<BucketCount, BucketCount::kMost> all;
    std::size_t n = 0;
    for (uint32_t bucket = least; bucket <= most; ++bucket) {
        all[n] = BucketCount(bucket, counts_[bucket]);
        n += counts_[bucket] != 0 ? 1 : 0;
    }
    out.insert(out.end(), all.begin(), all.begin() + n);
    return static_cast<uint32_t>(n);
}

}  // namespace tilescope
