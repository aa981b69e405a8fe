// Bytes of a file or a page, which are text to some and numbers to others.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/span.hpp"

namespace tilescope {

using Bytes = Span<const std::uint8_t>;

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

inline Bytes bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace tilescope
