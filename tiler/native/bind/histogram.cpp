// Binds the histograms of names.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/histogram.hpp"
#include "pyramid/leaf_spans.hpp"
#include "pyramid/leaf_sums.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

void check(const SliceColumns& slices) {
    for (size_t k = 0; k < slices.size(); ++k) {
        if (slices.start[k] < 0 || slices.start[k] >= kTimeLimit)
            throw std::invalid_argument("times are not in [0, 2**61)");
        if (k > 0 && slices.start[k] < slices.start[k - 1]) throw std::invalid_argument("slices are not in time order");
        if (slices.duration[k] < 0 || slices.duration[k] >= kTimeLimit - slices.start[k]) {
            throw std::invalid_argument("slices end beyond 2**61");
        }
    }
}

// A walk that keeps the arrays alive which it goes over.
class BoundHistograms {
  public:
    BoundHistograms(const InColumn<int64_t>& start, const InColumn<int64_t>& duration, const InColumn<int32_t>& name,
                    const InColumn<uint8_t>& level, const InColumn<int64_t>& index, const InColumn<bool>& leaf,
                    MemoryBudget* budget)
        : start_(start), duration_(duration), name_(name) {
        nb::gil_scoped_release release;
        const SliceColumns slices(span_of(start), span_of(duration), span_of(name));
        check(slices);
        std::vector<HistogramTile> tiles(same_size(level, index, leaf));
        for (size_t k = 0; k < tiles.size(); ++k) tiles[k] = {span_of(index)[k], span_of(level)[k], span_of(leaf)[k]};
        walk_ = std::make_unique<HistogramWalk>(slices, std::move(tiles), budget);
    }

    using Column = OutColumn<int64_t>;
    using Histogram = std::tuple<int, int64_t, Column, Column, Column, Column, Column>;

    std::optional<Histogram> next(size_t rows) {
        std::vector<int64_t> name, count, busy, self, longest;
        {
            nb::gil_scoped_release release;
            if (walk_->next()) {
                for (const NameSum& sum : walk_->sums(rows)) {
                    name.push_back(sum.name);
                    count.push_back(static_cast<int64_t>(sum.count));
                    busy.push_back(static_cast<int64_t>(sum.busy));
                    self.push_back(static_cast<int64_t>(sum.self));
                    longest.push_back(sum.longest);
                }
            } else {
                done_ = true;
            }
        }
        if (done_) return std::nullopt;
        return std::make_tuple(static_cast<int>(walk_->tile().level), walk_->tile().index, to_numpy(std::move(name)),
                               to_numpy(std::move(count)), to_numpy(std::move(busy)), to_numpy(std::move(self)),
                               to_numpy(std::move(longest)));
    }

  private:
    InColumn<int64_t> start_, duration_;
    InColumn<int32_t> name_;
    std::unique_ptr<HistogramWalk> walk_;
    bool done_ = false;
};

std::vector<LeafPart> leaf_parts(const InColumn<int64_t>& tile, const InColumn<int64_t>& index,
                                 const InColumn<int64_t>& slot, const InColumn<int64_t>& first,
                                 const InColumn<int64_t>& stop) {
    std::vector<LeafPart> parts(same_size(tile, index, slot, first, stop));
    for (size_t k = 0; k < parts.size(); ++k) {
        if (span_of(tile)[k] < 0) throw std::invalid_argument("no such tile");
        parts[k] = {static_cast<size_t>(span_of(tile)[k]), span_of(index)[k], span_of(slot)[k], span_of(first)[k],
                    span_of(stop)[k]};
    }
    return parts;
}

// Sums of parts of leaves, page by page.
class BoundLeafSums {
  public:
    void add(const nb::bytes& page, size_t max_rows, const InColumn<int64_t>& tile, const InColumn<int64_t>& index,
             const InColumn<int64_t>& slot, const InColumn<int64_t>& first, const InColumn<int64_t>& stop) {
        const std::vector<LeafPart> parts = leaf_parts(tile, index, slot, first, stop);
        const Bytes bytes = bytes_of(view_of(page));
        nb::gil_scoped_release release;
        sums_.add(ContainerReader(bytes, max_rows), parts);
    }

    using Column = OutColumn<int64_t>;
    using Halves = std::pair<OutColumn<uint64_t>, OutColumn<uint64_t>>;

    std::tuple<Column, Column, Halves, Halves, Column> take() {
        std::vector<int64_t> name, count, longest;
        std::vector<uint64_t> busy_low, busy_high, self_low, self_high;
        for (const NameSum& sum : sums_.sums()) {
            name.push_back(sum.name);
            count.push_back(static_cast<int64_t>(sum.count));
            busy_low.push_back(static_cast<uint64_t>(sum.busy));
            busy_high.push_back(static_cast<uint64_t>(sum.busy >> 64));
            self_low.push_back(static_cast<uint64_t>(sum.self));
            self_high.push_back(static_cast<uint64_t>(sum.self >> 64));
            longest.push_back(sum.longest);
        }
        sums_.clear();
        return {to_numpy(std::move(name)),
                to_numpy(std::move(count)),
                {to_numpy(std::move(busy_low)), to_numpy(std::move(busy_high))},
                {to_numpy(std::move(self_low)), to_numpy(std::move(self_high))},
                to_numpy(std::move(longest))};
    }

  private:
    LeafSums sums_;
};

// When slices of some kinds run, page by page.
class BoundLeafSpans {
  public:
    explicit BoundLeafSpans(const InColumn<uint8_t>& kinds)
        : spans_(std::vector<uint8_t>(span_of(kinds).begin(), span_of(kinds).end())) {
        const Bytes all = span_of(kinds);
        if (std::any_of(all.begin(), all.end(), [](uint8_t kind) { return kind >= LeafSpans::kKinds; })) {
            throw std::invalid_argument("there is no such kind");
        }
    }

    void add(const nb::bytes& page, size_t max_rows, const InColumn<int64_t>& tile, const InColumn<int64_t>& index,
             const InColumn<int64_t>& slot, const InColumn<int64_t>& first, const InColumn<int64_t>& stop) {
        const std::vector<LeafPart> parts = leaf_parts(tile, index, slot, first, stop);
        const Bytes bytes = bytes_of(view_of(page));
        nb::gil_scoped_release release;
        spans_.add(ContainerReader(bytes, max_rows), parts);
    }

    std::vector<std::pair<OutColumn<int64_t>, OutColumn<int64_t>>> take() {
        std::vector<std::pair<OutColumn<int64_t>, OutColumn<int64_t>>> taken;
        for (Spans& spans : spans_.take()) {
            taken.emplace_back(to_numpy(std::move(spans.start)), to_numpy(std::move(spans.stop)));
        }
        return taken;
    }

  private:
    LeafSpans spans_;
};

}  // namespace

void bind_histogram(nb::module_& m) {
    nb::class_<BoundHistograms>(m, "Histograms", "The histograms of names of a track's tiles, one after the other.")
        .def(nb::init<const InColumn<int64_t>&, const InColumn<int64_t>&, const InColumn<int32_t>&,
                      const InColumn<uint8_t>&, const InColumn<int64_t>&, const InColumn<bool>&, MemoryBudget*>(),
             nb::arg("start"), nb::arg("duration"), nb::arg("name"), nb::arg("level"), nb::arg("index"),
             nb::arg("leaf"), nb::arg("budget") = nb::none(), nb::keep_alive<1, 8>(),
             "Of slices in canonical order, and of tiles in the order in which they are wanted.")
        .def("next", &BoundHistograms::next, nb::arg("rows"),
             "Returns level and index of the next tile, and of each of its names, so many at most: name, count,\n"
             "busy time, self time, longest. None: there are no more tiles.");
    nb::class_<BoundLeafSums>(m, "LeafSums", "Sums by name of parts of leaves, page by page.")
        .def(nb::init<>())
        .def(
            "add", &BoundLeafSums::add, nb::arg("page"), nb::arg("max_rows"), nb::arg("tile"), nb::arg("index"),
            nb::arg("slot"), nb::arg("first"), nb::arg("stop"),
            "Adds parts [first, stop) of the tiles in these positions of an uncompressed page, ascending. `index` and\n"
            "`slot`: what must stand there. Raises DamagedContainer.")
        .def(
            "take", &BoundLeafSums::take,
            "Returns what was added since the last call: name, count, busy time, self time, longest. Of the times the\n"
            "low and the high 64 bits.");
    nb::class_<BoundLeafSpans>(m, "LeafSpans", "When slices of some kinds run, from parts of leaves, page by page.")
        .def(nb::init<const InColumn<uint8_t>&>(), nb::arg("kinds"),
             "`kinds`: of each name, the one without a name first, its kind, below 8. 0: it does not matter.")
        .def(
            "add", &BoundLeafSpans::add, nb::arg("page"), nb::arg("max_rows"), nb::arg("tile"), nb::arg("index"),
            nb::arg("slot"), nb::arg("first"), nb::arg("stop"),
            "Adds parts [first, stop) of the tiles in these positions of an uncompressed page, ascending. `index` and\n"
            "`slot`: what must stand there. Raises DamagedContainer.")
        .def(
            "take", &BoundLeafSpans::take,
            "Returns of each kind what was added since the last call: first ticks, and ticks after the last. Spans of\n"
            "one leaf ascend and do not touch; those of several leaves are in no order.");
}

}  // namespace tilescope
