// Binds the state of folders.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "files/folder_state.hpp"

namespace nb = nanobind;

namespace tilescope {

void bind_folders(nb::module_& m) {
    m.def(
        "folder_state",
        [](const nb::bytes& path, const std::vector<std::string>& endings,
           std::size_t most_bytes) -> std::optional<std::pair<nb::bytes, std::int64_t>> {
            const std::string place(path.c_str(), path.size());
            std::optional<FolderState> state;
            {
                const nb::gil_scoped_release unlocked;
                state = folder_state(place, endings, most_bytes);
            }
            if (!state) return std::nullopt;
            return std::pair(to_bytes(state->entries), state->changed_ns);
        },
        nb::arg("path"), nb::arg("endings"), nb::arg("most_bytes"),
        "Returns bytes that differ as soon as entries of a folder do, or sizes and times of files whose names end so,\n"
        "or of what links lead to; and when the inode of any of these was changed last, in ns of the clock, 0 without\n"
        "any. None: it cannot be read, or has too many entries.");
}

}  // namespace tilescope
