// The choice of a coding for each plane of a container: the low bytes of exact times are as good as random, and others
// have bytes that are more frequent than others, but nothing that comes again.
#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.hpp"

namespace tilescope {

enum class Coding {
    as_it_is,  // compression would hardly shorten it
    literals,  // each byte by a code of its own takes less room than references to what was before
};

// From `first` on, up to `last`, which is not one of them.
struct CodedRange {
    std::size_t first, last;
    Coding coding;
};

// Planes of columns that compression need not look for repetitions in, ascending; neighbours that stay as they are are one range.
// What takes little room is not looked at. Throws DamagedContainer.
std::vector<CodedRange> planes_without_matches(Bytes container, std::size_t max_rows);

}  // namespace tilescope
