#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/exceptions.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "bind/written.hpp"
#include "pages/container.hpp"
#include "pages/container_reader.hpp"
#include "pages/literal_block.hpp"
#include "pages/own_blocks.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

struct Message {
    nb::tuple operator()(const DamagedContainer& error) const { return nb::make_tuple(error.what()); }
};

// Id, whether it is one of doubles, and the values, doubles as their bits.
using DecodedColumn = std::tuple<int, bool, OutColumn<int64_t>>;

std::vector<DecodedColumn> container_columns(const nb::bytes& data, size_t max_rows,
                                             const std::optional<std::vector<int>>& only) {
    std::vector<ContainerReader::Column> stored;
    std::vector<std::vector<int64_t>> values;
    {
        const Unlocked unlocked;
        stored = ContainerReader(bytes_of(view_of(data)), max_rows).columns();
        const auto is_left = [&only](const ContainerReader::Column& column) {
            return only && std::find(only->begin(), only->end(), column.id) == only->end();
        };
        stored.erase(std::remove_if(stored.begin(), stored.end(), is_left), stored.end());
        values.reserve(stored.size());
        for (const ContainerReader::Column& column : stored) values.push_back(ContainerReader::decode(column));
    }
    std::vector<DecodedColumn> columns;
    columns.reserve(stored.size());
    for (std::size_t k = 0; k < stored.size(); ++k) {
        columns.emplace_back(stored[k].id, stored[k].is_float(), to_numpy(std::move(values[k])));
    }
    return columns;
}

// Id and values of each column.
using AnyInts = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IntColumns = std::vector<std::tuple<uint8_t, AnyInts>>;

template <typename T>
Span<const T> ints_of(const AnyInts& column) {
    return {static_cast<const T*>(column.data()), column.size()};
}

nb::bytes encode_container(const nb::bytes& magic, int level, uint32_t n_tiles, uint32_t block,
                           const IntColumns& columns) {
    if (magic.size() != 4) throw std::invalid_argument("a magic number has four bytes");
    ContainerWriter out(magic.c_str(), level, n_tiles, block);
    {
        const Unlocked unlocked;
        for (const auto& [id, values] : columns) {
            if (values.dtype() == nb::dtype<int64_t>()) out.smaller(id, ints_of<int64_t>(values));
            else if (values.dtype() == nb::dtype<uint32_t>()) out.smaller(id, ints_of<uint32_t>(values));
            else throw std::invalid_argument("a column has integers of 64 bits, or of 32 without a sign");
        }
    }
    return written(out);
}

nb::bytes python_bytes(const std::vector<uint8_t>& made) { return nb::bytes(made.data(), made.size()); }

std::vector<std::tuple<std::size_t, std::size_t, nb::bytes>> own_blocks(const nb::bytes& data, size_t max_rows) {
    std::vector<OwnBlocks> made;
    {
        const Unlocked unlocked;
        made = blocks_without_matches(bytes_of(view_of(data)), max_rows);
    }
    std::vector<std::tuple<std::size_t, std::size_t, nb::bytes>> blocks;
    blocks.reserve(made.size());
    for (const OwnBlocks& block : made) blocks.emplace_back(block.first, block.last, python_bytes(block.deflated));
    return blocks;
}

nb::bytes literal_blocks(const std::vector<nb::bytes>& parts) {
    BitWriter out;
    for (const nb::bytes& part : parts) write_literals(bytes_of(view_of(part)), out);
    end_with_byte(out);
    return python_bytes(out.take());
}

}  // namespace

void bind_container(nb::module_& m) {
    bind_exception<DamagedContainer>(m, "DamagedContainer", PyExc_ValueError, "Bytes that are no column container.",
                                     Message());
    m.def("container_columns", &container_columns, nb::arg("data"), nb::arg("max_rows"), nb::arg("only") = nb::none(),
          "Returns id and values of each column, or of those that are asked for, and whether they are the bits of\n"
          "doubles. Raises DamagedContainer.");
    m.def("encode_container", &encode_container, nb::arg("magic"), nb::arg("level"), nb::arg("n_tiles"),
          nb::arg("block"), nb::arg("columns"),
          nb::sig("def encode_container(magic: bytes, level: int, n_tiles: int, block: int, "
                  "columns: Sequence[tuple[int, NDArray[numpy.int64] | NDArray[numpy.uint32]]]) -> bytes"),
          "Returns a container of these columns, each by its id: int64 or uint32.");
    m.def(
        "blocks_without_matches", &own_blocks, nb::arg("data"), nb::arg("max_rows"),
        "Returns blocks of deflate for planes of a container in which nothing comes again, and for short stretches\n"
        "beside them: the first byte that they stand for, the one after the last, and the blocks, which begin and end\n"
        "with a byte. Raises DamagedContainer.");
    m.def("literal_blocks", &literal_blocks, nb::arg("parts"),
          "Returns blocks of deflate that stand for the parts, one after the other, none of which is the last of a\n"
          "member. They have no repetitions; each part has a code of its own.");
}

}  // namespace tilescope
