// Binds sums of operations in steps, by category.
#include "columns/step_sums.hpp"

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

namespace {

using IntColumn = InColumn<std::int64_t>;

std::vector<std::int64_t> copied(const IntColumn& column) {
    const Span<const std::int64_t> all = span_of(column);
    return {all.begin(), all.end()};
}

OutColumn<std::int64_t> copy_of(const std::vector<std::int64_t>& column) {
    return to_numpy(std::vector<std::int64_t>(column));
}

}  // namespace

void bind_step_sums(nb::module_& m) {
    nb::class_<StepSums>(m, "StepSums", "Sums of the operations of a track in steps, by category.")
        .def(
            "__init__",
            [](StepSums* self, const IntColumn& starts, const IntColumn& stops, std::size_t most) {
                new (self) StepSums(copied(starts), copied(stops), most);
            },
            nb::arg("starts"), nb::arg("stops"), nb::arg("most"),
            "Steps are windows that last, ascend and share no time. `most`: how many sums, and how many pieces of\n"
            "operations with numbers, are held.")
        .def(
            "add_kinds",
            [](StepSums& self, const IntColumn& metadata, const InColumn<std::int32_t>& text_of) {
                self.add_kinds(span_of(metadata), span_of(text_of));
            },
            nb::arg("metadata"), nb::arg("text_of"),
            "Takes more kinds by their metadata. `text_of`: of each metadata the number of its text, which is 0 for "
            "all\n"
            "other. Each text is a category.")
        .def(
            "texts", [](const StepSums& self) { return to_numpy(std::vector<std::int32_t>(self.texts())); },
            "Returns the texts of the categories, which count from 0.")
        .def(
            "add",
            [](StepSums& self, const IntColumn& kind, const IntColumn& parent, const IntColumn& duration,
               const IntColumn& start, const IntColumn& ticks, const IntColumn& numbered, const IntColumn& numbers) {
                const Unlocked unlocked;
                self.add({span_of(kind), span_of(parent), span_of(duration), span_of(start), span_of(ticks),
                          span_of(numbered), span_of(numbers)});
            },
            nb::arg("kind"), nb::arg("parent"), nb::arg("duration"), nb::arg("start"), nb::arg("ticks"),
            nb::arg("told"), nb::arg("numbers"),
            "Adds the next operations: of each its kind, that of the one it lies in, -1 none, and how long it takes\n"
            "on the device; start and ticks of its event; and of those at the places `told` a number, -1 none.")
        .def_prop_ro("is_too_much", &StepSums::is_too_much, "Whether there was more than is held.")
        .def(
            "sums",
            [](const StepSums& self) {
                StepSums::Sums sums = self.sums();
                return nb::make_tuple(to_numpy(std::move(sums.step)), to_numpy(std::move(sums.category)),
                                      to_numpy(std::move(sums.own)));
            },
            nb::sig("def sums(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
            "Returns step, category and sum of the sums that are not 0, by step and then by category.")
        .def(
            "told",
            [](const StepSums& self) {
                return nb::make_tuple(copy_of(self.listed_step), copy_of(self.listed_category),
                                      copy_of(self.listed_number), copy_of(self.listed_duration));
            },
            nb::sig("def told(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], "
                    "NDArray[numpy.int64]]"),
            "Returns step, category, number and duration of each piece of an operation that has a number.");
}

}  // namespace tilescope
