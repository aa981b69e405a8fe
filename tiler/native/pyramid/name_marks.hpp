// Marks of the names that a tile has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

// Numbers below so many, each once. Memory: six bytes for each number that there could be.
class NameMarks {
  public:
    explicit NameMarks(std::size_t names) : is_marked_(names, 0), marked_(names + 1) {}

    // Without a branch: it is about as often the one as the other.
    void mark(uint32_t number) {
        marked_[size_] = number;
        size_ += is_marked_[number] ^ 1U;
        is_marked_[number] = 1;
    }

    std::size_t size() const { return size_; }

    void clear() {
        for (std::size_t k = 0; k < size_; ++k) is_marked_[marked_[k]] = 0;
        size_ = 0;
    }

    // The other one is empty then.
    void take_from(NameMarks& other) {
        if (size_ == 0) {
            std::swap(is_marked_, other.is_marked_);
            std::swap(marked_, other.marked_);
            std::swap(size_, other.size_);
            return;
        }
        for (std::size_t k = 0; k < other.size_; ++k) mark(other.marked_[k]);
        other.clear();
    }

  private:
    std::vector<uint16_t>
        is_marked_;  // by number; no bytes: what is written to these might be anything, for the compiler
    std::vector<uint32_t> marked_;    // and room for one that may be marked already
    std::size_t size_ = 0;
};

}  // namespace tilescope
