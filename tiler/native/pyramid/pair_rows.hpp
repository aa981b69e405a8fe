// Rows of names of all tracks together, and of each track by itself, from the rows of pairs of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pyramid/bucket_merge.hpp"
#include "pyramid/name_rows.hpp"
#include "pyramid/pair_numbers.hpp"

namespace tilescope {

// Memory: four bytes a pair, and the rows of a tile, kept for the next one.
class PairRows {
  public:
    explicit PairRows(const PairNumbers& pairs)
        : pairs_(&pairs), used_(pairs.size() / 64 + 1, 0), row_at_(pairs.size()) {}

    // Takes the rows of a tile, which must stay where they are as long as it is asked for what follows.
    void begin(const NameRows& rows);
    // Rows of all tracks together, in the order of names: each has the number of some pair with its name.
    RowsView together();
    // Rows of a track that is apart.
    RowsView own(std::size_t track) const;

  private:
    const PairNumbers* pairs_;
    const NameRows* rows_ = nullptr;
    std::vector<uint32_t> first_;   // bucket of each row, and where the last ones end
    std::vector<uint64_t> used_;    // pairs in the order of names, as bits
    std::vector<uint32_t> row_at_;  // by pair in the order of names
    BucketMerge merge_;
    NameRows together_;
};

}  // namespace tilescope
