// A stat as nearly all are: its id, one value, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "xspace/wire.hpp"

namespace tilescope::xspace {

struct QuickStat {
    std::uint64_t id = 0;
    std::uint32_t tag = 0;  // of its value
    std::uint64_t bits = 0;  // of an integer or a reference
    const std::uint8_t* text = nullptr;  // where a text or bytes begin, which end where the stat does
};

// Reads the field of a stat at `at`, where there is one of this form in a message that ends at `end`, with an id below 128.
// Returns where it ends, or null; it is to be read with more care then.
inline const std::uint8_t* quick_stat(const std::uint8_t* at, const std::uint8_t* end, const std::uint8_t* file_end,
                                      QuickStat& stat) {
    constexpr std::uint8_t stats_tag = wire::bytes_field(4);
    if (end - at < 6 || at[0] != stats_tag || at[1] >= 0x80 || at[1] < 4 || at[1] > end - at - 2) return nullptr;
    const std::uint8_t* const stop = at + 2 + at[1];
    if (at[2] != wire::varint_field(1) || at[3] >= 0x80) return nullptr;
    stat.id = at[3];
    stat.tag = at[4];
    const std::uint8_t* const value = at + 5;
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
