// Binds what a store keeps of the metadata of an XSpace.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "xspace/metadata_tables.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Calls `make`, which makes a page, without the GIL.
template <typename Make>
nb::bytes page_of(const Make& make) {
    std::string page;
    {
        const Unlocked unlocked;
        page = make();
    }
    return to_bytes(page);
}

}  // namespace

void bind_xspace_metadata(nb::module_& m) {
    nb::class_<xspace::MetadataTables>(m, "XSpaceMetadata",
                                       "The metadata of events by its numbers: that which they use, then all other.")
        .def("advance", &xspace::MetadataTables::advance, nb::arg("count"), nb::call_guard<Unlocked>(),
             "Looks at so many more numbers. Returns whether there are more; all else is complete when there are none.")
        .def_prop_ro("entries", &xspace::MetadataTables::entries, "How many numbers are the first of their kind.")
        .def(
            "columns",
            [](const xspace::MetadataTables& tables) {
                xspace::MetadataColumns columns;
                {
                    const Unlocked unlocked;
                    columns = tables.columns();
                }
                return std::make_tuple(to_numpy(std::move(columns.plane)), to_numpy(std::move(columns.id)),
                                       to_numpy(std::move(columns.name_index)), to_numpy(std::move(columns.alike)));
            },
            "Returns of each number its plane, its id, the index of its name, -1: no event uses it, and the first\n"
            "number with the same names and stats.")
        .def(
            "stats",
            [](const xspace::MetadataTables& tables, std::size_t page, std::size_t per_page) {
                return page_of([&] { return tables.stats(page, per_page); });
            },
            nb::arg("page"), nb::arg("per_page"), "Returns a page of stats, of those that are the first of their kind.")
        .def(
            "texts",
            [](const xspace::MetadataTables& tables, std::size_t page, std::size_t per_page) {
                return page_of([&] { return tables.texts(page, per_page); });
            },
            nb::arg("page"), nb::arg("per_page"), "Returns a page of their names and longer names.")
        .def(
            "said",
            [](const xspace::MetadataTables& tables, const std::vector<std::vector<std::int64_t>>& ids,
               std::size_t first, std::size_t count) {
                xspace::StatTexts stat_texts;
                {
                    const Unlocked unlocked;
                    stat_texts = tables.stat_texts(ids, first, count);
                }
                std::vector<std::tuple<nb::bytes, std::int32_t, std::int64_t>> texts;
                texts.reserve(stat_texts.texts.size());
                for (const xspace::StatTexts::Text& text : stat_texts.texts)
                    texts.emplace_back(to_bytes(text.text), text.plane, text.reference);
                return std::make_tuple(to_numpy(std::move(stat_texts.place)), std::move(texts));
            },
            nb::arg("ids"), nb::arg("first"), nb::arg("count"),
            "Returns of so many of those that are the first of their kind the place of the text that one of their "
            "stats\n"
            "says, -1 none, the stat being that of these ids on each plane; and the texts: the text itself and -1, or\n"
            "the plane and the id of a name there.");
}

}  // namespace tilescope
