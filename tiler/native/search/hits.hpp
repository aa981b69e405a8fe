// Slices that a search finds in leaves: some names, lengths and windows of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "search/search_page.hpp"

namespace tilescope {

// The names, durations and windows that are searched for. Windows ascend and do not touch.
struct HitFilter {
    std::vector<uint8_t> names;  // by name id, shifted by one: events without a name are the first
    int64_t shortest;
    int64_t longest;
    std::vector<int64_t> starts, stops;  // of the windows
    bool reaching;                       // also what starts before a window and reaches into it
};

// Hits as columns, leaf by leaf, within one in the order of their ordinals.
struct HitRows {
    std::vector<int64_t> tag, ordinal, start, duration, row, name, flags;

    void add(const HitFilter& filter, SearchPage& page, Span<const SearchedLeaf> leaves);
};

// Bins of equal width (4^level ticks) on some lanes: how many hits start in each, and how long hits are busy in it.
class HitBins {
  public:
    // A sum of ticks stops at 2^62. `lanes` times `bins` is what it takes. With `by_row` each row of a track has a lane.
    HitBins(int level, int64_t first_bin, std::size_t bins, std::size_t lanes, bool by_row);

    // The tag of a leaf is the lane of its track here, or that of the track's first row.
    void add(const HitFilter& filter, SearchPage& page, Span<const SearchedLeaf> leaves);

    // Adds hits that were found in another way. Throws std::invalid_argument for a lane that there is not.
    void add(Span<const int64_t> lane, Span<const int64_t> start, Span<const int64_t> end);

    // Adds what another has counted. Throws std::invalid_argument where that is of other bins.
    void add(const HitBins& other);

    // The sums of all bins with something in them, by lane, then by bin.
    struct Sums {
        std::vector<int64_t> lane, bin, count, busy;
    };
    Sums sums() const;

  private:
    void put(std::size_t lane, int64_t start, int64_t end);

    int level_;
    int64_t first_bin_;
    std::size_t bins_, lanes_;
    bool by_row_;
    std::vector<int64_t> count_, part_, whole_;  // whole_: by how many the bins that are busy as a whole change
};

}  // namespace tilescope
