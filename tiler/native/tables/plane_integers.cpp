#include "tables/plane_integers.hpp"

#include <stdexcept>

namespace tilescope {

namespace {

constexpr std::size_t kMostPlanes = 8;
constexpr std::size_t kMostIntegers = std::size_t{1} << 32;  // of planes of no bytes, which do not bound it

// The number of planes is known to the compiler, so that several integers are made at a time.
template <std::size_t Size>
void join(const IntegerPlanes& planes, std::int64_t* integers) {
    const std::uint8_t* bytes = planes.bytes.data();
    for (std::size_t k = 0; k < planes.count; ++k) {
        std::uint64_t above = 0;
        for (std::size_t plane = 0; plane < Size; ++plane) {
            above |= static_cast<std::uint64_t>(bytes[plane * planes.count + k]) << (8 * plane);
        }
        integers[k] = static_cast<std::int64_t>(above + static_cast<std::uint64_t>(planes.least));
    }
}

void check(const IntegerPlanes& planes) {
    if (planes.size > kMostPlanes) throw std::invalid_argument("a column of integers of no size");
    const std::size_t most = planes.size == 0 ? kMostIntegers : planes.bytes.size() / planes.size;
    if (planes.count > most) throw std::invalid_argument("it is cut short");
}

void join_any(const IntegerPlanes& planes, std::int64_t* integers) {
    switch (planes.size) {
    case 0: return join<0>(planes, integers);
    case 1: return join<1>(planes, integers);
    case 2: return join<2>(planes, integers);
    case 3: return join<3>(planes, integers);
    case 4: return join<4>(planes, integers);
    case 5: return join<5>(planes, integers);
    case 6: return join<6>(planes, integers);
    case 7: return join<7>(planes, integers);
    default: return join<8>(planes, integers);
    }
}

}  // namespace

std::vector<std::int64_t> plane_integers(const IntegerPlanes& planes) {
    check(planes);
    std::vector<std::int64_t> integers(planes.count);
    join_any(planes, integers.data());
    return integers;
}

std::vector<std::int64_t> summed_planes(const IntegerPlanes& planes, std::int64_t first) {
    check(planes);
    std::vector<std::int64_t> integers(planes.count + 1, first);
    join_any(planes, integers.data() + 1);
    auto sum = static_cast<std::uint64_t>(first);
    for (std::size_t k = 1; k < integers.size(); ++k) {
        sum += static_cast<std::uint64_t>(integers[k]);
        integers[k] = static_cast<std::int64_t>(sum);
    }
    return integers;
}

}  // namespace tilescope
