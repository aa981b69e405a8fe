// Times of a file as ticks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/span.hpp"

namespace tilescope {

// (ns - from_ns) * per_ns + ps, all modulo 2**64; `ps` may be empty. Throws std::invalid_argument when the columns differ.
inline void write_ticks(Span<const std::int64_t> ns, Span<const std::int16_t> ps, std::uint64_t from_ns,
                        std::uint64_t per_ns, Span<std::int64_t> ticks) {
    const std::size_t size = same_size(ns, ticks);
    const auto tick = [&](std::size_t k) { return (static_cast<std::uint64_t>(ns[k]) - from_ns) * per_ns; };
    if (ps.empty()) {
        for (std::size_t k = 0; k < size; ++k) ticks[k] = static_cast<std::int64_t>(tick(k));
        return;
    }
    same_size(ns, ps);
    for (std::size_t k = 0; k < size; ++k)
        ticks[k] = static_cast<std::int64_t>(tick(k) + static_cast<std::uint64_t>(std::int64_t{ps[k]}));
}

}  // namespace tilescope
