// The bytes of values, plane by plane: first the lowest byte of each value, then the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/span.hpp"

namespace tilescope {

// Writes the lowest `planes` bytes of each value to `out`, which has room for them: planes * values.size() bytes. There are no
// more planes than bytes in a value.
void write_planes(Span<const uint16_t> values, std::size_t planes, char* out);
void write_planes(Span<const uint32_t> values, std::size_t planes, char* out);
void write_planes(Span<const uint64_t> values, std::size_t planes, char* out);

}  // namespace tilescope
