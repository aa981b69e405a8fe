// Strings that lie one behind the other, brought into classes of equal length and written column by column: what stands at
// the same place in strings of one kind lies together, which compresses far better.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilescope {

// String k is data[ends[k-1], ends[k]), counted from `start`: ends[-1] is `start`. Writes ends[n-1] - start bytes to `out`:
// the classes in the order of their lengths; of a class the first bytes of its strings in order, then the second bytes, …
// Throws std::invalid_argument unless start <= ends[k-1] <= ends[k] <= size.
void transpose_by_length(const int64_t* ends, size_t n, int64_t start, const uint8_t* data, size_t size, uint8_t* out);

}  // namespace tilescope
