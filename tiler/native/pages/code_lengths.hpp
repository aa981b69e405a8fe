// Huffman codes of limited length, as deflate has them (RFC 1951, 3.2.2).
#pragma once

#include <cstdint>

#include "base/span.hpp"

namespace tilescope {

// Symbols that one code is made for: bytes and the end of a block.
constexpr std::size_t kMostSymbols = 257;

// Writes the number of bits of each symbol's code, by how often it occurs: none if it does not, `most` at most. Two
// have a code at least, as some readers refuse less. Throws std::invalid_argument for more symbols than there are
// codes.
void code_lengths(Span<const uint32_t> counts, unsigned most, Span<uint8_t> lengths);

// The codes to these lengths, the first bit the lowest.
void codes_of(Span<const uint8_t> lengths, Span<uint16_t> codes);

}  // namespace tilescope
