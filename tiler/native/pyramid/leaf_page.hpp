// The slices in the leaves of a page, for those who read a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pages/container_reader.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

// A part of a leaf's time. A leaf may have several, which ascend and do not overlap.
struct LeafPart {
    std::size_t tile;  // position on the page
    int64_t index;     // what the tile there must be
    int64_t slot;
    int64_t first;
    int64_t stop;
};

// The name of a slice that is left out, as if it were not there.
constexpr int32_t kLeftOut = -4;

// Columns of the slices of a page, tile by tile: what is asked for is decoded, as tracks share their pages with others.
class LeafPage {
  public:
    // The page outlives it. Throws DamagedContainer where the page is not one of slices.
    explicit LeafPage(const ContainerReader& page);

    // Places of the slices of a tile among all of the page.
    struct Rows {
        std::size_t first;
        std::size_t count;
    };
    // Returns the rows of the tile that `part` is of. Throws DamagedContainer: it is another tile.
    Rows rows(const LeafPart& part) const;

    std::size_t slice_count() const { return ends_.empty() ? 0 : ends_.back(); }

    // Gives each slice of the page another name, or leaves it out. The names outlive this. Throws std::invalid_argument
    // unless there are as many.
    void rename(Span<const int32_t> names);

    // The slices of the tile that `part` is of, until others are asked for. Throws DamagedContainer: it is another
    // tile, or its slices are not in the order of time.
    SliceColumns slices(const LeafPart& part);

  private:
    SliceColumns without_those_left_out(const SliceColumns& all);

    const ContainerReader::Column* starts_ = nullptr;  // null: there are no slices
    const ContainerReader::Column* durations_ = nullptr;
    const ContainerReader::Column* names_ = nullptr;
    ContainerReader::Place start_place_;
    std::vector<int64_t> start_;  // of the tile that was asked for
    std::vector<int64_t> duration_;
    std::vector<int32_t> name_;
    std::vector<int64_t> wide_;
    Span<const int32_t> new_names_;  // of all slices
    bool is_renamed_ = false;
    std::vector<int64_t> kept_start_;
    std::vector<int64_t> kept_duration_;
    std::vector<int32_t> kept_name_;
    std::vector<std::size_t> ends_;
    std::vector<int64_t> index_;
    std::vector<int64_t> slot_;
};

}  // namespace tilescope
