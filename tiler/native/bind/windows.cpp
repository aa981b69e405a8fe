// Binds sets of ticks.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
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
        nb::gil_scoped_release release;
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
        "divided_spans",
        [](const InTicks& start, const InTicks& stop, const std::vector<std::tuple<InTicks, InTicks>>& sets) {
            const TickSpansView all{span_of(start), span_of(stop)};
            std::vector<TickSpansView> views;
            views.reserve(sets.size());
            for (const auto& [first, last] : sets) views.push_back({span_of(first), span_of(last)});
            std::vector<TickSpans> divided;
            {
                nb::gil_scoped_release release;
                divided = divided_spans(all, views);
            }
            std::vector<OutSpans> spans;
            spans.reserve(divided.size());
            for (TickSpans& part : divided) {
                spans.emplace_back(to_numpy(std::move(part.start)), to_numpy(std::move(part.stop)));
            }
            return spans;
        },
        nb::arg("start"), nb::arg("stop"), nb::arg("sets"),
        "Returns how some ticks are divided among sets of such spans: each is of the first set that has it. The last\n"
        "of what is returned are those that none has.");
}

}  // namespace tilescope
