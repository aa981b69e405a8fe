// Binds the proof of records that name slices: flow ends, flow tiles, steps.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/module.hpp"
#include "bind/prove.hpp"
#include "bind/unlocked.hpp"
#include "prove/failure.hpp"
#include "prove/flow_chunk.hpp"
#include "prove/flow_tiles.hpp"
#include "prove/slice_finder.hpp"

namespace tilescope {

namespace {

// Columns, moved into a tuple.
template <std::size_t... K>
auto tuple_of(std::array<std::vector<int64_t>, sizeof...(K)> columns, std::index_sequence<K...>) {
    return std::make_tuple(to_numpy(std::move(columns[K]))...);
}

template <std::size_t N>
auto tuple_of(std::array<std::vector<int64_t>, N> columns) {
    return tuple_of(std::move(columns), std::make_index_sequence<N>());
}

// The type that `tuple_of` makes of such columns.
template <typename Columns>
using TupleOf = decltype(tuple_of(std::declval<Columns>()));

class BoundFlowChunk {
  public:
    BoundFlowChunk(nb::bytes data, std::size_t track) : data_(std::move(data)), chunk_(bytes_in(data_), track) {}

    std::optional<TupleOf<ProveFlowChunk::Piece>> read(std::size_t most) {
        if (chunk_.left() == 0) return std::nullopt;
        ProveFlowChunk::Piece piece;
        chunk_.read(most, piece);
        return tuple_of(std::move(piece));
    }
    ProveFlowChunk& chunk() { return chunk_; }

  private:
    nb::bytes data_;
    ProveFlowChunk chunk_;
};

// (level, index, what is wrong), if something is.
using WrongFlowTile = std::optional<std::tuple<int, int64_t, std::string>>;

WrongFlowTile tuple_of_wrong(const ProveFlowTiles::Wrong& wrong) {
    if (wrong.what.empty()) return std::nullopt;
    return std::make_tuple(wrong.level, wrong.index, wrong.what);
}

class BoundFlowTiles {
  public:
    BoundFlowTiles(int root_level, std::size_t tracks, std::size_t ends, ProveMemory& memory)
        : tiles_(root_level, tracks, ends, memory) {
        if (root_level < 0 || root_level >= kProveLevels) throw std::invalid_argument("no such run");
    }

    void add(BoundFlowChunk& chunk) {
        const Unlocked unlocked;
        tiles_.add(chunk.chunk());
    }

    void add_launches(const InColumn<int64_t>& incoming, const InColumn<int64_t>& tick,
                      const InColumn<int64_t>& partner) {
        const Unlocked unlocked;
        tiles_.add_launches(span_of(incoming), span_of(tick), span_of(partner));
    }

    WrongFlowTile check(int level, const std::vector<InColumn<int64_t>>& columns) {
        if (columns.size() != 10) throw std::invalid_argument("columns are missing");
        ProveFlowColumns tiles;
        std::vector<int64_t>* const members[] = {
            &tiles.index, &tiles.n_bins,   &tiles.n_edges,       &tiles.bin,          &tiles.out,
            &tiles.into,  &tiles.edge_bin, &tiles.edge_incoming, &tiles.edge_partner, &tiles.edge_count};
        for (std::size_t k = 0; k < columns.size(); ++k) {
            *members[k] = copy_of<int64_t>(columns[k]);
            const std::size_t group = k < 3 ? 0 : k < 6 ? 3 : 6;
            same_size(*members[k], *members[group]);
        }
        for (std::size_t k = 0; k < tiles.index.size(); ++k) {
            if (tiles.n_bins[k] < 0 || tiles.n_edges[k] < 0)
                throw std::invalid_argument("a tile has less than nothing");
        }
        ProveFlowTiles::Wrong wrong;
        {
            const Unlocked unlocked;
            wrong = tiles_.check(level, tiles);
        }
        return tuple_of_wrong(wrong);
    }

    WrongFlowTile finish() { return tuple_of_wrong(tiles_.finish()); }

  private:
    ProveFlowTiles tiles_;
};

class BoundSliceFinder {
  public:
    BoundSliceFinder(const BoundTree& tree, Fetch fetch, ProveMemory& memory)
        : tree_(tree.tree()), fetch_(std::move(fetch)), finder_(tree_, fetch_by(fetch_, memory)) {}

    // Slices of leaves: `leaves` has the position of each, `ordinals` ascend.
    TupleOf<ProveSliceFinder::Found> find(const InColumn<int64_t>& leaves, const InColumn<int64_t>& ordinals,
                                          const std::string& what) {
        const auto tiles = copy_of<std::size_t>(leaves);
        const auto wanted = copy_of<int64_t>(ordinals);
        same_size(tiles, wanted);
        for (const std::size_t tile : tiles) {
            if (tile >= tree_.size() || !tree_.is_leaf(tile)) throw std::invalid_argument("no such leaf");
        }
        ProveSliceFinder::Found slices;
        for (auto& column : slices) column.reserve(wanted.size());
        {
            const Unlocked unlocked;
            for (std::size_t first = 0; first < wanted.size();) {
                std::size_t last = first + 1;
                while (last < wanted.size() && tiles[last] == tiles[first]) ++last;
                finder_.find(tiles[first], Span<const int64_t>(wanted).subspan(first, last - first), what, slices);
                first = last;
            }
        }
        return tuple_of(std::move(slices));
    }

  private:
    const ProveTree& tree_;
    Fetch fetch_;
    ProveSliceFinder finder_;
};

}  // namespace

void bind_prove_flows(nb::module_& m) {
    nb::register_exception_translator([](const std::exception_ptr& pending, void*) {
        try {
            std::rethrow_exception(pending);
        } catch (const WrongRecord& error) {
            PyErr_SetString(PyExc_ValueError, error.what());
        }
    });
    nb::class_<BoundFlowChunk>(m, "ProveFlowChunk", "A chunk of a track's flow ends. Raises ValueError.")
        .def(nb::init<nb::bytes, std::size_t>(), nb::arg("data"), nb::arg("track"))
        .def("read", &BoundFlowChunk::read, nb::arg("most"),
             "Returns the next ends, so many at most: ordinal, incoming, tick; of the partner: track, ordinal,\n"
             "tick, start, name. None: there are no more.");
    nb::class_<BoundFlowTiles>(m, "ProveFlowTiles", "The flow tiles of a track, held against its flow ends.")
        .def(nb::init<int, std::size_t, std::size_t, ProveMemory&>(), nb::arg("root_level"), nb::arg("tracks"),
             nb::arg("ends"), nb::arg("memory"), nb::keep_alive<1, 5>())
        .def("add", &BoundFlowTiles::add, nb::arg("chunk"), "Takes all ends of a chunk.")
        .def("add_launches", &BoundFlowTiles::add_launches, nb::arg("incoming"), nb::arg("tick"), nb::arg("partner"),
             "Takes ends of launches that no flow of the file tells.")
        .def("check", &BoundFlowTiles::check, nb::arg("level"), nb::arg("columns"),
             "Returns level, index, and what is wrong with the first wrong tile of these; None: nothing. The\n"
             "columns: index, bins and edges of each tile; of each bin: bin, out, in, other out, other in; of each\n"
             "edge: bin, incoming, partner, count.")
        .def("finish", &BoundFlowTiles::finish, "Returns the same of a tile that is missing, after the last.");
    nb::class_<BoundSliceFinder>(m, "ProveSliceFinder", "Finds single slices of a track by their ordinals.")
        .def(nb::init<const BoundTree&, Fetch, ProveMemory&>(), nb::arg("tree"), nb::arg("fetch"), nb::arg("memory"),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
        .def("find", &BoundSliceFinder::find, nb::arg("leaves"), nb::arg("ordinals"), nb::arg("what"),
             "Returns start, duration, name and flags of slices: `leaves` has the position of each one's tile,\n"
             "`ordinals` ascend. Raises WrongTile, which says `what` lies in no tile.");
}

}  // namespace tilescope
