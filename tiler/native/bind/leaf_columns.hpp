// Leaves that Python names as columns, and the pages that they lie on.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/span.hpp"
#include "bind/arrays.hpp"
#include "search/search_page.hpp"

namespace tilescope {

using InInts = InColumn<int64_t>;
using OutInts = OutColumn<int64_t>;

// Leaves of some pages, in any order of these.
struct LeafColumns {
    const InInts &page, &tile, &index, &slot, &first, &after, &tag;

    std::vector<SearchedLeaf> rows(std::size_t pages) const {
        std::vector<SearchedLeaf> leaves(same_size(page, tile, index, slot, first, after, tag));
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            if (tile.data()[k] < 0) throw std::invalid_argument("no such tile");
            const int64_t on = page.data()[k];
            if (on < 0 || static_cast<std::size_t>(on) >= pages) throw std::invalid_argument("no such page");
            leaves[k] = {static_cast<std::size_t>(tile.data()[k]),
                         index.data()[k],
                         slot.data()[k],
                         first.data()[k],
                         after.data()[k],
                         tag.data()[k]};
        }
        return leaves;
    }

    // Position behind the last of the leaves that follow this one and are of the same page.
    std::size_t end_of_page(std::size_t k) const {
        std::size_t end = k + 1;
        while (end < page.size() && page.data()[end] == page.data()[k]) ++end;
        return end;
    }
};

// Throws std::invalid_argument for windows that do not ascend, are empty, or begin before tick 0.
inline void check_windows(const InInts& starts, const InInts& stops) {
    int64_t end = 0;
    for (std::size_t k = 0; k < same_size(starts, stops); ++k) {
        if (starts.data()[k] < end || starts.data()[k] >= stops.data()[k]) {
            throw std::invalid_argument("windows are not in order");
        }
        end = stops.data()[k];
    }
}

// The bytes of pages, which Python keeps.
inline std::vector<Span<const uint8_t>> contents_of(const std::vector<nanobind::bytes>& pages) {
    std::vector<Span<const uint8_t>> contents;
    contents.reserve(pages.size());
    for (const nanobind::bytes& page : pages) {
        contents.emplace_back(static_cast<const uint8_t*>(page.data()), page.size());
    }
    return contents;
}

}  // namespace tilescope
