// Items of a tile, read from the columns of its page in chunks: a tile of millions of slices takes no more memory than its bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "prove/container.hpp"

namespace tilescope {

// `read_items` writes the next items of columns into a vector, as many as it is long.
template <typename Item, std::size_t kColumns>
class ProveSeries {
  public:
    using Columns = std::array<ProveColumn, kColumns>;

    // The next `size` items of a page, whose columns go on after them. The page must outlive their use.
    void begin(Columns& columns, std::size_t size) {
        size_ = size;
        chunks_.clear();
        items_.clear();
        decoded_ = 0;
        for (std::size_t first = 0; first < size; first += kChunk) {
            if (size > kChunk) chunks_.push_back(columns);
            items_.resize(std::min(kChunk, size - first));
            read_items(columns, items_);
            decoded_ = first / kChunk;
        }
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    template <typename Visit>
    void each(Visit visit) const {
        for (std::size_t chunk = 0; chunk * kChunk < size_; ++chunk) {
            for (const Item& item : items_of(chunk)) visit(item);
        }
    }

    template <typename Visit>
    void each_from_last(Visit visit) const {
        for (std::size_t chunk = (size_ + kChunk - 1) / kChunk; chunk-- > 0;) {
            const std::vector<Item>& items = items_of(chunk);
            for (auto item = items.rbegin(); item != items.rend(); ++item) visit(*item);
        }
    }

    // Valid until another chunk is looked at.
    const Item& operator[](std::size_t k) const { return items_of(k / kChunk).at(k % kChunk); }

  private:
    static constexpr std::size_t kChunk = 4096;

    const std::vector<Item>& items_of(std::size_t chunk) const {
        if (chunk == decoded_) return items_;
        Columns columns = chunks_.at(chunk);
        items_.resize(std::min(kChunk, size_ - chunk * kChunk));
        read_items(columns, items_);
        decoded_ = chunk;
        return items_;
    }

    std::size_t size_ = 0;
    std::vector<Columns> chunks_;  // where each begins, if there are several
    mutable std::vector<Item> items_;
    mutable std::size_t decoded_ = 0;  // the chunk of which these are
};

}  // namespace tilescope
