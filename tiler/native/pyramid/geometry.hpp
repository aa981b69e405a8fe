// Places of ticks in tiles and bins: pure arithmetic.
#pragma once

#include <cstdint>

#include "base/bit_length.hpp"

namespace tilescope {

constexpr int kBinsPerTile = 256;
constexpr int kTileBits = 8;

// Ticks of a run lie in [0, 2^61), so a root level is at most 27 and no shift below reaches 64. tiler/ticks.py has the
// same number.
constexpr int kMaxLevel = 27;
constexpr int64_t kTimeLimit = int64_t{1} << 61;

inline int64_t bin_at(int64_t tick, int level) { return tick >> (2 * level); }
inline int64_t bin_start(int64_t bin, int level) { return bin << (2 * level); }
inline int64_t tile_at(int64_t tick, int level) { return tick >> (2 * level + kTileBits); }
inline int64_t tile_start(int64_t index, int level) { return index << (2 * level + kTileBits); }

// The lowest level at which a slice is shorter than two bins, and so part of a bin instead of an individual.
inline int lowest_binned_level(int64_t duration) { return bit_length(static_cast<uint64_t>(duration)) >> 1; }

// The shortest duration of a slice that is no part of a bin of this level.
inline int64_t least_individual(int level) { return int64_t{2} << (2 * level); }

inline bool is_individual(int64_t duration, int level) { return duration >= least_individual(level); }

// The lowest level at which tile 0 covers [0, end].
inline int root_level(int64_t end) {
    int level = 0;
    while (level < kMaxLevel && tile_at(end, level) != 0) ++level;
    return level;
}

}  // namespace tilescope
