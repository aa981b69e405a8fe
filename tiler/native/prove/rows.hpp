// The rows of a track that are gone through at a time: with all of millions of them, bins in work could take too much memory.
#pragma once

#include <cstdint>

namespace tilescope {

struct ProveRows {
    int64_t first = 0, stop = 0;

    bool has(int64_t row) const { return first <= row && row < stop; }
    // True for the first rows: leaves, single slices and names, which have no rows, are checked with these.
    bool are_first() const { return first == 0; }
};

}  // namespace tilescope
