// Binds what is looked for in stats of an XSpace: numbers of steps and launches among those of events, and texts.
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
#include "bind/unlocked.hpp"
#include "columns/intern.hpp"
#include "xspace/args.hpp"
#include "xspace/correlation.hpp"
#include "xspace/operation_args.hpp"
#include "xspace/own_texts.hpp"
#include "xspace/shared_texts.hpp"
#include "xspace/wire.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Returns the integer that a stat has among the arguments of each of some rows.
auto integer_stats(const InColumn<std::int64_t>& args_end, const InColumn<std::uint8_t>& args,
                   const InColumn<std::int64_t>& rows, std::vector<std::int64_t> ids, std::int64_t absent) {
    std::vector<std::int64_t> integers;
    {
        const Unlocked unlocked;
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
        const Unlocked unlocked;
        keys = xspace::correlation_keys(span_of(args_end), span_of(args), first, stop, {std::move(ids), is_on_device});
    }
    return to_numpy(keys);
}

auto whole_args(const InColumn<std::int64_t>& left_end, const InColumn<std::uint8_t>& left,
                const InColumn<std::uint8_t>& taken, const InColumn<std::int64_t>& duration) {
    xspace::ArgsColumn whole;
    {
        const Unlocked unlocked;
        whole = xspace::whole_args(span_of(left_end), span_of(left), span_of(taken), span_of(duration));
    }
    return std::make_tuple(to_numpy(std::move(whole.ends)), to_numpy(std::move(whole.args)));
}

struct BoundOwnTextMaker {
    InColumn<std::int32_t> slots;  // the maker looks at them
    xspace::OwnTextMaker maker;
};

auto finished_texts(BoundOwnTextMaker& self) {
    xspace::OwnTexts& made = self.maker.finish();
    return std::make_tuple(made.is_readable, made.ids, to_list(made.texts.texts()),
                           to_numpy(std::move(made.texts.sizes())), to_numpy(std::move(made.texts.places())),
                           to_numpy(std::move(made.texts.counts())), to_numpy(std::move(made.slots)),
                           to_numpy(std::move(made.events)));
}

nb::bytes text_at(const xspace::SharedTexts& self, std::size_t number) {
    if (number >= self.texts().size()) throw nb::index_error("there is no such text");
    return to_bytes(self.texts().at(static_cast<std::int32_t>(number)));
}

auto shared_stats(xspace::SharedTexts& texts, const InColumn<std::int64_t>& ends, const InColumn<std::uint8_t>& data,
                  const InColumn<std::int64_t>& entries) {
    xspace::SharedStats stats;
    {
        const Unlocked unlocked;
        const Span<const std::int64_t> entry_ends = span_of(ends);
        for (const std::int64_t entry : span_of(entries)) {
            if (entry < 0 || static_cast<std::uint64_t>(entry) >= entry_ends.size())
                throw std::invalid_argument("there is no such entry");
            const auto place = static_cast<std::size_t>(entry);
            const std::int64_t begin = place == 0 ? 0 : entry_ends[place - 1];
            if (begin < 0 || entry_ends[place] < begin || static_cast<std::uint64_t>(entry_ends[place]) > data.size())
                throw std::invalid_argument("stats lie beyond the data");
            texts.add(entry,
                      span_of(data).subspan(static_cast<std::size_t>(begin),
                                            static_cast<std::size_t>(entry_ends[place] - begin)),
                      stats);
        }
    }
    return std::make_tuple(to_numpy(std::move(stats.entry)), to_numpy(std::move(stats.id)),
                           to_numpy(std::move(stats.text)), to_numpy(std::move(stats.reference)),
                           to_numpy(std::move(stats.strange)));
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
    nb::class_<BoundOwnTextMaker>(m, "OwnTextMaker",
                                  "Counts how many events of a track have the same texts among stats of their own.")
        .def(
            "__init__",
            [](BoundOwnTextMaker* self, std::int64_t first_number, const InColumn<std::int32_t>& slots,
               std::size_t part_events) {
                new (self) BoundOwnTextMaker{slots, {first_number, span_of(slots), part_events}};
            },
            nb::arg("first_number"), nb::arg("slots"), nb::arg("part_events"),
            "Events with metadata `first_number + k` are counted under slots[k], unless that is -1. Raises ValueError\n"
            "for parts without events.")
        .def(
            "add",
            [](BoundOwnTextMaker& self, const InColumn<std::int64_t>& args_end, std::int64_t begin,
               const InColumn<std::uint8_t>& args) {
                const Unlocked unlocked;
                self.maker.add(span_of(args_end), begin, span_of(args));
            },
            nb::arg("args_end"), nb::arg("begin"), nb::arg("args"),
            "Adds the next events: those of event k are args[args_end[k-1]:args_end[k]], from `begin` on. Raises\n"
            "ValueError.")
        .def(
            "finish", &finished_texts,
            "Returns whether arguments are readable: without that all else is empty; ids of stats that events have\n"
            "themselves; texts, the `stats` fields of an event that are texts or references; by part of the track how\n"
            "many of them its events have, -1 too many; part by part which, and how many events have each; slots of\n"
            "metadata that events have, ascending, and how many events have each. To be asked once, at the end.");
    nb::class_<xspace::SharedTexts>(m, "SharedTexts", "Texts that stats of metadata say.")
        .def(nb::init<>())
        .def("add", &shared_stats, nb::arg("ends"), nb::arg("data"), nb::arg("entries"),
             "Returns of some entries all stats that are texts or references: entry, id, number of the text, -1 of a\n"
             "reference, and that; and the entries that have to be read with more care. Raises ValueError.")
        .def(
            "__len__", [](const xspace::SharedTexts& self) { return self.texts().size(); }, "How many texts there are.")
        .def("__getitem__", &text_at, nb::arg("number"), "The text of a number. Raises IndexError.");
    m.def("whole_args", &whole_args, nb::arg("left_end"), nb::arg("left"), nb::arg("taken"), nb::arg("duration"),
          "Returns ends and bytes of what `Operations.add_with_chunks` took apart. Raises ValueError.");
}

}  // namespace tilescope
