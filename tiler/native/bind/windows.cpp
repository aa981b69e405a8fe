// Binds sets of ticks.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/divided_time.hpp"
#include "columns/windows.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using InTicks = InColumn<int64_t>;
using OutSpans = std::tuple<OutColumn<int64_t>, OutColumn<int64_t>>;

template <typename Make>
OutSpans unlocked(Make make) {
    TickSpans spans;
    {
        const Unlocked unlocked;
        spans = make();
    }
    return {to_numpy(std::move(spans.start)), to_numpy(std::move(spans.stop))};
}

}  // namespace

void bind_windows(nb::module_& m) {
    m.def(
        "tick_spans",
        [](const InTicks& start, const InTicks& stop, int64_t limit) {
            const Span<const int64_t> starts = span_of(start), stops = span_of(stop);
            return unlocked([&] { return tick_spans(starts, stops, limit); });
        },
        nb::arg("start"), nb::arg("stop"), nb::arg("limit"),
        "Returns the ticks from 0 to a limit that lie in any of some spans, as spans that ascend and do not touch.");
    m.def(
        "joined_spans",
        [](const InTicks& start, const InTicks& stop, const InTicks& other_start, const InTicks& other_stop) {
            const TickSpansView a{span_of(start), span_of(stop)}, b{span_of(other_start), span_of(other_stop)};
            return unlocked([&] { return joined_spans(a, b); });
        },
        nb::arg("start"), nb::arg("stop"), nb::arg("other_start"), nb::arg("other_stop"),
        "Returns the ticks that lie in one of two sets of such spans.");
    m.def(
        "spans_without",
        [](const InTicks& start, const InTicks& stop, const InTicks& other_start, const InTicks& other_stop) {
            const TickSpansView a{span_of(start), span_of(stop)}, b{span_of(other_start), span_of(other_stop)};
            return unlocked([&] { return spans_without(a, b); });
        },
        nb::arg("start"), nb::arg("stop"), nb::arg("other_start"), nb::arg("other_stop"),
        "Returns the ticks that lie in the first of two sets of such spans, and not in the second.");
    m.def(
        "divided_time",
        [](const InTicks& start, const InTicks& stop, const std::vector<std::tuple<InTicks, InTicks>>& sets,
           const std::vector<size_t>& part_of_set, size_t parts, size_t counted) {
            const TickSpansView stretches{span_of(start), span_of(stop)};
            if (part_of_set.size() != sets.size()) throw std::invalid_argument("each set needs its part");
            std::vector<PartSet> views;
            views.reserve(sets.size());
            for (size_t k = 0; k < sets.size(); ++k) {
                const auto& [first, last] = sets[k];
                views.push_back({{span_of(first), span_of(last)}, part_of_set[k]});
            }
            DividedTime divided;
            {
                const Unlocked unlocked;
                divided = divided_time(stretches, views, parts, counted);
            }
            std::vector<OutSpans> spans;
            spans.reserve(divided.spans.size());
            for (TickSpans& part : divided.spans) {
                spans.emplace_back(to_numpy(std::move(part.start)), to_numpy(std::move(part.stop)));
            }
            return std::make_tuple(to_numpy(std::move(divided.ticks)), std::move(spans));
        },
        nb::arg("start"), nb::arg("stop"), nb::arg("sets"), nb::arg("part_of_set"), nb::arg("parts"),
        nb::arg("counted"),
        "Returns how stretches of time that ascend are divided among sets of such spans: each tick is of the part of\n"
        "the first set that has it. The ticks of each stretch, part by part, and spans: of the parts from `counted`\n"
        "on, and at last of those that no set has.");
}

}  // namespace tilescope
