// The numbers of tilescope.tiler.columns.Phase and EventFlag, as native code writes them into columns.
// tests/tiler/columns/test_codes.py holds them against the Python enums.
#pragma once

#include <cstdint>

namespace tilescope {

enum class Phase : std::uint8_t {
    complete = 0,
    begin = 1,
    end = 2,
    instant = 3,
    counter = 4,
    flow_start = 5,
    flow_step = 6,
    flow_end = 7,
};

namespace event_flag {
constexpr std::uint8_t bind_enclosing = 1;
constexpr std::uint8_t open = 2;
constexpr std::uint8_t renamed = 4;
constexpr std::uint8_t aggregated = 8;
constexpr std::uint8_t clamped = 16;
constexpr std::uint8_t no_duration = 32;
constexpr std::uint8_t step = 64;
// The flags that pages keep, with these same bits; bit 1 is another there.
constexpr std::uint8_t of_slices = 62;
}  // namespace event_flag

}  // namespace tilescope
