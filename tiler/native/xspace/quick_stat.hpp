// A stat as nearly all are: its id, one value, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "xspace/wire.hpp"

namespace tilescope::xspace {

struct QuickStat {
    static constexpr std::size_t kIds = 0x80;  // all ids are below

    std::size_t id = 0;
    std::uint32_t tag = 0;  // of its value
    std::uint64_t bits = 0;  // of an integer or a reference
    const std::uint8_t* text = nullptr;  // where a text or bytes begin, which end where the stat does
};

// Reads the field of a stat at `p`, where there is one of this form in a message that ends at `end`, with an id below
// 128. Returns where it ends, or null; it is to be read with more care then.
inline const std::uint8_t* quick_stat(const std::uint8_t* p, const std::uint8_t* end, const std::uint8_t* file_end,
                                      QuickStat& stat) {
    // All bytes before the value at once: the field, its size, the field of the id, the id, the field of the value.
    constexpr std::uint64_t looked_at = 0x80'80'ff'80'ffU;
    constexpr std::uint64_t expected = wire::bytes_field(4) | std::uint64_t{wire::varint_field(1)} << 16;
    constexpr std::ptrdiff_t before_value = 5;
    std::uint64_t head = 0;
    if (file_end - p < static_cast<std::ptrdiff_t>(sizeof(head))) return nullptr;
    std::memcpy(&head, p, sizeof(head));  // little-endian hosts only, as containers are
    const auto size = static_cast<std::ptrdiff_t>(head >> 8 & 0x7f);
    if ((head & looked_at) != expected || size < before_value - 1 || size > end - p - 2) return nullptr;
    const std::uint8_t* const stop = p + 2 + size;
    stat.id = head >> 24 & 0x7f;
    stat.tag = static_cast<std::uint32_t>(head >> 32 & 0x7f);
    const std::uint8_t* const value = p + before_value;
    switch (stat.tag) {
    case wire::fixed64_field(2): return stop - value == 8 ? stop : nullptr;
    case wire::varint_field(3):
    case wire::varint_field(4):
    case wire::varint_field(7): return wire::quick_varint(value, stop, file_end, stat.bits) == stop ? stop : nullptr;
    case wire::bytes_field(5):
    case wire::bytes_field(6):
        stat.text = value + 1;
        return value[0] < 0x80 && value[0] == stop - stat.text ? stop : nullptr;
    default: return nullptr;
    }
}

}  // namespace tilescope::xspace
