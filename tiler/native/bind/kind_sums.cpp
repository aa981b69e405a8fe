// Binds sums of operations by kind, and of events by name.
#include "columns/kind_sums.hpp"
#include "columns/lone_spans.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/name_totals.hpp"
#include "pages/operation_record.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using Numbers = InColumn<std::int64_t>;
using Flags = InColumn<std::uint8_t>;

auto taken(WideSums& sums) { return std::make_pair(to_numpy(std::move(sums.low_)), to_numpy(std::move(sums.high_))); }

// Sums that also take whole records, all of them in the same room.
class RecordKindSums : public KindSums {
  public:
    using KindSums::KindSums;

    // Returns how many operations a record has, and of each of some columns whether it has it.
    nb::tuple add_record(const nb::bytes& data, std::uint32_t track, std::size_t most, std::int64_t first,
                         const Flags& columns) {
        std::vector<std::uint8_t> has;
        {
            const Unlocked unlocked;
            record_.read(bytes_of(view_of(data)), {track, kinds(), most}, span_of(columns));
            add_whole(record_.kind(), record_.parent(), record_.duration(), first);
            const Span<const std::int64_t> numbered = record_.numbered_operations();
            kind_.clear();
            for (const std::int64_t place : numbered) kind_.push_back(record_.kind()[static_cast<std::size_t>(place)]);
            const std::vector<std::uint8_t> all(numbered.size(), 1);
            for (std::size_t k = 0; k < columns.size(); ++k) {
                has.push_back(record_.numbers(k).empty() ? 0 : 1);
                if (has.back() != 0) add_number(k, kind_, record_.numbers(k), all);
            }
        }
        return nb::make_tuple(record_.size(), to_numpy(std::move(has)));
    }

  private:
    OperationRecord record_;
    std::vector<std::int64_t> kind_;  // of those that have any number
};

}  // namespace

void bind_kind_sums(nb::module_& m) {
    m.def(
        "count_kinds",
        [](const Numbers& kind, const WritableColumn<std::int64_t>& counts) {
            const Unlocked unlocked;
            count_kinds(span_of(kind), span_of(counts));
        },
        nb::arg("kind"), nb::arg("counts"), "Adds how often each kind occurs to its count. Raises ValueError.");
    nb::class_<RecordKindSums>(m, "KindSums",
                               "Sums of operations by kind. Sums are pairs: the low 64 bits, and the high ones.")
        .def(nb::init<std::size_t, std::size_t>(), nb::arg("kinds"), nb::arg("numbers"))
        .def(
            "add",
            [](RecordKindSums& self, const Numbers& kind, const Numbers& parent, const Numbers& duration,
               const Numbers& part, const Flags& starts, const Flags& begins, std::int64_t first) {
                const Unlocked unlocked;
                self.add(span_of(kind), span_of(parent), span_of(duration), span_of(part), span_of(starts),
                         span_of(begins), first);
            },
            nb::arg("kind"), nb::arg("parent"), nb::arg("duration"), nb::arg("part"), nb::arg("starts"),
            nb::arg("begins"), nb::arg("first"),
            "Adds operations from event `first` on: `part` of their duration lies in the windows; those that start\n"
            "there count, and occurrences begin with some of them.")
        .def(
            "add_number",
            [](RecordKindSums& self, std::size_t number, const Numbers& kind, const Numbers& value,
               const Flags& starts) {
                const Unlocked unlocked;
                self.add_number(number, span_of(kind), span_of(value), span_of(starts));
            },
            nb::arg("number"), nb::arg("kind"), nb::arg("value"), nb::arg("starts"),
            "Adds a number of operations, below 0 where they have none.")
        .def(
            "add_whole",
            [](RecordKindSums& self, const Numbers& kind, const Numbers& parent, const Numbers& duration,
               std::int64_t first) {
                const Unlocked unlocked;
                self.add_whole(span_of(kind), span_of(parent), span_of(duration), first);
            },
            nb::arg("kind"), nb::arg("parent"), nb::arg("duration"), nb::arg("first"),
            "Adds operations from event `first` on that lie in the windows as a whole; occurrences are not told.")
        .def(
            "add_growing",
            [](RecordKindSums& self, const Numbers& kind, const Numbers& parent, const Numbers& duration,
               std::int64_t first) {
                const Unlocked unlocked;
                std::int64_t last = -1;
                for (const Span<const std::int64_t> column : {span_of(kind), span_of(parent)})
                    for (const std::int64_t value : column) last = std::max(last, value);
                self.grow(static_cast<std::size_t>(last + 1));
                self.add_whole(span_of(kind), span_of(parent), span_of(duration), first);
            },
            nb::arg("kind"), nb::arg("parent"), nb::arg("duration"), nb::arg("first"),
            "The same of any kinds: there is room for them then.")
        .def("add_record", &RecordKindSums::add_record, nb::arg("data"), nb::arg("track"), nb::arg("most"),
             nb::arg("first"), nb::arg("columns"),
             nb::sig("def add_record(self, data: bytes, track: int, most: int, first: int, columns: "
                     "NDArray[numpy.uint8]) -> tuple[int, NDArray[numpy.uint8]]"),
             "Adds a record of operations from event `first` on, with its numbers of some columns, that lie in the\n"
             "windows as a whole; occurrences are not told. Returns how many operations there are, and which of these\n"
             "columns the record has. Raises DamagedContainer, and ValueError.")
        .def(
            "grow", [](RecordKindSums& self, std::size_t kinds) { self.grow(kinds); }, nb::arg("kinds"),
            "Makes room for so many kinds.")
        .def(
            "merge", [](RecordKindSums& self, const RecordKindSums& other) { self.merge(other); }, nb::arg("other"))
        .def(
            "number",
            [](RecordKindSums& self, std::size_t number) {
                WideSums& sums = self.numbers.at(number);
                sums.grow(self.kinds());
                return taken(sums);
            },
            nb::arg("number"), "Returns the sums of a number. They are not kept.")
        .def(
            "take",
            [](RecordKindSums& self) {
                KindSums::Columns columns = self.columns();
                static_cast<KindSums&>(self) = KindSums(0, self.numbers.size());
                return nb::make_tuple(to_numpy(std::move(columns.count)), to_numpy(std::move(columns.empty)),
                                      to_numpy(std::move(columns.occurrences)), to_numpy(std::move(columns.longest)),
                                      to_numpy(std::move(columns.longest_at)),
                                      to_numpy(std::move(columns.shortest_lasting)), nb::cast(taken(columns.total)),
                                      nb::cast(taken(columns.inner)));
            },
            nb::sig("def take(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], "
                    "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], "
                    "tuple[NDArray[numpy.uint64], NDArray[numpy.uint64]], "
                    "tuple[NDArray[numpy.uint64], NDArray[numpy.uint64]]]"),
            "Returns of each kind how many operations there are, how many take no time, and occurrences; the longest,\n"
            "which event it is, and the shortest that takes time, -1 without one; the time of all, and of those in "
            "them.\n"
            "No kinds are left.");
    nb::class_<LoneSpans>(m, "LoneSpans", "Which kinds of events never share time with others of their track.")
        .def(nb::init<>())
        .def(
            "add",
            [](LoneSpans& self, const Numbers& kind, const Numbers& start, const Numbers& length) {
                const Unlocked unlocked;
                self.add(span_of(kind), span_of(start), span_of(length));
            },
            nb::arg("kind"), nb::arg("start"), nb::arg("length"),
            "Adds events, in the order of their starts; lengths below 0 are none.")
        .def("ticks", &LoneSpans::ticks, "Returns in how many ticks any runs.")
        .def(
            "alone", [](const LoneSpans& self, std::size_t kinds) { return to_numpy(self.alone(kinds)); },
            nb::arg("kinds"), "Returns of so many kinds 1 for those that never share time.");
    nb::class_<NameTotals>(m, "NameTotals", "How long the events of each name take together.")
        .def(nb::init<>())
        .def(
            "add",
            [](NameTotals& self, const InColumn<std::int32_t>& name, const Numbers& duration) {
                const Unlocked unlocked;
                self.add(span_of(name), span_of(duration));
            },
            nb::arg("name"), nb::arg("duration"),
            "Adds events, -1 where they have no name: those do not count. From any thread.")
        .def(
            "halves",
            [](const NameTotals& self, std::size_t names) {
                NameTotals::Halves totals = self.halves(names);
                return std::make_pair(to_numpy(std::move(totals.low)), to_numpy(std::move(totals.high)));
            },
            nb::arg("names"), "Returns the low 32 bits of the total of each name that has events, and what is above.");
}

}  // namespace tilescope
