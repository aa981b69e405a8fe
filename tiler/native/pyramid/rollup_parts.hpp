// The part of a name in a bin of a rollup, as small as it can be: millions are summed up.
#pragma once

#include <cstdint>

#include "pyramid/tiles.hpp"

namespace tilescope {

// In 16 bytes, which are added all at once. Counts are less than 2^32.
class NarrowPart {
  public:
    NarrowPart() = default;
    NarrowPart(int32_t name, int64_t busy, uint64_t count)
        : words_{static_cast<uint64_t>(busy), static_cast<uint32_t>(name) | count << 32} {}

    int32_t name() const { return static_cast<int32_t>(static_cast<uint32_t>(words_[1])); }
    int64_t busy() const { return static_cast<int64_t>(words_[0]); }
    uint64_t count() const { return words_[1] >> 32; }

    // Adds a part of the name to one that has it, or is zero. Sums beyond `kBusyLimit` are not cut.
    void add(const NarrowPart& part) { words_ = part.words_ + (words_ & Words{~uint64_t{0}, ~uint64_t{UINT32_MAX}}); }

  private:
    // A type of GCC and Clang: two sums in one instruction.
    using Words = uint64_t __attribute__((vector_size(16)));

    Words words_;
};

// With counts of 64 bits, for rollups of more slices.
class WidePart {
  public:
    WidePart() = default;
    WidePart(int32_t name, int64_t busy, uint64_t count) : busy_(busy), count_(count), name_(name) {}

    int32_t name() const { return name_; }
    int64_t busy() const { return busy_; }
    uint64_t count() const { return count_; }

    void add(const WidePart& part) { *this = {part.name_, part.busy_ + busy_, part.count_ + count_}; }

  private:
    int64_t busy_;
    uint64_t count_;
    int32_t name_;
};

// The most busy time, then the most slices, then the lowest id. Slices without a name are those of tracks that only frame
// the others: they name nothing that has a name.
inline bool names_better(const Part& part, const Part& best) {
    if ((part.name < 0) != (best.name < 0)) return best.name < 0;
    return dominates(part, best);
}

}  // namespace tilescope
