// The slices of the leaves of a page, as far as a search needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/span.hpp"
#include "pages/container.hpp"
#include "pages/container_reader.hpp"

namespace tilescope {

// A leaf that is searched. What reaches into it counts when it starts at `after` or later.
struct SearchedLeaf {
    std::size_t tile;  // position on the page
    int64_t index;     // what the tile there must be
    int64_t slot;
    int64_t first;  // first tick
    int64_t after;
    int64_t tag;  // what the caller knows it by
};

// Columns are decoded when they are asked for: most pages need only names. All throw DamagedContainer.
class SearchPage {
  public:
    // `data` outlives it.
    SearchPage(Span<const uint8_t> data, std::size_t max_rows);

    // Where the slices of a leaf begin and end.
    struct Rows {
        std::size_t first;
        std::size_t last;
    };
    Rows rows(const SearchedLeaf& leaf) const;

    const std::vector<int64_t>& names() const { return name_; }
    const std::vector<int64_t>& starts();
    const std::vector<int64_t>& durations();
    const std::vector<int64_t>& column(ColumnId id, std::optional<std::vector<int64_t>>& kept) const;
    const std::vector<int64_t>& depths() { return column(ColumnId::row, row_); }
    const std::vector<int64_t>& ordinals() { return column(ColumnId::ordinal, ordinal_); }
    const std::vector<int64_t>& flags() { return column(ColumnId::slice_flags, flags_); }

    // Throws where the slices of a leaf are not in the order of time, or end beyond it.
    void check(Rows rows);

  private:
    std::vector<int64_t> values(ColumnId id, std::size_t n) const;

    ContainerReader page_;
    std::vector<int64_t> index_, slot_, name_;
    std::vector<std::size_t> ends_;
    std::optional<std::vector<int64_t>> start_, duration_, row_, ordinal_, flags_;
};

}  // namespace tilescope
