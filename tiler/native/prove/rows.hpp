// The rows of a track that are gone through at a time: with all of millions of them, bins in work could take too much memory.
#pragma once

#include <cstdint>

namespace tilescope {

struct ProveRows {
    int64_t first = 0, stop = 0;

    bool has(int64_t row) const { return first <= row && row < stop; }
    // What has no rows, leaves, single slices, names, is looked at with the first of them.
    bool are_first() const { return first == 0; }
};

}  // namespace tilescope
