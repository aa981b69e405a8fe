// Binds the packing of arguments that are texts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/packed_texts.hpp"
#include "columns/text_chunk.hpp"
#include "columns/wordings.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

std::pair<OutColumn<int64_t>, OutColumn<uint8_t>> pack(PackedTexts& texts, const InColumn<int64_t>& ends,
                                                       const InColumn<uint8_t>& data) {
    std::vector<int64_t> packed_ends(ends.size());
    Column<char> packed;
    {
        const Unlocked unlocked;
        texts.pack(span_of(ends), span_of(data), packed_ends, packed);
    }
    return {to_numpy(std::move(packed_ends)), to_numpy_as<uint8_t>(packed)};
}

std::tuple<OutColumn<uint32_t>, nb::bytes> unpack(const PackedTexts& texts, const InColumn<int64_t>& ends,
                                                  const InColumn<uint8_t>& packed, size_t first, size_t most_bytes,
                                                  size_t most_texts) {
    std::vector<uint32_t> lengths;
    std::string out;
    {
        const Unlocked unlocked;
        const Span<const int64_t> text_ends = span_of(ends);
        if (first >= text_ends.size()) throw std::invalid_argument("texts that are not there");
        int64_t before = first == 0 ? 0 : text_ends[first - 1];
        for (size_t k = first; k < text_ends.size() && lengths.size() < most_texts; ++k) {
            if (before < 0 || text_ends[k] < before) throw std::invalid_argument("ends decrease");
            const size_t begin = out.size();
            texts.unpack(
                span_of(packed).subspan(static_cast<size_t>(before), static_cast<size_t>(text_ends[k] - before)), out);
            if (out.size() > most_bytes && k > first) {
                out.resize(begin);
                break;
            }
            lengths.push_back(static_cast<uint32_t>(out.size() - begin));
            before = text_ends[k];
        }
    }
    return {to_numpy(std::move(lengths)), to_bytes(out)};
}

std::tuple<OutColumn<uint32_t>, nb::bytes> next_chunk(TextChunks& chunks, const InColumn<int64_t>& ends,
                                                      const InColumn<uint8_t>& packed, size_t first, size_t most_bytes,
                                                      size_t most_rows) {
    const Span<const int64_t> text_ends = span_of(ends);
    const Bytes texts = span_of(packed);
    TextChunk chunk;
    {
        const Unlocked unlocked;
        chunk = chunks.next(text_ends, texts, first, most_bytes, most_rows);
    }
    return {to_numpy(std::move(chunk.counts)), to_bytes(chunk.bytes)};
}

std::tuple<OutColumn<int64_t>, nb::bytes> read_chunk(const InColumn<uint32_t>& counts, const InColumn<uint8_t>& bytes,
                                                     size_t most_bytes) {
    const Span<const uint32_t> rows = span_of(counts);
    const Bytes chunk = span_of(bytes);
    ChunkTexts chunk_texts;
    {
        const Unlocked unlocked;
        chunk_texts = texts_of_chunk(rows, chunk, most_bytes);
    }
    return {to_numpy(std::move(chunk_texts.ends)), to_bytes(chunk_texts.texts)};
}

std::tuple<std::vector<nb::bytes>, OutColumn<int32_t>> read_row_shapes(const InColumn<uint32_t>& counts,
                                                                       const InColumn<uint8_t>& bytes) {
    RowShapes read;
    {
        const Unlocked unlocked;
        read = row_shapes_of_chunk(span_of(counts), span_of(bytes));
    }
    std::vector<nb::bytes> shapes;
    shapes.reserve(read.shapes.size());
    for (const std::string_view shape : read.shapes) shapes.push_back(to_bytes(shape));
    return {std::move(shapes), to_numpy(std::move(read.rows))};
}

auto finished_wordings(Wordings& self) {
    PartTexts& made = self.finish();
    return std::make_tuple(to_list(made.texts()), to_numpy(std::move(made.sizes())), to_numpy(std::move(made.places())),
                           to_numpy(std::move(made.counts())));
}

}  // namespace

void bind_packed_texts(nb::module_& m) {
    nb::class_<PackedTexts>(m, "PackedTexts", "Texts of which many differ in their numbers alone.")
        .def(nb::init<>())
        .def("pack", &pack, nb::arg("ends"), nb::arg("data"),
             "Returns the same texts packed: their ends, and bytes. Text k is data[ends[k-1]:ends[k]]. What is packed\n"
             "may be put in any order, also one behind the other.")
        .def("unpack", &unpack, nb::arg("ends"), nb::arg("packed"), nb::arg("first"), nb::arg("most_bytes"),
             nb::arg("most_texts"),
             "Returns the lengths and the bytes of the texts from `first` on, as many as fit; at least one.")
        .def_prop_ro("shapes", &PackedTexts::shapes, "How many different ones there are, numbers aside.");
    nb::class_<TextChunks>(m, "TextChunks", "Makes chunks of packed texts that can be read without the others.")
        .def(nb::init<const PackedTexts&>(), nb::arg("texts"), nb::keep_alive<1, 2>())
        .def("next", &next_chunk, nb::arg("ends"), nb::arg("packed"), nb::arg("first"), nb::arg("most_bytes"),
             nb::arg("most_rows"),
             "Returns the chunk that begins with this row: of each of its rows how many texts it has, and bytes. It "
             "ends\n"
             "when it has so many rows, or more than so many bytes, packed and of shapes.");
    nb::class_<Wordings>(m, "Wordings",
                         "Counts how many events of a track have the same arguments but for numbers without words.")
        .def(nb::init<const PackedTexts&, size_t>(), nb::arg("texts"), nb::arg("part_events"), nb::keep_alive<1, 2>(),
             "`texts`: those that are packed. Raises ValueError for parts without events.")
        .def(
            "add",
            [](Wordings& self, const InColumn<int64_t>& ends, int64_t begin, const InColumn<uint8_t>& packed) {
                const Unlocked unlocked;
                self.add(span_of(ends), begin, span_of(packed));
            },
            nb::arg("ends"), nb::arg("begin"), nb::arg("packed"),
            "Adds the next events: those of event k are packed[ends[k-1]:ends[k]], from `begin` on. Raises ValueError.")
        .def(
            "finish", &finished_wordings,
            "Returns wordings: JSON with a zero byte for each number without words, or a byte 1 for each number where\n"
            "nothing is known of it; by part of the track how many of them its events have, -1 too many; part by part\n"
            "which, and how many events have each. To be asked once, at the end.");
    m.def("row_shapes_of_chunk", &read_row_shapes, nb::arg("counts"), nb::arg("bytes"),
          "Returns the shapes of such a chunk, with a zero byte for each number, and for each row the place of its "
          "shape\n"
          "among these; -1 where it has no text, -2 where it has several, or one without a shape. Raises ValueError.");
    m.def("texts_of_chunk", &read_chunk, nb::arg("counts"), nb::arg("bytes"), nb::arg("most_bytes"),
          "Returns the texts of such a chunk: the end of each row, and bytes. Raises ValueError for what is\n"
          "damaged, and for more than so many bytes.");
}

}  // namespace tilescope
