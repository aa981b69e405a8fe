// Reorders variable-length byte strings that lie one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace tilescope {

// The strings that are put together: string j is that of place `first[j]`, and behind it that of place `second[j]`,
// unless this is -1, or `second` is empty.
struct Gathered {
    Span<const int64_t> first;
    Span<const int64_t> second;
};

// String k is data[ends[k-1], ends[k]) with ends[-1] = 0. Throws std::invalid_argument unless 0 <= ends[k-1] <= ends[k]
// <= size. Returns the total size of the strings that `order` names, and writes their ends to `out_ends`, which is as long.
size_t gathered_ends(Span<const int64_t> ends, size_t size, const Gathered& order, Span<int64_t> out_ends);

// Copies the strings in that order to `out`, and their ends to `out_ends`. Throws std::invalid_argument unless `out` has the
// size that gathered_ends returns.
void gather(Span<const int64_t> ends, Bytes data, const Gathered& order, Span<int64_t> out_ends, Span<uint8_t> out);

}  // namespace tilescope
