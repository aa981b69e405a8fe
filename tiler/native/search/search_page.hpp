// The slices of the leaves of a page, as far as a search needs them.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Buffers that the columns of a page are decoded into: the same for one page after the other.
struct SearchRoom {
    std::vector<int64_t> index, slot, count, name, start, duration, row, ordinal, flags;
    std::vector<std::size_t> ends, chosen;
};

// Columns are decoded when they are asked for, as far as the leaves reach that are searched: most pages need only names. All
// throw DamagedContainer.
class SearchPage {
  public:
    // `data` outlives it, and so does `room`, which is of one page at a time. `leaves`: all that are searched on it.
    SearchPage(Span<const uint8_t> data, std::size_t max_rows, SearchRoom& room, Span<const SearchedLeaf> leaves);

    // The rows of a leaf's slices in the columns below.
    struct Rows {
        std::size_t first;
        std::size_t last;
    };
    Rows rows(const SearchedLeaf& leaf) const {
        const Rows rows_on_page = on_page(leaf);
        return {rows_on_page.first - first_, rows_on_page.last - first_};
    }

    // Room for rows of a leaf.
    std::vector<std::size_t>& chosen() { return room_.chosen; }

    Span<const int64_t> names() const { return room_.name; }
    Span<const int64_t> starts() { return column(ColumnId::start, room_.start, has_starts_); }
    Span<const int64_t> durations() { return column(ColumnId::duration, room_.duration, has_durations_); }
    Span<const int64_t> depths() { return column(ColumnId::row, room_.row, has_rows_); }
    Span<const int64_t> ordinals() { return column(ColumnId::ordinal, room_.ordinal, has_ordinals_); }
    Span<const int64_t> flags() { return column(ColumnId::slice_flags, room_.flags, has_flags_); }

    // Throws where the slices of a leaf are not in the order of time, or end beyond it.
    void check(Rows rows);

  private:
    Span<const int64_t> column(ColumnId id, std::vector<int64_t>& into, bool& is_there) const {
        if (!is_there) decode(id, slices_, {first_, last_}, into);
        is_there = true;
        return into;
    }
    Rows on_page(const SearchedLeaf& leaf) const;
    // Some values of a column, which has `n` of them.
    void decode(ColumnId id, std::size_t n, Rows rows, std::vector<int64_t>& into) const;

    ContainerReader page_;
    SearchRoom& room_;
    std::size_t slices_ = 0, first_ = 0, last_ = 0;  // on the page; the first of the leaves; behind the last
    bool has_starts_ = false, has_durations_ = false, has_rows_ = false, has_ordinals_ = false, has_flags_ = false;
};

}  // namespace tilescope
