// Integers of 64 bits that lie in planes of bytes, as tiler/records/packed_integers.py packs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Plane k has byte k of each integer, above the least; all is counted modulo 2^64.
struct IntegerPlanes {
    Span<const std::uint8_t> bytes;
    std::size_t size = 0;  // planes
    std::size_t count = 0;
    std::int64_t least = 0;
};

// The integers. Throws std::invalid_argument unless there are at most eight planes, with a byte of each integer.
std::vector<std::int64_t> plane_integers(const IntegerPlanes& planes);

// `first`, and the integers of which the planes have the differences to the one before. Throws the same.
std::vector<std::int64_t> summed_planes(const IntegerPlanes& planes, std::int64_t first);

}  // namespace tilescope
