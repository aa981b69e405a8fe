// Sums up rows of the same number, of some parts of a tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pyramid/bucket_merge.hpp"
#include "pyramid/name_rows.hpp"

namespace tilescope {

// Memory: two bytes for each number there is, kept for the next merge.
class RowMerge {
  public:
    static constexpr std::size_t kMostParts = 16;

    // Merges rows whose numbers are below `numbers`.
    explicit RowMerge(std::size_t numbers) : used_(numbers / 64 + 1, 0), parts_of_(numbers, 0) {}

    // Throws std::invalid_argument when there are more than kMostParts.
    NameRows merge(const std::vector<NameRows>& parts);

  private:
    std::vector<uint64_t> used_;      // numbers, as bits
    std::vector<uint16_t> parts_of_;  // by number: which parts have it, as bits
    BucketMerge buckets_;
};

}  // namespace tilescope
