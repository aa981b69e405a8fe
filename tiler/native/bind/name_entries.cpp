#include "bind/name_entries.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope {

namespace {

std::vector<nb::str> texts_of(const Interner& strings) {
    std::vector<nb::str> out;
    out.reserve(strings.size());
    for (std::size_t k = 0; k < strings.size(); ++k) {
        const std::string_view text = strings.at(static_cast<std::int32_t>(k));
        out.push_back(nb::str(text.data(), text.size()));
    }
    return out;
}

}  // namespace

ListOfTuples<nb::str, nb::str> pairs_of(const NameEntries& names) {
    nb::list out;
    const std::vector<nb::str> texts = texts_of(names.texts());
    const std::vector<nb::str> categories = texts_of(names.categories());
    for (std::size_t name = 0; name < names.size(); ++name) {
        const NameEntries::Entry& entry = names.at(static_cast<std::int32_t>(name));
        out.append(nb::make_tuple(texts[static_cast<std::size_t>(entry.text)],
                                  categories[static_cast<std::size_t>(entry.category)]));
    }
    return out;
}

}  // namespace tilescope
