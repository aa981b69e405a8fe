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
// are those of folders in which nothing of this has changed; the bytes mean nothing else. Nothing for a folder that cannot
// be read, or whose state is longer than `most_bytes`.
std::optional<FolderState> folder_state(const std::string& path, const std::vector<std::string>& endings,
                                        std::size_t most_bytes);

}  // namespace tilescope
