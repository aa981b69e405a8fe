// On which side of a machine an event is: on the host, or on one of its devices.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilescope {

// Bits, so that those of several events can be joined.
enum class Side : std::uint8_t { host = 1, device = 2, either = 4 };

// By the categories of PyTorch's profiler, of all its ages, in any case. All others may be of either.
Side side_of_category(std::string_view category);

}  // namespace tilescope
