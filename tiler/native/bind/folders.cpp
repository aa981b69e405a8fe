// Binds the state of folders.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
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
           std::size_t most_bytes) -> std::optional<nb::bytes> {
            const std::string place(path.c_str(), path.size());
            std::optional<std::string> state;
            {
                const nb::gil_scoped_release unlocked;
                state = folder_state(place, endings, most_bytes);
            }
            if (!state) return std::nullopt;
            return to_bytes(*state);
        },
        nb::arg("path"), nb::arg("endings"), nb::arg("most_bytes"),
        "Returns bytes that differ as soon as entries of a folder do, or sizes and times of files whose names end so,\n"
        "or of what links lead to. None: it cannot be read, or has too many entries.");
}

}  // namespace tilescope
