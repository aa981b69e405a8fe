// 64-bit hashes of what a tile holds: a tile is compared with what the events below it make by these, so that nothing of it
// need be kept. Where they differ, `ProveExplain` goes through the tile again and finds the first difference.
#pragma once

#include <cstdint>

#include "prove/page.hpp"

namespace tilescope {

inline uint64_t mixed(uint64_t value) {  // splitmix64
    value += 0x9E37'79B9'7F4A'7C15ULL;
    value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9ULL;
    value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EBULL;
    return value ^ value >> 31;
}

// Hash of all fields but the mark for reaching in, which is the tile's.
inline uint64_t hash_of(const ProveSlice& slice) {
    const auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };
    return mixed(bits(slice.ordinal) * 0xD6E8'FEB8'6659'FD93ULL + bits(slice.start) * 0xA076'1D64'78BD'642FULL +
                 bits(slice.duration) * 0xE703'7ED1'A0B4'28DBULL + bits(slice.row) * 0x8EBC'6AF0'9C88'C6E3ULL +
                 bits(slice.name) * 0x5899'65CC'7537'4CC3ULL +
                 bits(slice.flags & ~kProveReachesIn) * 0x1D8E'4E27'C47D'124FULL);
}

// The bin's place within its tile counts.
inline uint64_t hash_of(const ProveBin& bin) {
    const auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };
    return mixed((bits(bin.row) << 8 | bits(bin.bin & 255)) * 0xD6E8'FEB8'6659'FD93ULL +
                 bits(bin.count) * 0xA076'1D64'78BD'642FULL + bits(bin.busy) * 0xE703'7ED1'A0B4'28DBULL +
                 bits(bin.name) * 0x8EBC'6AF0'9C88'C6E3ULL + bits(bin.share) * 0x5899'65CC'7537'4CC3ULL +
                 bits(bin.longest) * 0x1D8E'4E27'C47D'124FULL);
}

// Hash of slices in their order.
struct ProveSequence {
    int64_t size = 0;
    uint64_t hash = 0;

    void add(const ProveSlice& slice) {
        ++size;
        hash = hash * 0x9E37'79B9'7F4A'7C15ULL + hash_of(slice);
    }
    bool operator==(const ProveSequence& other) const { return size == other.size && hash == other.hash; }
};

// Hash of bins in any order.
struct ProveBinSet {
    int64_t size = 0;
    uint64_t hash = 0;

    void add(const ProveBin& bin) {
        ++size;
        hash += hash_of(bin);
    }
    bool operator==(const ProveBinSet& other) const { return size == other.size && hash == other.hash; }
};

// Events and busy ticks by row, as a sum to which each row adds in proportion: what the tiles below have adds up to it.
class ProveRowSums {
  public:
    void add(int64_t row, int64_t count, int64_t busy) {
        sum_ += mixed(static_cast<uint64_t>(row)) *
                (static_cast<uint64_t>(count) * 0xD6E8'FEB8'6659'FD93ULL + static_cast<uint64_t>(busy));
    }
    void add(const ProveRowSums& other) { sum_ += other.sum_; }
    bool operator==(const ProveRowSums& other) const { return sum_ == other.sum_; }

  private:
    uint64_t sum_ = 0;
};

}  // namespace tilescope
