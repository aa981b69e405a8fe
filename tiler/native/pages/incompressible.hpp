// Which bytes of a container compression would hardly shorten: the low bytes of exact times are as good as random.
#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.hpp"

namespace tilescope {

// From `first` on, up to `last`, which is not one of them.
struct ByteRange {
    std::size_t first, last;
};

// Planes of columns, ascending; neighbours are one range. What takes little room is not looked at. Throws DamagedContainer.
std::vector<ByteRange> incompressible(Bytes container, std::size_t max_rows);

}  // namespace tilescope
