// Binds the proof of records that name slices: flow ends, flow tiles, steps.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bind/prove.hpp"
#include "prove/failure.hpp"
#include "prove/flow_chunk.hpp"
#include "prove/flow_tiles.hpp"
#include "prove/slice_finder.hpp"

namespace tilescope {

namespace {

// Columns of arrays, moved into a tuple.
template <typename Columns>
nb::tuple tuple_of(Columns columns) {
    nb::list out;
    for (auto& column : columns) out.append(to_numpy(std::move(column)));
    return nb::tuple(out);
}

class BoundFlowChunk {
  public:
    BoundFlowChunk(nb::bytes data, std::size_t track) : data_(std::move(data)), chunk_(bytes_of(data_), track) {}

    // The next ends, so many at most; none at the end.
    nb::object read(std::size_t most) {
        if (chunk_.left() == 0) return nb::none();
        ProveFlowChunk::Piece piece;
        chunk_.read(most, piece);
        return tuple_of(std::move(piece));
    }
    ProveFlowChunk& chunk() { return chunk_; }

  private:
    nb::bytes data_;
    ProveFlowChunk chunk_;
};

nb::object tuple_of_wrong(const ProveFlowTiles::Wrong& wrong) {
    if (wrong.what.empty()) return nb::none();
    return nb::make_tuple(wrong.level, wrong.index, wrong.what);
}

class BoundFlowTiles {
  public:
    BoundFlowTiles(int root_level, std::size_t tracks, std::size_t ends, ProveMemory& memory)
        : tiles_(root_level, tracks, ends, memory) {
        if (root_level < 0 || root_level >= kProveLevels) throw std::invalid_argument("no such run");
    }

    void add(BoundFlowChunk& chunk) {
        nb::gil_scoped_release release;
        tiles_.add(chunk.chunk());
    }

    nb::object check(int level, const std::vector<Array<int64_t>>& columns) {
        if (columns.size() != 12) throw std::invalid_argument("columns are missing");
        ProveFlowColumns tiles;
        std::vector<int64_t>* const members[] = {&tiles.index,         &tiles.n_bins,       &tiles.n_edges,
                                                 &tiles.bin,           &tiles.out,          &tiles.into,
                                                 &tiles.other_out,     &tiles.other_in,     &tiles.edge_bin,
                                                 &tiles.edge_incoming, &tiles.edge_partner, &tiles.edge_count};
        for (std::size_t k = 0; k < columns.size(); ++k) {
            *members[k] = copy_of<int64_t>(columns[k]);
            const std::size_t group = k < 3 ? 0 : k < 8 ? 3 : 8;
            if (members[k]->size() != members[group]->size()) throw std::invalid_argument("columns differ in length");
        }
        for (std::size_t k = 0; k < tiles.index.size(); ++k) {
            if (tiles.n_bins[k] < 0 || tiles.n_edges[k] < 0)
                throw std::invalid_argument("a tile has less than nothing");
        }
        ProveFlowTiles::Wrong wrong;
        {
            nb::gil_scoped_release release;
            wrong = tiles_.check(level, tiles);
        }
        return tuple_of_wrong(wrong);
    }

    nb::object finish() { return tuple_of_wrong(tiles_.finish()); }

  private:
    ProveFlowTiles tiles_;
};

class BoundSliceFinder {
  public:
    BoundSliceFinder(const BoundTree& tree, nb::callable fetch, ProveMemory& memory)
        : tree_(tree.tree()), fetch_(std::move(fetch)), finder_(tree_, fetch_by(fetch_, memory)) {}

    // Slices of leaves: `leaves` has the position of each, `ordinals` ascend.
    nb::object find(const Array<int64_t>& leaves, const Array<int64_t>& ordinals, const std::string& what) {
        const auto tiles = copy_of<std::size_t>(leaves);
        const auto wanted = copy_of<int64_t>(ordinals);
        if (tiles.size() != wanted.size()) throw std::invalid_argument("columns differ in length");
        for (const std::size_t tile : tiles) {
            if (tile >= tree_.size() || !tree_.is_leaf(tile)) throw std::invalid_argument("no such leaf");
        }
        ProveSliceFinder::Found found;
        for (auto& column : found) column.reserve(wanted.size());
        {
            nb::gil_scoped_release release;
            for (std::size_t first = 0; first < wanted.size();) {
                std::size_t last = first + 1;
                while (last < wanted.size() && tiles[last] == tiles[first]) ++last;
                finder_.find(tiles[first], wanted.data() + first, wanted.data() + last, what, found);
                first = last;
            }
        }
        return tuple_of(std::move(found));
    }

  private:
    const ProveTree& tree_;
    nb::callable fetch_;
    ProveSliceFinder finder_;
};

}  // namespace

void bind_prove_flows(nb::module_& m);  // module.cpp calls it

void bind_prove_flows(nb::module_& m) {
    nb::register_exception_translator([](const std::exception_ptr& pending, void*) {
        try {
            std::rethrow_exception(pending);
        } catch (const WrongRecord& error) {
            PyErr_SetString(PyExc_ValueError, error.what());
        }
    });
    nb::class_<BoundFlowChunk>(m, "ProveFlowChunk")
        .def(nb::init<nb::bytes, std::size_t>(), nb::arg("data"), nb::arg("track"))
        .def("read", &BoundFlowChunk::read, nb::arg("most"));
    nb::class_<BoundFlowTiles>(m, "ProveFlowTiles")
        .def(nb::init<int, std::size_t, std::size_t, ProveMemory&>(), nb::arg("root_level"), nb::arg("tracks"),
             nb::arg("ends"), nb::arg("memory"), nb::keep_alive<1, 5>())
        .def("add", &BoundFlowTiles::add, nb::arg("chunk"))
        .def("check", &BoundFlowTiles::check, nb::arg("level"), nb::arg("columns"))
        .def("finish", &BoundFlowTiles::finish);
    nb::class_<BoundSliceFinder>(m, "ProveSliceFinder")
        .def(nb::init<const BoundTree&, nb::callable, ProveMemory&>(), nb::arg("tree"), nb::arg("fetch"),
             nb::arg("memory"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
        .def("find", &BoundSliceFinder::find, nb::arg("leaves"), nb::arg("ordinals"), nb::arg("what"));
}

}  // namespace tilescope
