// The state of a folder: what is in it, with the sizes and times of files, as bytes that are compared with earlier ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct FolderState {
    std::string entries;
    std::int64_t changed_ns = 0;  // when the inode of any of its files was changed last; 0 without files
};

// The entries of a folder in the order in which the system lists them, but for hidden ones: name and type of each, and, as
// `stat` has them, mode, size and times of those whose names end so, of links and of what has no type there. Equal states
// are those of folders in which nothing of this has changed; `plain_entries` reads the bytes. Nothing for a folder that
// cannot be read, or whose state is longer than `most_bytes`.
std::optional<FolderState> folder_state(const std::string& path, const std::vector<std::string>& endings,
                                        std::size_t most_bytes);

// A regular file whose status is in a state; times in ns of the clock.
struct StateFile {
    std::string_view name;
    std::int64_t size = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
};

// The entries of a state, in its order; names lie in the state.
struct PlainEntries {
    std::vector<StateFile> files;
    std::vector<std::string_view> folders;
    std::vector<std::string_view> others;
};

// Nothing where some entry is a link or has no type or no status, or a time that does not fit: such a folder has to be
// listed. Throws std::invalid_argument where the bytes are no state.
std::optional<PlainEntries> plain_entries(std::string_view state);

}  // namespace tilescope
