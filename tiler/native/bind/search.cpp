// Binds what searches are made of.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/leaf_columns.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "search/hits.hpp"
#include "search/joined_texts.hpp"
#include "search/name_bounds.hpp"
#include "search/page_names.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

std::vector<int64_t> copied(const InInts& column) { return {column.data(), column.data() + column.size()}; }

HitFilter make_filter(const InColumn<bool>& names, int64_t shortest, int64_t longest, const InInts& starts,
                      const InInts& stops, bool reaching) {
    check_windows(starts, stops);
    return {{names.data(), names.data() + names.size()}, shortest, longest, copied(starts), copied(stops), reaching};
}

template <typename Sink>
void add(Sink& sink, const HitFilter& filter, const std::vector<nb::bytes>& pages, size_t max_rows,
         const LeafColumns& leaves) {
    const std::vector<SearchedLeaf> searched = leaves.rows(pages.size());
    const std::vector<Span<const uint8_t>> data = contents_of(pages);
    const Unlocked unlocked;
    SearchRoom room;
    for (size_t k = 0; k < searched.size();) {
        const size_t end = leaves.end_of_page(k);
        const Span<const SearchedLeaf> on_page = Span<const SearchedLeaf>(searched).subspan(k, end - k);
        SearchPage decoded(data[static_cast<size_t>(leaves.page.data()[k])], max_rows, room, on_page);
        sink.add(filter, decoded, on_page);
        k = end;
    }
}

class BoundHitRows {
  public:
    explicit BoundHitRows(HitFilter filter) : filter_(std::move(filter)) {}

    void add(const std::vector<nb::bytes>& pages, size_t max_rows, const LeafColumns& leaves) {
        tilescope::add(rows_, filter_, pages, max_rows, leaves);
    }

    std::tuple<OutInts, OutInts, OutInts, OutInts, OutInts, OutInts, OutInts> take() {
        HitRows taken = std::exchange(rows_, {});
        return {to_numpy(std::move(taken.tag)),   to_numpy(std::move(taken.ordinal)),
                to_numpy(std::move(taken.start)), to_numpy(std::move(taken.duration)),
                to_numpy(std::move(taken.row)),   to_numpy(std::move(taken.name)),
                to_numpy(std::move(taken.flags))};
    }

    size_t size() const { return rows_.tag.size(); }

  private:
    HitFilter filter_;
    HitRows rows_;
};

class BoundHitBins {
  public:
    BoundHitBins(HitFilter filter, HitBins bins) : filter_(std::move(filter)), bins_(std::move(bins)) {}

    void add(const std::vector<nb::bytes>& pages, size_t max_rows, const LeafColumns& leaves) {
        tilescope::add(bins_, filter_, pages, max_rows, leaves);
    }

    void put(const InInts& lane, const InInts& start, const InInts& end) {
        const Span<const int64_t> lanes = span_of(lane), starts = span_of(start), ends = span_of(end);
        const Unlocked unlocked;
        bins_.add(lanes, starts, ends);
    }

    void add_bins(const BoundHitBins& other) {
        const Unlocked unlocked;
        bins_.add(other.bins_);
    }

    std::tuple<OutInts, OutInts, OutInts, OutInts> sums() const {
        HitBins::Sums sums = bins_.sums();
        return {to_numpy(std::move(sums.lane)), to_numpy(std::move(sums.bin)), to_numpy(std::move(sums.count)),
                to_numpy(std::move(sums.busy))};
    }

  private:
    HitFilter filter_;
    HitBins bins_;
};

std::tuple<OutInts, OutInts, OutColumn<uint32_t>> bound_page_names(const std::vector<InColumn<int32_t>>& names,
                                                                   const InInts& track, const InInts& first,
                                                                   const InInts& last, const InInts& page,
                                                                   MemoryBudget* budget) {
    std::vector<LeafNames> leaves(same_size(track, first, last, page));
    for (size_t k = 0; k < leaves.size(); ++k) {
        const auto track_index = static_cast<size_t>(track.data()[k]);
        const auto from = static_cast<size_t>(first.data()[k]), to = static_cast<size_t>(last.data()[k]);
        if (track_index >= names.size() || from > to || to > names[track_index].size() || page.data()[k] < 0 ||
            page.data()[k] > UINT32_MAX) {
            throw std::invalid_argument("there is no such leaf");
        }
        leaves[k] = {span_of(names[track_index]).subspan(from, to - from), static_cast<uint32_t>(page.data()[k])};
    }
    NamesOnPages names_on_pages;
    {
        const Unlocked unlocked;
        names_on_pages = page_names(leaves, budget);
    }
    return {to_numpy(std::move(names_on_pages.name)), to_numpy(std::move(names_on_pages.count)),
            to_numpy(std::move(names_on_pages.page))};
}

std::optional<std::pair<int64_t, int64_t>> bound_name_bounds(const nb::bytes& histogram, size_t max_rows,
                                                             const InColumn<bool>& names) {
    const Bytes record = bytes_of(view_of(histogram));
    const std::vector<uint8_t> wanted(names.data(), names.data() + names.size());
    const Unlocked unlocked;
    const std::optional<NameBounds> bounds = name_bounds(ContainerReader(record, max_rows), wanted);
    if (!bounds) return std::nullopt;
    return std::pair(bounds->shortest, bounds->longest);
}

OutInts bound_texts_with(const nb::bytes& joined, const InInts& ends, const nb::bytes& wanted) {
    std::vector<int64_t> indexes;
    const std::string_view text = view_of(joined), part = view_of(wanted);
    {
        const Unlocked unlocked;
        indexes = texts_with(text, span_of(ends), part);
    }
    return to_numpy(std::move(indexes));
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<BoundHitRows>(m, "HitRows", "Slices that a search finds, page by page, as columns.")
        .def(
            "__init__",
            [](BoundHitRows* self, const InColumn<bool>& names, int64_t shortest, int64_t longest, const InInts& starts,
               const InInts& stops, bool reaching) {
                new (self) BoundHitRows(make_filter(names, shortest, longest, starts, stops, reaching));
            },
            nb::arg("names"), nb::arg("shortest"), nb::arg("longest"), nb::arg("starts"), nb::arg("stops"),
            nb::arg("reaching"),
            "`names`: by name id, shifted by one. `reaching`: also slices that begin before a window.")
        .def(
            "add",
            [](BoundHitRows& self, const std::vector<nb::bytes>& pages, size_t max_rows, const InInts& page,
               const InInts& tile, const InInts& index, const InInts& slot, const InInts& first, const InInts& after,
               const InInts& tag) {
                self.add(pages, max_rows, LeafColumns{page, tile, index, slot, first, after, tag});
            },
            nb::arg("pages"), nb::arg("max_rows"), nb::arg("page"), nb::arg("tile"), nb::arg("index"), nb::arg("slot"),
            nb::arg("first"), nb::arg("after"), nb::arg("tag"),
            "Adds the hits in leaves of some uncompressed pages. `page`: which of them a leaf is of, ascending; "
            "`tile`: its\n"
            "position there; `index` and `slot`: what must stand there; `first`: first tick; slices that reach in "
            "count\n"
            "from `after` on. Raises DamagedContainer.")
        .def("__len__", &BoundHitRows::size)
        .def("take", &BoundHitRows::take,
             "Returns what was added since the last call: tag, ordinal, start, duration, row, name, flags.");
    nb::class_<BoundHitBins>(m, "HitBins", "How many hits start in the bins of some lanes, and how busy they are.")
        .def(
            "__init__",
            [](BoundHitBins* self, const InColumn<bool>& names, int64_t shortest, int64_t longest, const InInts& starts,
               const InInts& stops, int level, int64_t first_bin, size_t bins, size_t lanes, bool by_row) {
                new (self) BoundHitBins(make_filter(names, shortest, longest, starts, stops, true),
                                        HitBins(level, first_bin, bins, lanes, by_row));
            },
            nb::arg("names"), nb::arg("shortest"), nb::arg("longest"), nb::arg("starts"), nb::arg("stops"),
            nb::arg("level"), nb::arg("first_bin"), nb::arg("bins"), nb::arg("lanes"), nb::arg("by_row"),
            "`by_row`: each row of a track has a lane.")
        .def(
            "add",
            [](BoundHitBins& self, const std::vector<nb::bytes>& pages, size_t max_rows, const InInts& page,
               const InInts& tile, const InInts& index, const InInts& slot, const InInts& first, const InInts& after,
               const InInts& tag) {
                self.add(pages, max_rows, LeafColumns{page, tile, index, slot, first, after, tag});
            },
            nb::arg("pages"), nb::arg("max_rows"), nb::arg("page"), nb::arg("tile"), nb::arg("index"), nb::arg("slot"),
            nb::arg("first"), nb::arg("after"), nb::arg("tag"),
            "As that of HitRows; the tag of a leaf is the lane of its track, or of the track's first row.")
        .def("put", &BoundHitBins::put, nb::arg("lane"), nb::arg("start"), nb::arg("end"), "Adds hits by their lanes.")
        .def("add_bins", &BoundHitBins::add_bins, nb::arg("other"), "Adds what another has counted in the same bins.")
        .def("sums", &BoundHitBins::sums,
             "Returns lane, bin, count and busy ticks (at most 2**62) of all bins with something in them.");
    m.def("page_names", &bound_page_names, nb::arg("names"), nb::arg("track"), nb::arg("first"), nb::arg("last"),
          nb::arg("page"), nb::arg("budget") = nb::none(),
          "Returns the names, on how many pages each starts, and these pages, one name's behind the other's; both\n"
          "ascend. Leaves are ordered by page:\n"
          "slices first to last of a track start there. Raises MemoryError.");
    m.def(
        "name_bounds", &bound_name_bounds, nb::arg("histogram"), nb::arg("max_rows"), nb::arg("names"),
        "Returns how long the shortest and the longest slice of some names last that start in the tile of an\n"
        "uncompressed histogram; the shortest is longer where there are none. None: names in it have no row of their\n"
        "own. `names`: by name id, shifted by one. Raises DamagedContainer.");
    m.def("texts_with", &bound_texts_with, nb::arg("joined"), nb::arg("ends"), nb::arg("wanted"),
          "Returns which of some texts contain another, ascending. One byte that is in none follows each.");
}

}  // namespace tilescope
