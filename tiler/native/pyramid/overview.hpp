// How busy a track is over the whole run, in bins of one level: its part of the overview layer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/counted.hpp"
#include "pyramid/slice_track.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

struct OverviewBin {
    int64_t bin;  // counted from tick 0
    int32_t name;  // the dominant one
    uint8_t utilisation;  // 1 to 255
};

// The part of 255 that is busy, rounded up; at least 1, so that nothing is invisible.
uint8_t utilisation(int64_t busy, int64_t lanes, int64_t width);

// Of each bin in which a slice lies: the row with the most busy time (of equal ones the lowest), and its dominant name.
// Slices are in canonical order. Where rows are many, what they take comes from `budget`: ShortOfBudget.
std::vector<OverviewBin> overview_of(const SliceColumns& slices, int level, MemoryBudget* budget = nullptr);

}  // namespace tilescope
