// The bytes of values, plane by plane: first the lowest byte of each value, then the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/span.hpp"

namespace tilescope {

// Writes the lowest `planes` bytes of each value to `out`, each plane `stride` bytes behind the one before. There are no more
// planes than bytes in a value, and no more values than fit into a stride.
void write_planes(Span<const uint16_t> values, std::size_t planes, char* out, std::size_t stride);
void write_planes(Span<const uint32_t> values, std::size_t planes, char* out, std::size_t stride);
void write_planes(Span<const uint64_t> values, std::size_t planes, char* out, std::size_t stride);

// The same without gaps between planes: planes * values.size() bytes.
template <typename T>
void write_planes(Span<const T> values, std::size_t planes, char* out) {
    write_planes(values, planes, out, values.size());
}

}  // namespace tilescope
