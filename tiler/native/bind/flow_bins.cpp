// Binds the tiles of flow ends.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/flow_bins.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using Columns = std::vector<OutColumn<std::int64_t>>;

// The tiler, with its columns.
class BoundFlowTiler {
  public:
    BoundFlowTiler(int root_level, InColumn<std::int64_t> tick, InColumn<std::int8_t> incoming,
                   InColumn<std::int32_t> partner, InColumn<std::int64_t> flow_tick, std::size_t most_flows,
                   std::size_t most_ends, std::size_t edges_per_tile)
        : tick_(std::move(tick)),
          incoming_(std::move(incoming)),
          partner_(std::move(partner)),
          flow_tick_(std::move(flow_tick)),
          tiler_({span_of(tick_), span_of(incoming_), span_of(partner_), span_of(flow_tick_)}, root_level,
                 {most_flows, most_ends, edges_per_tile}) {}

    std::optional<std::vector<std::tuple<int, Columns>>> read(std::size_t most_ends) {
        std::vector<FlowBins> levels;
        {
            const Unlocked unlocked;
            if (!tiler_.read(most_ends, levels)) levels.clear();
        }
        if (levels.empty()) return std::nullopt;
        std::vector<std::tuple<int, Columns>> tiles;
        for (std::size_t level = levels.size(); level-- > 0;) {
            if (!levels[level].index.empty()) tiles.emplace_back(static_cast<int>(level), columns(levels[level]));
        }
        return tiles;
    }

  private:
    static Columns columns(FlowBins& tiles) {
        Columns out;
        for (auto* column : {&tiles.index, &tiles.n_bins, &tiles.n_edges, &tiles.bin, &tiles.out, &tiles.into,
                             &tiles.edge_bin, &tiles.edge_incoming, &tiles.edge_partner, &tiles.edge_count})
            out.push_back(to_numpy(std::move(*column)));
        return out;
    }

    InColumn<std::int64_t> tick_;
    InColumn<std::int8_t> incoming_;
    InColumn<std::int32_t> partner_;
    InColumn<std::int64_t> flow_tick_;
    FlowTiler tiler_;
};

}  // namespace

void bind_flow_bins(nb::module_& m) {
    nb::class_<BoundFlowTiler>(m, "FlowTiler", "Makes the flow tiles of a track, of ends whose ticks ascend.")
        .def(nb::init<int, InColumn<std::int64_t>, InColumn<std::int8_t>, InColumn<std::int32_t>,
                      InColumn<std::int64_t>, std::size_t, std::size_t, std::size_t>(),
             nb::arg("root_level"), nb::arg("tick"), nb::arg("incoming"), nb::arg("partner"), nb::arg("flow_tick"),
             nb::arg("most_flows"), nb::arg("most_ends"), nb::arg("edges_per_tile"),
             "`incoming` and `partner`: of all ends, or one value that all have. `flow_tick`: of those that are flows\n"
             "of the file. A tile with more than `most_flows` of these, or\n"
             "`most_ends` of all, has tiles below. Raises ValueError for what are no such ends.")
        .def("read", &BoundFlowTiler::read, nb::arg("most_ends"),
             "Returns the tiles that are complete after so many more ends, rounded up to a tile: by level, from the\n"
             "root down, the columns of FlowTiles, in their order. None: there are no more ends.");
}

}  // namespace tilescope
