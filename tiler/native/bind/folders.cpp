// Binds the state of folders.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "files/folder_state.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using NameList = nb::typed<nb::list, nb::str>;
using FileList = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, int, int, int, bool>>;

// As Python's `os` has names of files. Throws nb::python_error.
nb::object file_name(std::string_view name) {
    nb::object text = nb::steal(PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
    if (!text.is_valid()) throw nb::python_error();
    return text;
}

NameList file_names(const std::vector<std::string_view>& names) {
    NameList texts;
    for (const std::string_view name : names) texts.append(file_name(name));
    return texts;
}

}  // namespace

void bind_folders(nb::module_& m) {
    m.def(
        "folder_state",
        [](const nb::bytes& path, const std::vector<std::string>& endings,
           std::size_t most_bytes) -> std::optional<std::pair<nb::bytes, std::int64_t>> {
            const std::string place(path.c_str(), path.size());
            std::optional<FolderState> state;
            {
                const Unlocked unlocked;
                state = folder_state(place, endings, most_bytes);
            }
            if (!state) return std::nullopt;
            return std::pair(to_bytes(state->entries), state->changed_ns);
        },
        nb::arg("path"), nb::arg("endings"), nb::arg("most_bytes"),
        "Returns bytes that differ as soon as entries of a folder do, or sizes and times of files whose names end so,\n"
        "or of what links lead to; and when the inode of any of these was changed last, in ns of the clock, 0 without\n"
        "any. None: it cannot be read, or has too many entries.");
    m.def(
        "plain_entries",
        [](const nb::bytes& state) -> std::optional<std::tuple<FileList, NameList, NameList>> {
            const std::optional<PlainEntries> plain = plain_entries(std::string_view(state.c_str(), state.size()));
            if (!plain) return std::nullopt;
            FileList files;
            for (const StateFile& file : plain->files) {
                files.append(nb::make_tuple(file_name(file.name), file.size, file.modified_ns, file.changed_ns, false));
            }
            return std::tuple(files, file_names(plain->folders), file_names(plain->others));
        },
        nb::arg("state"),
        "Returns what such bytes say, in the order of the system: files whose names end so, each with its bytes, the "
        "ns\n"
        "at which it and its inode were changed, and that it is no link; folders; other entries. None: some are "
        "links,\n"
        "or cannot be told from the bytes. Raises ValueError where they are of no folder.");
}

}  // namespace tilescope
