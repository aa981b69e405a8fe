// Sums per name of a tile, part by part.
#pragma once

#include <cstddef>
#include <vector>

#include "pyramid/name_rows.hpp"
#include "pyramid/slice_sums.hpp"

namespace tilescope {

class NameTally {
  public:
    // Takes `slices`, in which slices are summed up while they come: it must stay where it is.
    explicit NameTally(SliceSums& slices) : slices_(&slices) {}

    // The slices that came last are of this tile.
    void close();
    // The other one is empty then.
    void take_from(NameTally& other);
    // All of it, which stays as it is.
    const NameRows& sums();

  private:
    void merge_parts();

    SliceSums* slices_;
    std::vector<NameRows> parts_;
};

}  // namespace tilescope
