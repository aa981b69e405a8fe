// Spans of time in which slices of some kinds run, put together from parts of leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/span.hpp"
#include "pages/container_reader.hpp"
#include "pyramid/leaf_page.hpp"

namespace tilescope {

// The ticks [start[k], stop[k]).
struct Spans {
    std::vector<int64_t> start;
    std::vector<int64_t> stop;
};

class LeafSpans {
  public:
    static constexpr uint8_t kKinds = 16;

    // `kinds`: of each name, the one without a name first, which kind it is, below kKinds. 0: it does not matter.
    explicit LeafSpans(std::vector<uint8_t> kinds) : kinds_(std::move(kinds)), spans_(kKinds) {}

    // `parts`: by tile, and by time within one. `names`: other names for all slices of the page, kLeftOut for those that do not
    // count. Throws DamagedContainer where the page is not one of slices.
    void add(const ContainerReader& page, const std::vector<LeafPart>& parts,
             std::optional<Span<const int32_t>> names = std::nullopt);

    // Adds parts of several pages, leaf by leaf in the order of time. `parts_of_page`: how many parts are of each page.
    void add(const std::vector<ContainerReader>& pages, const std::vector<LeafPart>& parts,
             const std::vector<std::size_t>& parts_of_page);

    // The place of the page that was read last of those that are added together: the damaged one, if there is one.
    std::size_t page() const { return page_; }

    // By kind: in no order, and they may overlap where they are of different leaves.
    std::vector<Spans> take();

  private:
    void add_leaf(LeafPage& leaves, Span<const LeafPart> parts);

    std::vector<uint8_t> kinds_;
    std::vector<Spans> spans_;
    std::size_t page_ = 0;
    std::size_t room_ = 0;  // slices of the leaves that are added together, as a rule one span each
};

}  // namespace tilescope
