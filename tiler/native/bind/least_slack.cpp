// Binds the slack of the nodes of a graph.
#include "columns/least_slack.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"

namespace nb = nanobind;

namespace tilescope {

void bind_least_slack(nb::module_& m) {
    m.def(
        "least_slack",
        [](const InColumn<int64_t>& source, const InColumn<int64_t>& target, const InColumn<int64_t>& wait,
           size_t nodes) {
            const Span<const int64_t> sources = span_of(source), targets = span_of(target), waits = span_of(wait);
            std::vector<int64_t> slack;
            {
                const Unlocked unlocked;
                slack = least_slack(sources, targets, waits, nodes);
            }
            return to_numpy(std::move(slack));
        },
        nb::arg("source"), nb::arg("target"), nb::arg("wait"), nb::arg("nodes"),
        "Returns the least sum of waits on any way from each node of a graph to its last node; 2**63 - 1: there is "
        "none.\n"
        "Edges come by their sources, ascending, and lead to later nodes. Raises ValueError for others.");
}

}  // namespace tilescope
