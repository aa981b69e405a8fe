// Number of bits that a number has.
#pragma once

#include <cstdint>

namespace tilescope {

inline int bit_length(std::uint64_t value) { return value == 0 ? 0 : 64 - __builtin_clzll(value); }

}  // namespace tilescope
