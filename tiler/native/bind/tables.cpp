// Binds the reading of tables.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "tables/csv_stream.hpp"
#include "tables/plane_integers.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using Cells =
    std::tuple<OutColumn<uint8_t>, OutColumn<int64_t>, OutColumn<uint8_t>, OutColumn<int64_t>, std::vector<nb::bytes>>;
using Fault = std::tuple<uint64_t, uint64_t, uint64_t>;

std::vector<Cells> take(CsvStream& stream) {
    std::vector<Cells> columns;
    for (CellColumn& column : stream.columns()) {
        std::vector<nb::bytes> words;
        words.reserve(column.words.size());
        for (size_t k = 0; k < column.words.size(); ++k) {
            words.push_back(to_bytes(column.words.at(static_cast<int32_t>(k))));
        }
        columns.emplace_back(to_numpy(std::move(column.states)), to_numpy(std::move(column.numbers)),
                             to_numpy(std::move(column.digits)), to_numpy(std::move(column.codes)), std::move(words));
    }
    stream.clear();
    return columns;
}

OutColumn<int64_t> unpacked_integers(const nb::bytes& data, size_t offset, size_t size, size_t count, int64_t least,
                                     std::optional<int64_t> first) {
    std::vector<int64_t> integers;
    {
        const Span<const uint8_t> bytes = bytes_of(view_of(data));
        const Unlocked unlocked;
        if (offset > bytes.size()) throw std::invalid_argument("it is cut short");
        const IntegerPlanes planes{{bytes.data() + offset, bytes.size() - offset}, size, count, least};
        integers = first ? summed_planes(planes, *first) : plane_integers(planes);
    }
    return to_numpy(std::move(integers));
}

Fault to_tuple(const CsvFault& fault) { return {fault.count, fault.line, fault.column}; }

}  // namespace

void bind_tables(nb::module_& m) {
    m.def("unpacked_integers", &unpacked_integers, nb::arg("data"), nb::arg("offset"), nb::arg("size"),
          nb::arg("count"), nb::arg("least"), nb::arg("first") = nb::none(),
          "Integers above `least`, shape (count,), of planes of bytes from an offset on: plane k of `size` has byte k\n"
          "of each. With `first` shape (count + 1,): it, and those of which these are the differences to the one\n"
          "before. All is modulo 2^64. Raises ValueError where there are fewer bytes, or more than eight planes.");
    nb::class_<CsvStream>(m, "CsvStream", "Comma-separated values as columns of cells, block by block.")
        .def(nb::init<size_t, size_t>(), nb::arg("most_columns"), nb::arg("most_cell_bytes"))
        .def(
            "feed",
            [](CsvStream& stream, const nb::bytes& block, size_t most_rows, size_t most_bytes) {
                const std::string_view view = view_of(block);
                const Unlocked unlocked;
                return stream.feed(view, most_rows, most_bytes);
            },
            nb::arg("block"), nb::arg("most_rows"), nb::arg("most_bytes"),
            "Takes the next bytes. Returns whether there may be more rows: then take those, and feed nothing.")
        .def(
            "finish",
            [](CsvStream& stream, size_t most_rows, size_t most_bytes) {
                const Unlocked unlocked;
                return stream.finish(most_rows, most_bytes);
            },
            nb::arg("most_rows"), nb::arg("most_bytes"), "The same of what is left, when there is nothing more.")
        .def("take", &take,
             "Returns the columns of all rows so far: states, numbers, digits and codes as `Cells` has them, and\n"
             "words, which may be no UTF-8; and drops these rows.")
        .def_prop_ro("rows", &CsvStream::rows, "Rows that can be taken.")
        .def_prop_ro("has_header", &CsvStream::has_header)
        .def_prop_ro(
            "header",
            [](const CsvStream& stream) {
                std::vector<nb::bytes> names;
                for (const std::string& name : stream.header()) names.push_back(to_bytes(name));
                return names;
            },
            "The names of the columns, which may be no UTF-8.")
        .def_ro("more_columns", &CsvStream::more_columns, "Columns of the header beyond the most.")
        .def_prop_ro(
            "short_rows", [](const CsvStream& stream) { return to_tuple(stream.short_rows); },
            "How many rows have too few cells; line and column of the first.")
        .def_prop_ro("long_rows", [](const CsvStream& stream) { return to_tuple(stream.long_rows); })
        .def_prop_ro("open_quotes", [](const CsvStream& stream) { return to_tuple(stream.open_quotes); })
        .def_prop_ro("not_utf8", [](const CsvStream& stream) { return to_tuple(stream.not_utf8); })
        .def_prop_ro("cut_records", [](const CsvStream& stream) { return to_tuple(stream.cut_records); })
        .def_prop_ro("left_out_rows", [](const CsvStream& stream) { return to_tuple(stream.left_out_rows); });
}

}  // namespace tilescope
