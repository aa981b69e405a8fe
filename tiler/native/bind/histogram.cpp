// Binds the histograms of names.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/histogram.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

void check(const SliceColumns& slices) {
    for (size_t k = 0; k < slices.n; ++k) {
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
                    const InColumn<uint8_t>& level, const InColumn<int64_t>& index, const InColumn<bool>& leaf)
        : start_(start), duration_(duration), name_(name) {
        if (duration.size() != start.size() || name.size() != start.size() || index.size() != level.size() ||
            leaf.size() != level.size()) {
            throw std::invalid_argument("columns differ in length");
        }
        nb::gil_scoped_release release;
        const SliceColumns slices{start.data(), duration.data(), nullptr, name.data(), nullptr, start.size()};
        check(slices);
        std::vector<HistogramTile> tiles(level.size());
        for (size_t k = 0; k < tiles.size(); ++k) tiles[k] = {index.data()[k], level.data()[k], leaf.data()[k]};
        walk_ = std::make_unique<HistogramWalk>(slices, std::move(tiles));
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

}  // namespace

void bind_histogram(nb::module_& m) {
    nb::class_<BoundHistograms>(m, "Histograms", "The histograms of names of a track's tiles, one after the other.")
        .def(nb::init<const InColumn<int64_t>&, const InColumn<int64_t>&, const InColumn<int32_t>&,
                      const InColumn<uint8_t>&, const InColumn<int64_t>&, const InColumn<bool>&>(),
             nb::arg("start"), nb::arg("duration"), nb::arg("name"), nb::arg("level"), nb::arg("index"),
             nb::arg("leaf"), "Of slices in canonical order, and of tiles in the order in which they are wanted.")
        .def("next", &BoundHistograms::next, nb::arg("rows"),
             "Returns level and index of the next tile, and of each of its names, so many at most: name, count,\n"
             "busy time, self time, longest. None: there are no more tiles.");
}

}  // namespace tilescope
