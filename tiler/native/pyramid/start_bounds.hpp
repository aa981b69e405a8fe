// Bounds of the slices that start in stretches of time, put together from parts of leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/span.hpp"
#include "pages/container_reader.hpp"
#include "pyramid/leaf_page.hpp"

namespace tilescope {

// A value for each stretch; -1 where no slice starts.
struct Bounds {
    std::vector<int64_t> first;  // start of the first slice
    std::vector<int64_t> last;   // start of the last
    std::vector<int64_t> stop;   // greatest end of all
};

class StartBounds {
  public:
    // `kinds`: of each name, the one without a name first, 0 if its slices do not matter. `borders`: of the stretches,
    // ascending, each begins where the one before ends. Throws std::invalid_argument where they do not ascend.
    StartBounds(std::vector<uint8_t> kinds, std::vector<int64_t> borders);

    // Adds all slices of the leaves, those that reach into them, too: it does not matter if a slice is added twice.
    // `names`: as LeafSpans takes them. Throws DamagedContainer where the page is not one of slices.
    void add(const ContainerReader& page, const std::vector<LeafPart>& parts,
             std::optional<Span<const int32_t>> names = std::nullopt);

    const Bounds& bounds() const { return bounds_; }

  private:
    std::vector<uint8_t> kinds_;
    std::vector<int64_t> borders_;
    Bounds bounds_;
};

}  // namespace tilescope
