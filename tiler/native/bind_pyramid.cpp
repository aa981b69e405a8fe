// Binds order, rows, tile trees and page encoding.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "bind_arrays.hpp"
#include "block.hpp"
#include "counter_track.hpp"
#include "gather.hpp"
#include "geometry.hpp"
#include "order.hpp"
#include "rollup_track.hpp"
#include "slice_track.hpp"

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

constexpr int64_t kTimeLimit = int64_t{1} << 61;

void check_times(const int64_t* time, size_t n) {
    for (size_t k = 0; k < n; ++k) {
        if (time[k] < 0 || time[k] >= kTimeLimit) throw std::invalid_argument("times are not in [0, 2**61)");
        if (k > 0 && time[k] < time[k - 1]) throw std::invalid_argument("events are not in time order");
    }
}

void check_times(const SliceColumns& slices) {
    check_times(slices.start, slices.n);
    for (size_t k = 0; k < slices.n; ++k) {
        const int64_t length = slices.duration[k];
        if (length < 0 || length >= kTimeLimit - slices.start[k]) throw std::invalid_argument("slices end beyond 2**61");
    }
}

// A block that keeps the arrays alive which its tracks point into.
struct BoundBlock {
    Block block;
    std::vector<nb::object> kept;

    BoundBlock(uint32_t number, int root_level) : block(number, root_level) {
        if (root_level < 0 || root_level > kMaxLevel) throw std::invalid_argument("root level is not in 0..27");
    }

    void keep(const nb::object& object) { kept.push_back(object); }

    void add_slices(int slot, const Array<int64_t>& start, const Array<int64_t>& duration, const Array<uint32_t>& row,
                    const Array<int32_t>& name, const Array<uint8_t>& flags) {
        for (const size_t size : {duration.size(), row.size(), name.size(), flags.size()}) same_size(start.size(), size);
        for (const nb::object& array : {nb::cast(start), nb::cast(duration), nb::cast(row), nb::cast(name), nb::cast(flags)}) keep(array);
        const SliceColumns columns{start.data(), duration.data(), row.data(), name.data(), flags.data(), start.size()};
        nb::gil_scoped_release release;
        check_times(columns);
        block.add(slot, std::make_unique<SliceTrack>(columns, block.root_level()));
    }

    void add_counter(int slot, const Array<int64_t>& time, const Array<double>& value) {
        same_size(time.size(), value.size());
        keep(nb::cast(time));
        keep(nb::cast(value));
        const SampleColumns columns{time.data(), value.data(), time.size()};
        nb::gil_scoped_release release;
        check_times(columns.time, columns.n);
        block.add(slot, std::make_unique<CounterTrack>(columns, block.root_level()));
    }

    // `children`: a sequence of (start, duration, name).
    void add_rollup(int slot, const nb::sequence& children) {
        std::vector<SliceColumns> columns;
        for (const nb::handle child : children) {
            const auto start = nb::cast<Array<int64_t>>(child[0]);
            const auto duration = nb::cast<Array<int64_t>>(child[1]);
            const auto name = nb::cast<Array<int32_t>>(child[2]);
            same_size(start.size(), duration.size());
            same_size(start.size(), name.size());
            columns.push_back({start.data(), duration.data(), nullptr, name.data(), nullptr, start.size()});
        }
        nb::gil_scoped_release release;
        for (const SliceColumns& child : columns) check_times(child);
        block.add(slot, std::make_unique<RollupTrack>(columns, block.root_level()));
    }

    void seal() {
        nb::gil_scoped_release release;
        block.seal();
    }

    // (level, index, slot, flags, events, weight) of all tiles, in key order.
    auto tiles() const {
        std::vector<int64_t> index, events, weight;
        std::vector<uint8_t> level, slot, flags;
        for (size_t at = 0; at < block.size(); ++at) {
            const Tile& tile = block.tile(at);
            level.push_back(tile.level);
            index.push_back(tile.index);
            slot.push_back(static_cast<uint8_t>(block.slot(at)));
            flags.push_back(tile.flags);
            events.push_back(static_cast<int64_t>(tile.last - tile.first));
            weight.push_back(static_cast<int64_t>(block.weight(at)));
        }
        return std::make_tuple(to_numpy(std::move(level)), to_numpy(std::move(index)), to_numpy(std::move(slot)),
                               to_numpy(std::move(flags)), to_numpy(std::move(events)), to_numpy(std::move(weight)));
    }

    nb::bytes encode(size_t first, size_t last) const {
        std::string page;
        {
            nb::gil_scoped_release release;
            page = block.encode(first, last);
        }
        return nb::bytes(page.data(), page.size());
    }
};

nb::object order_of(const Array<int64_t>& start, const Array<int64_t>& duration) {
    same_size(start.size(), duration.size());
    std::vector<int64_t> order;
    {
        nb::gil_scoped_release release;
        order = canonical_order(start.data(), duration.data(), start.size());
    }
    if (order.empty()) return nb::none();
    return nb::cast(to_numpy(std::move(order)));
}

// (number of rows, slices that overlap others only partly); the rows are written to `row`.
auto rows_of(const Array<int64_t>& start, const Array<int64_t>& duration, const Writable<uint32_t>& row) {
    same_size(start.size(), duration.size());
    same_size(start.size(), row.size());
    nb::gil_scoped_release release;
    const size_t overlaps = assign_rows(start.data(), duration.data(), row.size(), row.data());
    uint32_t rows = 0;
    for (size_t k = 0; k < row.size(); ++k) rows = std::max(rows, row.data()[k] + 1);
    return std::make_pair(rows, overlaps);
}

size_t gather_ends(const Array<int64_t>& ends, size_t size, const Array<int64_t>& order, const Writable<int64_t>& out_ends) {
    same_size(order.size(), out_ends.size());
    nb::gil_scoped_release release;
    return gathered_ends(ends.data(), ends.size(), size, order.data(), order.size(), out_ends.data());
}

// Writes the ends to `out_ends` again: what is written to `out` rests on nothing that the caller says.
void gather_into(const Array<int64_t>& ends, const Array<uint8_t>& data, const Array<int64_t>& order,
                 const Writable<int64_t>& out_ends, const Writable<uint8_t>& out) {
    same_size(order.size(), out_ends.size());
    nb::gil_scoped_release release;
    const size_t size = gathered_ends(ends.data(), ends.size(), data.size(), order.data(), order.size(), out_ends.data());
    same_size(size, out.size());
    gather(ends.data(), data.data(), order.data(), order.size(), out.data());
}

}  // namespace

void bind_pyramid(nb::module_& m) {
    m.def("root_level", &root_level, nb::arg("end"));
    m.def("canonical_order", &order_of, nb::arg("start"), nb::arg("duration"));
    m.def("assign_rows", &rows_of, nb::arg("start"), nb::arg("duration"), nb::arg("row").noconvert());
    m.def("gather_ends", &gather_ends, nb::arg("ends"), nb::arg("size"), nb::arg("order"), nb::arg("out_ends").noconvert());
    m.def("gather_into", &gather_into, nb::arg("ends"), nb::arg("data"), nb::arg("order"), nb::arg("out_ends").noconvert(),
          nb::arg("out").noconvert());
    nb::class_<BoundBlock>(m, "Block")
        .def(nb::init<uint32_t, int>(), nb::arg("number"), nb::arg("root_level"))
        .def("add_slices", &BoundBlock::add_slices, nb::arg("slot"), nb::arg("start"), nb::arg("duration"), nb::arg("row"),
             nb::arg("name"), nb::arg("flags"))
        .def("add_counter", &BoundBlock::add_counter, nb::arg("slot"), nb::arg("time"), nb::arg("value"))
        .def("add_rollup", &BoundBlock::add_rollup, nb::arg("slot"), nb::arg("children"))
        .def("seal", &BoundBlock::seal)
        .def("tiles", &BoundBlock::tiles)
        .def("encode", &BoundBlock::encode, nb::arg("first"), nb::arg("last"));
}

}  // namespace tilescope
