// Binds sums of the time of operations by part, straight from their records.
#include "columns/part_sums.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/window_counts.hpp"
#include "pages/operation_record.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using Ordinals = InColumn<std::int64_t>;

std::vector<std::uint8_t> copied(const InColumn<std::uint8_t>& column) {
    const Span<const std::uint8_t> all = span_of(column);
    return {all.begin(), all.end()};
}

// Columns of some operations of a record: kind, parent, duration, and the number, -1 without one.
struct LeftOut {
    std::vector<std::int64_t> kind, parent, duration, number;

    void add(const OperationRecord& record, std::size_t place) {
        kind.push_back(record.kind()[place]);
        parent.push_back(record.parent()[place]);
        duration.push_back(record.duration()[place]);
        const Span<const std::int64_t> numbered = record.numbered_operations();
        const auto* match = std::lower_bound(numbered.begin(), numbered.end(), static_cast<std::int64_t>(place));
        const bool is_numbered =
            !record.numbers().empty() && match != numbered.end() && *match == static_cast<std::int64_t>(place);
        number.push_back(is_numbered ? record.numbers()[static_cast<std::size_t>(match - numbered.begin())] : -1);
    }
};

class RecordSums {
  public:
    RecordSums(const InColumn<std::uint8_t>& code_of_kind, std::size_t codes, std::size_t windows, std::uint8_t listed,
               std::uint8_t number)
        : kinds_(code_of_kind.size()), number_(number), sums_(copied(code_of_kind), codes, windows, listed) {}

    // Adds a record, and returns how many operations it has, and what is known of those that are left out.
    nb::tuple add(const nb::bytes& data, std::uint32_t track, std::size_t most, std::int64_t first,
                  const Ordinals& window_first, const Ordinals& window_last, const Ordinals& left_out) {
        LeftOut rows;
        {
            const Unlocked unlocked;
            record_.read(bytes_of(view_of(data)), {track, kinds_, most}, {&number_, 1});
            sums_.add({first, record_.kind(), record_.parent(), record_.duration(), record_.numbered_operations(),
                       record_.numbers()},
                      {span_of(window_first), span_of(window_last)}, span_of(left_out));
            for (const std::int64_t ordinal : span_of(left_out)) {
                const std::int64_t place = ordinal - first;
                if (place < 0 || place >= static_cast<std::int64_t>(record_.size()))
                    throw std::invalid_argument("an operation that there is not");
                rows.add(record_, static_cast<std::size_t>(place));
            }
        }
        return nb::make_tuple(record_.size(), to_numpy(std::move(rows.kind)), to_numpy(std::move(rows.parent)),
                              to_numpy(std::move(rows.duration)), to_numpy(std::move(rows.number)));
    }

    const StepPartSums& sums() const { return sums_; }

  private:
    std::size_t kinds_;
    std::uint8_t number_;
    OperationRecord record_;
    StepPartSums sums_;
};

class RecordCounts {
  public:
    RecordCounts(std::size_t windows, std::size_t places) : counts_(windows, places) {}

    // Adds a record, and returns how many operations it has, which of some columns it has, what operations with a
    // place from `special` on say in them, and what is known of those that are left out.
    nb::tuple add(const nb::bytes& data, std::uint32_t track, std::size_t most, std::int64_t first,
                  const Ordinals& range_first, const Ordinals& range_last, const Ordinals& range_window,
                  const Ordinals& place_of_kind, const InColumn<std::uint8_t>& is_timed,
                  const InColumn<std::uint8_t>& columns, std::int64_t special, const Ordinals& left_out) {
        LeftOut rows;
        std::vector<std::uint8_t> has;
        std::vector<std::int64_t> special_ordinal, numbers;
        {
            const Unlocked unlocked;
            const Span<const std::int64_t> places = span_of(place_of_kind);
            record_.read(bytes_of(view_of(data)), {track, places.size(), most}, span_of(columns),
                         is_timed.size() + left_out.size() != 0);
            for (std::size_t k = 0; k < columns.size(); ++k) has.push_back(record_.numbers(k).empty() ? 0 : 1);
            for (std::size_t index = 0; index < record_.numbered_operations().size(); ++index) {
                const std::int64_t place = record_.numbered_operations()[index];
                if (places[static_cast<std::size_t>(record_.kind()[static_cast<std::size_t>(place)])] < special)
                    continue;
                special_ordinal.push_back(first + place);
                for (std::size_t k = 0; k < columns.size(); ++k)
                    numbers.push_back(has[k] != 0 ? record_.numbers(k)[index] : -1);
            }
            for (const std::int64_t ordinal : span_of(left_out)) {
                const std::int64_t place = ordinal - first;
                if (place < 0 || place >= static_cast<std::int64_t>(record_.size()))
                    throw std::invalid_argument("an operation that there is not");
                rows.add(record_, static_cast<std::size_t>(place));
            }
            counts_.add({first, record_.kind(), record_.parent(), record_.duration()},
                        {span_of(range_first), span_of(range_last), span_of(range_window)}, {places, span_of(is_timed)},
                        span_of(left_out));
        }
        return nb::make_tuple(record_.size(), to_numpy(std::move(has)), to_numpy(std::move(special_ordinal)),
                              to_numpy(std::move(numbers)), to_numpy(std::move(rows.kind)),
                              to_numpy(std::move(rows.parent)), to_numpy(std::move(rows.duration)));
    }

    void merge(const RecordCounts& other) { counts_.merge(other.counts_); }

    const WindowCounts& counts() const { return counts_; }

  private:
    OperationRecord record_;
    WindowCounts counts_;
};

// Low and high 64 bits of sums.
nb::tuple halves_of(const std::vector<WindowCounts::Time>& times) {
    std::vector<std::uint64_t> low;
    std::vector<std::int64_t> high;
    for (const WindowCounts::Time time : times) {
        low.push_back(static_cast<std::uint64_t>(time));
        high.push_back(static_cast<std::int64_t>(time >> 64));
    }
    return nb::make_tuple(to_numpy(std::move(low)), to_numpy(std::move(high)));
}

OutColumn<std::int64_t> copy_of(const std::vector<std::int64_t>& column) {
    return to_numpy(std::vector<std::int64_t>(column));
}

}  // namespace

void bind_part_sums(nb::module_& m) {
    nb::class_<RecordSums>(m, "PartSums", "Sums of the time of operations by window and by the code of their kind.")
        .def(nb::init<const InColumn<std::uint8_t>&, std::size_t, std::size_t, std::uint8_t, std::uint8_t>(),
             nb::arg("code_of_kind"), nb::arg("codes"), nb::arg("windows"), nb::arg("listed"), nb::arg("number"),
             "Operations of the code `listed` that have the number of this column are listed one by one.")
        .def(
            "add", &RecordSums::add, nb::arg("data"), nb::arg("track"), nb::arg("most"), nb::arg("first"),
            nb::arg("window_first"), nb::arg("window_last"), nb::arg("left_out"),
            nb::sig("def add(self, data: bytes, track: int, most: int, first: int, window_first: NDArray[numpy.int64], "
                    "window_last: NDArray[numpy.int64], left_out: NDArray[numpy.int64]) -> tuple[int, "
                    "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
            "Adds a record of operations from event `first` on, of which those with the ordinals `left_out` are left\n"
            "out. Windows are given by the ordinals of the events that start in them. Returns how many operations\n"
            "there are; and kind, parent, duration and number of those that are left out. Raises DamagedContainer,\n"
            "and OverflowError for times that 62 bits do not hold together.")
        .def(
            "taken", [](const RecordSums& self) { return self.sums().taken(); },
            "Returns how long all operations of these records take.")
        .def(
            "sums", [](const RecordSums& self) { return copy_of(self.sums().sums()); },
            "Returns the sums, by window and then by code.")
        .def(
            "listed",
            [](const RecordSums& self) {
                const StepPartSums& sums = self.sums();
                return nb::make_tuple(copy_of(sums.listed_window), copy_of(sums.listed_number),
                                      copy_of(sums.listed_duration));
            },
            nb::sig("def listed(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
            "Returns window, number and duration of those that are listed.");
    nb::class_<RecordCounts>(m, "WindowCounts", "How often operations occur, by window and by the place of their kind.")
        .def(nb::init<std::size_t, std::size_t>(), nb::arg("windows"), nb::arg("places"))
        .def("add", &RecordCounts::add, nb::arg("data"), nb::arg("track"), nb::arg("most"), nb::arg("first"),
             nb::arg("range_first"), nb::arg("range_last"), nb::arg("range_window"), nb::arg("place_of_kind"),
             nb::arg("is_timed"), nb::arg("columns"), nb::arg("special"), nb::arg("left_out"),
             nb::sig(
                 "def add(self, data: bytes, track: int, most: int, first: int, range_first: NDArray[numpy.int64], "
                 "range_last: NDArray[numpy.int64], range_window: NDArray[numpy.int64], place_of_kind: "
                 "NDArray[numpy.int64], is_timed: NDArray[numpy.uint8], columns: NDArray[numpy.uint8], special: int, "
                 "left_out: NDArray[numpy.int64]) -> tuple[int, NDArray[numpy.uint8], NDArray[numpy.int64], "
                 "NDArray[numpy.int64], NDArray[numpy.int64], "
                 "NDArray[numpy.int64], NDArray[numpy.int64]]"),
             "Adds a record of operations from event `first` on: those of the events [range_first, range_last) to "
             "their\n"
             "windows, which may have events in common. Of kinds that are timed also the time that they take\n"
             "themselves, without operations `left_out`. Returns how many operations there are; which of some columns\n"
             "the record has; the ordinals of those with a place from `special` on that have any number, and their\n"
             "numbers of these columns, -1 none; and kind, parent and duration of those that are left out. Raises "
             "DamagedContainer, and ValueError.")
        .def("merge", &RecordCounts::merge, nb::arg("other"), "Adds those of another one.")
        .def(
            "counts", [](const RecordCounts& self) { return copy_of(self.counts().counts()); },
            "Returns the counts, by window and then by place.")
        .def(
            "times", [](const RecordCounts& self) { return halves_of(self.counts().times()); },
            nb::sig("def times(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64]]"),
            "Returns the time of timed kinds in each window: its low and its high 64 bits.");
}

}  // namespace tilescope
