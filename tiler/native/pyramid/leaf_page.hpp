// The slices in the leaves of a page, for those who read a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pages/container_reader.hpp"

namespace tilescope {

// A part of a leaf's time. A leaf may have several, which ascend and do not overlap.
struct LeafPart {
    std::size_t tile;  // position on the page
    int64_t index;     // what the tile there must be
    int64_t slot;
    int64_t first;
    int64_t stop;
};

// Columns of all slices of a page, tile by tile.
struct LeafPage {
    // Throws DamagedContainer where the page is not one of slices.
    explicit LeafPage(const ContainerReader& page);

    struct Rows {
        std::size_t from;
        std::size_t stop;
    };
    // Which rows are those of the tile that `part` is of. Throws DamagedContainer: it is another tile, or its slices are
    // not in the order of time.
    Rows rows(const LeafPart& part) const;

    std::vector<int64_t> start;
    std::vector<int64_t> duration;
    std::vector<int32_t> name;

  private:
    std::vector<std::size_t> ends_;
    std::vector<int64_t> index_;
    std::vector<int64_t> slot_;
};

}  // namespace tilescope
