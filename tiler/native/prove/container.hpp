// Column containers, read value by value: a tile of a million slices needs no more memory than its bytes.
//
// The proof reads by code of its own, from docs/page-format.md, and not by the one that writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace tilescope {

// A column of a container, read from its first value on. It refers to the bytes of its container.
class ProveColumn {
  public:
    ProveColumn() = default;
    // The planes lie one behind the other, each of `n` bytes.
    ProveColumn(Bytes planes, std::size_t n, unsigned n_planes, unsigned flags, int64_t base, uint64_t scale)
        : planes_(planes),
          n_(n),
          n_planes_(n_planes),
          flags_(flags),
          value_(static_cast<uint64_t>(base)),
          scale_(scale) {}

    std::size_t size() const { return n_; }

    // Writes the next values, as many as there is room for; doubles are given as their bits. Throws WrongRecord when there
    // are fewer.
    void read(Span<int64_t> out);

    // The next `count` values, into a vector that it makes as long.
    void read(std::size_t count, std::vector<int64_t>& out) {
        out.resize(count);
        read(out);
    }

  private:
    Bytes planes_;
    std::size_t n_ = 0;
    std::size_t n_read_ = 0;
    unsigned n_planes_ = 0;
    unsigned flags_ = 0;
    uint64_t value_ = 0;  // base; with deltas the value before
    uint64_t scale_ = 1;
};

class ProveContainer {
  public:
    // The bytes stay the caller's. Throws WrongRecord.
    ProveContainer(Bytes bytes, const char* magic);

    unsigned level() const { return level_; }
    std::size_t tiles() const { return tiles_; }
    std::size_t block() const { return block_; }

    // A column of `n` values, from its beginning. Throws WrongRecord when it has another number.
    ProveColumn column(unsigned id, std::size_t n) const;

  private:
    unsigned level_ = 0;
    std::size_t tiles_ = 0;
    std::size_t block_ = 0;
    std::array<ProveColumn, 256> columns_;
};

}  // namespace tilescope
