// Blocks of deflate without repetitions (RFC 1951, 3.2.3): each byte by a code of its own, or as it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "pages/bit_writer.hpp"
#include "pages/code_lengths.hpp"

namespace tilescope {

// A block of literals. The bytes stay the caller's, and where they are until it was written.
class LiteralBlock {
  public:
    explicit LiteralBlock(Bytes bytes);

    // Size of the block in bits.
    std::size_t bits() const { return bits_; }
    void write(BitWriter& out) const;

  private:
    // A symbol of the code in which the lengths of codes are written, with what repetitions need beside it.
    struct LengthSymbol {
        uint8_t symbol, more_bits, more;
    };

    // Distances that do not occur have two codes, as zlib gives them: some readers refuse less.
    static constexpr std::size_t kDistances = 2;

    Span<const LengthSymbol> length_symbols() const { return {length_symbols_.data(), n_length_symbols_}; }
    void write_head(BitPlace& place) const;
    void encode_lengths();
    void add_length_symbol(std::size_t symbol, std::size_t more_bits, std::size_t more);

    Bytes bytes_;
    std::size_t bits_ = 0;
    std::array<uint8_t, kMostSymbols> lengths_{};
    std::array<LengthSymbol, kMostSymbols + kDistances> length_symbols_{};
    std::size_t n_length_symbols_ = 0;
    std::array<uint8_t, 19> symbol_lengths_{};
    std::size_t n_symbol_lengths_ = 4;  // those that are written
};

// Blocks of the bytes as they are.
void write_stored(Bytes bytes, BitWriter& out);

// The bytes by codes, or as they are where codes save nothing.
void write_literals(Bytes bytes, BitWriter& out);

// Whatever follows begins with a byte: an empty block, unless one ends there already.
void end_with_byte(BitWriter& out);

}  // namespace tilescope
