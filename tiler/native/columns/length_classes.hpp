// Strings that lie one behind the other, brought into classes of equal length and written column by column: what stands at
// the same place in strings of one kind lies together, which compresses far better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace tilescope {

// String k is data[ends[k-1], ends[k]), counted from `start`: ends[-1] is `start`. Writes them into room of just their size:
// the classes in the order of their lengths; of a class the first bytes of its strings in order, then the second bytes, …
// Throws std::invalid_argument unless start <= ends[k-1] <= ends[k] <= size of the data.
void write_by_length(Span<const int64_t> ends, int64_t start, Bytes data, Span<char> out);

// The inverse: the strings one behind the other, of which string k ends at ends[k]. Throws std::invalid_argument unless
// 0 <= ends[k-1] <= ends[k], and the last one is the size of the data.
std::vector<uint8_t> restored_by_length(Span<const int64_t> ends, Bytes classes);

}  // namespace tilescope
