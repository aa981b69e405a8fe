// Binds canonical order, rows, and the order of strings.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "columns/gather.hpp"
#include "pages/length_classes.hpp"
#include "pyramid/order.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

template <typename T>
using Array = InColumn<T>;

// An array of the caller's to write to.
template <typename T>
using Writable = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void same_size(size_t a, size_t b) {
    if (a != b) throw std::invalid_argument("columns differ in length");
}

std::optional<OutColumn<int64_t>> order_of(const Array<int64_t>& start, const Array<int64_t>& duration) {
    same_size(start.size(), duration.size());
    std::vector<int64_t> order;
    {
        nb::gil_scoped_release release;
        order = canonical_order(start.data(), duration.data(), start.size());
    }
    if (order.empty()) return std::nullopt;
    return to_numpy(std::move(order));
}

auto rows_of(const Array<int64_t>& start, const Array<int64_t>& duration, const Writable<uint32_t>& row,
             MemoryBudget* budget) {
    same_size(start.size(), duration.size());
    same_size(start.size(), row.size());
    nb::gil_scoped_release release;
    const size_t overlaps = assign_rows(start.data(), duration.data(), row.size(), row.data(), budget);
    uint32_t rows = 0;
    for (size_t k = 0; k < row.size(); ++k) rows = std::max(rows, row.data()[k] + 1);
    return std::make_pair(rows, overlaps);
}

size_t gather_ends(const Array<int64_t>& ends, size_t size, const Array<int64_t>& order,
                   const Writable<int64_t>& out_ends) {
    same_size(order.size(), out_ends.size());
    nb::gil_scoped_release release;
    return gathered_ends(ends.data(), ends.size(), size, order.data(), order.size(), out_ends.data());
}

// Writes the ends to `out_ends` again: what is written to `out` rests on nothing that the caller says.
void gather_into(const Array<int64_t>& ends, const Array<uint8_t>& data, const Array<int64_t>& order,
                 const Writable<int64_t>& out_ends, const Writable<uint8_t>& out) {
    same_size(order.size(), out_ends.size());
    nb::gil_scoped_release release;
    const size_t size =
        gathered_ends(ends.data(), ends.size(), data.size(), order.data(), order.size(), out_ends.data());
    same_size(size, out.size());
    gather(ends.data(), data.data(), order.data(), order.size(), out.data());
}

nb::bytes transposed(const Array<int64_t>& ends, int64_t start, const Array<uint8_t>& data) {
    const int64_t last = ends.size() == 0 ? start : ends.data()[ends.size() - 1];
    if (start < 0 || last < start) throw std::invalid_argument("ends decrease");  // before they are subtracted
    if (static_cast<size_t>(last) > data.size()) throw std::invalid_argument("ends lie beyond the data");
    std::string out(static_cast<size_t>(last - start), '\0');
    {
        nb::gil_scoped_release release;
        transpose_by_length(ends.data(), ends.size(), start, data.data(), data.size(),
                            reinterpret_cast<uint8_t*>(out.data()));
    }
    return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_order(nb::module_& m) {
    m.def(
        "canonical_order", &order_of, nb::arg("start"), nb::arg("duration"),
        "Returns the positions of slices in the order (start, longer first, position); None: they are in it already.");
    m.def("assign_rows", &rows_of, nb::arg("start"), nb::arg("duration"), nb::arg("row").noconvert(),
          nb::arg("budget") = nb::none(),
          "Writes the row of each slice, which are in canonical order, to `row`. Returns how many rows there are,\n"
          "and how many slices overlap others only partly. Raises MemoryError when more are open at once than the "
          "budget\n"
          "has room for.");
    m.def("gather_ends", &gather_ends, nb::arg("ends"), nb::arg("size"), nb::arg("order"),
          nb::arg("out_ends").noconvert(),
          "Writes the ends that strings have in another order to `out_ends`. Returns their total size. String k is\n"
          "data[ends[k-1]:ends[k]] of `size` bytes.");
    m.def("gather_into", &gather_into, nb::arg("ends"), nb::arg("data"), nb::arg("order"),
          nb::arg("out_ends").noconvert(), nb::arg("out").noconvert(),
          "Copies strings in another order to `out`, which has the size that `gather_ends` returned, and their ends\n"
          "to `out_ends`.");
    m.def("transpose_by_length", &transposed, nb::arg("ends"), nb::arg("start"), nb::arg("data"),
          "Returns strings in classes of equal length, written column by column. The first one begins at `start`.");
}

}  // namespace tilescope
