// Sums per name of parts of leaves: what is read of a store where the borders of a span cut tiles.
#pragma once

#include <vector>

#include "pages/container_reader.hpp"
#include "pyramid/histogram.hpp"
#include "pyramid/leaf_page.hpp"

namespace tilescope {

// Parts are summed up page by page.
class LeafSums {
  public:
    // `parts`: by tile, and by time within one. Throws DamagedContainer where the page is not one of slices.
    void add(const ContainerReader& page, const std::vector<LeafPart>& parts);

    // By name, in no order.
    const std::vector<NameSum>& sums() const { return sums_.sums(); }
    void clear() { sums_.clear(); }

  private:
    NameSums sums_;
    NameSums unasked_;  // of what lies between the parts
};

}  // namespace tilescope
