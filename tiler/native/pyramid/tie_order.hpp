// The order of slices that start together, in the columns as they stand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/span.hpp"

namespace tilescope {

// Slices side by side, and the ends of their arguments. `source` may be empty.
struct SliceRows {
    Span<const std::int64_t> start;
    Span<std::int64_t> duration;
    Span<std::int32_t> name;
    Span<std::uint8_t> flags;
    Span<std::int64_t> args_end;
    Span<std::uint8_t> args;
    Span<std::int64_t> source;
};

// Brings slices whose starts never decrease into canonical order: profilers write lines of devices like that, but for what
// starts together. False, and nothing is changed, when starts decrease or too many slices or arguments would have to move
// at once. Throws std::invalid_argument when columns differ in length, or ends of arguments are none.
bool order_ties(const SliceRows& rows);

}  // namespace tilescope
