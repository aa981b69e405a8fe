// The part of a container's gzip member that is written here: blocks of planes that have no repetitions, and of short stretches
// beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace tilescope {

// Whole blocks of deflate that stand for the bytes from `first` on, up to `last`. They begin and end with a byte.
struct OwnBlocks {
    std::size_t first, last;
    std::vector<uint8_t> deflated;
};

// Ascending; between them there are other bytes. Throws DamagedContainer.
std::vector<OwnBlocks> blocks_without_matches(Bytes container, std::size_t max_rows);

}  // namespace tilescope
