// Numbers of as many bytes as they need: seven bits each, the lowest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "base/bytes.hpp"
#include "columns/column.hpp"

namespace tilescope {

constexpr std::size_t kLongestVarint = 10;

// There is room for `kLongestVarint` bytes.
inline void put_varint(std::uint64_t value, Column<char>& out) {
    while (value >= 0x80) {
        out.push_unchecked(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    out.push_unchecked(static_cast<char>(value));
}

// In bytes.
inline std::size_t varint_size(std::uint64_t value) {
    std::size_t size = 1;
    for (; value >= 0x80; value >>= 7) ++size;
    return size;
}

// Moves `offset` behind it. Throws std::invalid_argument for one that is cut or too long.
inline std::uint64_t take_varint(Bytes bytes, std::size_t& offset) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (offset == bytes.size()) break;
        const std::uint8_t byte = bytes[offset++];
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    throw std::invalid_argument("packed texts are damaged");
}

}  // namespace tilescope
