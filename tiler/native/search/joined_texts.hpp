// Many texts in one piece, for finding those that contain another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Indexes of the texts that contain `wanted`, ascending. Text k ends at `ends[k]`, followed by one byte that is in no
// `wanted`. Throws std::invalid_argument where the ends are not those of such texts.
std::vector<int64_t> texts_with(std::string_view joined, Span<const int64_t> ends, std::string_view wanted);

}  // namespace tilescope
