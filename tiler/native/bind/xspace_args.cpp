// Binds the search for numbers of steps and launches among the arguments of XSpace events.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "xspace/args.hpp"
#include "xspace/correlation.hpp"
#include "xspace/operation_args.hpp"
#include "xspace/own_texts.hpp"
#include "xspace/wire.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Returns the integer that a stat has among the arguments of each of some rows.
auto integer_stats(const InColumn<std::int64_t>& args_end, const InColumn<std::uint8_t>& args,
                   const InColumn<std::int64_t>& rows, std::vector<std::int64_t> ids, std::int64_t absent) {
    std::vector<std::int64_t> integers;
    {
        nb::gil_scoped_release release;
        std::sort(ids.begin(), ids.end());
        integers.reserve(rows.size());
        const Span<const std::int64_t> ends = span_of(args_end);
        for (const std::int64_t row : span_of(rows)) {
            if (row < 0 || static_cast<std::uint64_t>(row) >= ends.size())
                throw std::invalid_argument("there is no such row");
            const auto index = static_cast<std::size_t>(row);
            const std::int64_t begin = index == 0 ? 0 : ends[index - 1];
            const std::int64_t end = ends[index];
            if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > args.size())
                throw std::invalid_argument("arguments lie beyond the data");
            const wire::Source source =
                span_of(args).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
            integers.push_back(xspace::integer_stat(source, ids, absent));
        }
    }
    return to_numpy(std::move(integers));
}

auto correlation_keys_of(const InColumn<std::int64_t>& args_end, const InColumn<std::uint8_t>& args, std::size_t first,
                         std::size_t stop, std::vector<std::int64_t> ids, bool is_on_device) {
    Column<std::int64_t> keys;
    {
        nb::gil_scoped_release release;
        keys = xspace::correlation_keys(span_of(args_end), span_of(args), first, stop, {std::move(ids), is_on_device});
    }
    return to_numpy(keys);
}

auto whole_args(const InColumn<std::int64_t>& left_end, const InColumn<std::uint8_t>& left,
                const InColumn<std::uint8_t>& taken, const InColumn<std::int64_t>& duration) {
    xspace::ArgsColumn whole;
    {
        nb::gil_scoped_release release;
        whole = xspace::whole_args(span_of(left_end), span_of(left), span_of(taken), span_of(duration));
    }
    return std::make_tuple(to_numpy(std::move(whole.ends)), to_numpy(std::move(whole.args)));
}

auto own_texts_of(const InColumn<std::int64_t>& args_end, const InColumn<std::uint8_t>& args, std::size_t first,
                  std::size_t stop) {
    xspace::OwnTexts own;
    {
        nb::gil_scoped_release release;
        own = xspace::own_texts(span_of(args_end), span_of(args), first, stop);
    }
    std::vector<nb::bytes> texts;
    texts.reserve(own.texts.size());
    for (std::size_t k = 0; k < own.texts.size(); ++k)
        texts.push_back(to_bytes(own.texts.at(static_cast<std::int32_t>(k))));
    return std::make_tuple(own.ids, std::move(texts), own.counts, own.is_whole);
}

}  // namespace

void bind_xspace_args(nb::module_& m) {
    m.def("integer_stats", &integer_stats, nb::arg("args_end"), nb::arg("args"), nb::arg("rows"), nb::arg("ids"),
          nb::arg("absent"),
          "Returns of some rows the integer that a stat with one of these ids has among the arguments, or `absent`.");
    m.def("correlation_keys", &correlation_keys_of, nb::arg("args_end"), nb::arg("args"), nb::arg("first"),
          nb::arg("stop"), nb::arg("ids"), nb::arg("is_on_device"),
          "Returns the keys of events [first, stop) by their correlation, the stat of one of these ids: -1 for none.\n"
          "Raises ValueError.");
    m.def(
        "own_texts", &own_texts_of, nb::arg("args_end"), nb::arg("args"), nb::arg("first"), nb::arg("stop"),
        "Returns the ids of stats that events [first, stop) have themselves; those of their stats that are texts, as\n"
        "they lie there, each combination once, and how many events have it; and whether that is all: false for\n"
        "damaged arguments and for too many different texts. Raises ValueError.");
    m.def("whole_args", &whole_args, nb::arg("left_end"), nb::arg("left"), nb::arg("taken"), nb::arg("duration"),
          "Returns ends and bytes of what `Operations.add_with_chunks` took apart. Raises ValueError.");
}

}  // namespace tilescope
