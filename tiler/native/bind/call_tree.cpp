// Binds call trees of the slices of leaves.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/exceptions.hpp"
#include "bind/leaf_columns.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "search/call_nodes.hpp"
#include "search/call_sweep.hpp"
#include "search/call_tree.hpp"
#include "search/search_page.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

struct NodesMessage {
    nb::tuple operator()(const TooManyNodes& error) const { return nb::make_tuple(error.what()); }
};

class BoundCallTree {
  public:
    void add(const std::vector<nb::bytes>& pages, std::size_t max_rows, const LeafColumns& columns, int64_t track,
             int32_t root, int64_t start, int64_t stop, const InInts& starts, const InInts& stops,
             const InInts& left_out) {
        tree_.check_at_rest();
        if (root < CallNodes::kNoNode || root >= static_cast<int64_t>(tree_.nodes().size())) {
            throw std::invalid_argument("no such node");
        }
        if (start < 0) throw std::invalid_argument("no such tick");
        check_windows(starts, stops);
        const CallPiece piece{track, root, start, stop, span_of(starts), span_of(stops), span_of(left_out)};
        if (!std::is_sorted(piece.left_out.begin(), piece.left_out.end())) {
            throw std::invalid_argument("ordinals do not ascend");
        }
        const std::vector<SearchedLeaf> leaves = columns.rows(pages.size());
        const std::vector<Span<const uint8_t>> contents = contents_of(pages);
        const Unlocked unlocked;
        // Leaves of different levels take turns, and so do their pages: each is opened once, for all of its leaves.
        std::vector<std::vector<SearchedLeaf>> leaves_on(contents.size());
        for (std::size_t k = 0; k < leaves.size(); ++k) leaves_on[page_of(columns, k)].push_back(leaves[k]);
        std::vector<SearchRoom> rooms(contents.size());
        std::vector<SearchPage> opened;
        opened.reserve(contents.size());
        for (std::size_t p = 0; p < contents.size(); ++p) {
            opened.emplace_back(contents[p], max_rows, rooms[p], leaves_on[p]);
        }
        CallSweep sweep(tree_, piece);
        for (std::size_t k = 0, end = 0; k < leaves.size(); k = end) {
            end = columns.end_of_page(k);
            sweep.add(opened[page_of(columns, k)], Span<const SearchedLeaf>(leaves).subspan(k, end - k));
        }
        sweep.finish();
    }

    int32_t node(const InInts& names, int32_t below) {
        tree_.check_at_rest();
        if (below < CallNodes::kNoNode || below >= static_cast<int64_t>(tree_.nodes().size())) {
            throw std::invalid_argument("no such node");
        }
        int32_t node = below;
        for (const int64_t name : span_of(names)) {
            if (name < INT32_MIN || name > INT32_MAX) throw std::invalid_argument("no such name");
            node = tree_.nodes().child(node, static_cast<int32_t>(name));
        }
        return node;
    }

    bool take(BoundCallTree& other, std::size_t most) {
        const Unlocked unlocked;
        return tree_.take(other.tree_, most);
    }

    std::tuple<OutInts, OutInts, OutInts, OutInts> open_places() const {
        std::vector<int64_t> track, ordinal, start, row;
        for (const OpenPlace& place : tree_.open_places()) {
            track.push_back(place.track);
            ordinal.push_back(place.ordinal);
            start.push_back(place.start);
            row.push_back(place.row);
        }
        return {to_numpy(std::move(track)), to_numpy(std::move(ordinal)), to_numpy(std::move(start)),
                to_numpy(std::move(row))};
    }

    void close_places(const InInts& nodes) { tree_.close_places(span_of(nodes)); }

    bool settle(std::size_t most) {
        const Unlocked unlocked;
        return tree_.settle(most);
    }

    std::tuple<int64_t, int64_t, int64_t, int64_t> totals() const {
        const Unlocked unlocked;
        const CallTotals totals = tree_.nodes().totals();
        return {totals.nodes, totals.self, totals.count, totals.levels};
    }

    std::vector<OutInts> rows(std::size_t limit, int64_t levels) const {
        CallRows rows;
        {
            const Unlocked unlocked;
            rows = tree_.nodes().rows(limit, levels);
        }
        std::vector<OutInts> columns;
        for (std::vector<int64_t>* column : {&rows.parent, &rows.name, &rows.total, &rows.self, &rows.count,
                                             &rows.calls, &rows.longest, &rows.track, &rows.ordinal}) {
            columns.push_back(to_numpy(std::move(*column)));
        }
        return columns;
    }

  private:
    static std::size_t page_of(const LeafColumns& columns, std::size_t leaf) {
        return static_cast<std::size_t>(columns.page.data()[leaf]);
    }

    CallTree tree_;
};

}  // namespace

void bind_call_tree(nb::module_& m) {
    bind_exception<TooManyNodes>(m, "TooManyNodes", PyExc_ValueError, "A call tree has too many nodes.",
                                 NodesMessage());
    m.attr("MOST_NODES") = CallTree::kMostNodes;
    nb::class_<BoundCallTree>(m, "CallTree", "Chains of names in which slices lie, and what their slices come to.")
        .def(nb::init<>())
        .def(
            "add",
            [](BoundCallTree& self, const std::vector<nb::bytes>& pages, std::size_t max_rows, const InInts& page,
               const InInts& tile, const InInts& index, const InInts& slot, const InInts& first, const InInts& after,
               int64_t track, int32_t root, int64_t start, int64_t stop, const InInts& starts, const InInts& stops,
               const InInts& left_out) {
                self.add(pages, max_rows, LeafColumns{page, tile, index, slot, first, after, page}, track, root, start,
                         stop, starts, stops, left_out);
            },
            nb::arg("pages"), nb::arg("max_rows"), nb::arg("page"), nb::arg("tile"), nb::arg("index"), nb::arg("slot"),
            nb::arg("first"), nb::arg("after"), nb::arg("track"), nb::arg("root"), nb::arg("start"), nb::arg("stop"),
            nb::arg("starts"), nb::arg("stops"), nb::arg("left_out"),
            "Adds what lies in windows and in the ticks [start, stop) of a track, whose leaves in them these are, by "
            "time; as\n"
            "`HitRows.add`. `root`: the node around it, -1 none. `left_out`: ordinals of slices that do not count, "
            "ascending;\n"
            "nor do the ticks in which one of them started last. Raises DamagedContainer and TooManyNodes.")
        .def("node", &BoundCallTree::node, nb::arg("names"), nb::arg("below") = CallNodes::kNoNode,
             "Returns the node of a chain of names, from the top down, below a node, -1 none. Raises TooManyNodes.")
        .def("take", &BoundCallTree::take, nb::arg("other"), nb::arg("most"),
             "Moves up to so many nodes of another tree without open places here; False once that is empty. Raises\n"
             "TooManyNodes.")
        .def("open_places", &BoundCallTree::open_places,
             "Returns track, ordinal, start and row of slices whose parents did not lie in the leaves that were added.")
        .def("close_places", &BoundCallTree::close_places, nb::arg("nodes"),
             "Says which node lies around each of these slices, -1 none; `settle` moves them there.")
        .def("settle", &BoundCallTree::settle, nb::arg("most"),
             "Moves up to so many nodes to where their closed places are; False once none is left. Raises "
             "TooManyNodes.")
        .def("totals", &BoundCallTree::totals,
             "Returns how many nodes there are, ticks, slices that start, and levels.")
        .def("rows", &BoundCallTree::rows, nb::arg("limit"), nb::arg("levels"),
             "Returns the nodes with the most ticks, parents first: row of the parent, name, ticks with those of all "
             "nodes\n"
             "below, own ticks, slices that start, these with those of all nodes below; duration, track and ordinal of "
             "the\n"
             "longest slice that starts, -1 where none does.");
}

}  // namespace tilescope
