// Reorders variable-length byte strings that lie one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilescope {

// String k is data[ends[k-1], ends[k]) with ends[-1] = 0. Throws std::invalid_argument unless 0 <= ends[k-1] <= ends[k]
// <= size. Returns the total size of the strings that `order` names, and writes their ends to `out_ends`.
size_t gathered_ends(const int64_t* ends, size_t n, size_t size, const int64_t* order, size_t m, int64_t* out_ends);

// Copies the strings in that order to `out`, which has room for what gathered_ends returned.
void gather(const int64_t* ends, const uint8_t* data, const int64_t* order, size_t m, uint8_t* out);

}  // namespace tilescope
