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
#include "pages/operation_record.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using Ordinals = InColumn<std::int64_t>;

std::vector<std::uint8_t> copied(const InColumn<std::uint8_t>& column) {
    const Span<const std::uint8_t> all = span_of(column);
    return {all.begin(), all.end()};
}

// What is known of some operations of a record: kind, parent, duration, and the number, -1 without one.
struct LeftOut {
    std::vector<std::int64_t> kind, parent, duration, number;

    void add(const OperationRecord& record, std::size_t place) {
        kind.push_back(record.kind()[place]);
        parent.push_back(record.parent()[place]);
        duration.push_back(record.duration()[place]);
        const Span<const std::int64_t> told = record.told();
        const auto* at = std::lower_bound(told.begin(), told.end(), static_cast<std::int64_t>(place));
        const bool is_told = !record.numbers().empty() && at != told.end() && *at == static_cast<std::int64_t>(place);
        number.push_back(is_told ? record.numbers()[static_cast<std::size_t>(at - told.begin())] : -1);
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
            nb::gil_scoped_release release;
            record_.read(bytes_of(view_of(data)), {track, kinds_, most}, number_);
            sums_.add({first, record_.kind(), record_.parent(), record_.duration(), record_.told(), record_.numbers()},
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
                const StepPartSums& of = self.sums();
                return nb::make_tuple(copy_of(of.listed_window), copy_of(of.listed_number),
                                      copy_of(of.listed_duration));
            },
            nb::sig("def listed(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
            "Returns window, number and duration of those that are listed.");
}

}  // namespace tilescope
