#include "files/folder_state.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

namespace tilescope {

namespace {

constexpr std::int64_t kMostSeconds = 9'000'000'000;  // a time beyond is that of no clock, and would not fit

struct Closer {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

template <typename Number>
void append(std::string& state, Number number) {
    const auto bits = static_cast<std::uint64_t>(number);
    for (unsigned shift = 0; shift < 64; shift += 8) state.push_back(static_cast<char>((bits >> shift) & 0xff));
}

bool ends_so(std::string_view name, const std::vector<std::string>& endings) {
    return std::any_of(endings.begin(), endings.end(), [name](const std::string& ending) {
        return name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending;
    });
}

void add_status(FolderState& state, int folder, const char* name) {
    struct stat status{};
    if (::fstatat(folder, name, &status, 0) != 0) {
        append(state.entries, errno);
        return;
    }
    append(state.entries, status.st_mode);
    append(state.entries, status.st_size);
    append(state.entries, status.st_mtim.tv_sec);
    append(state.entries, status.st_mtim.tv_nsec);
    append(state.entries, status.st_ctim.tv_sec);
    append(state.entries, status.st_ctim.tv_nsec);
    const std::int64_t changed_s = std::min<std::int64_t>(status.st_ctim.tv_sec, kMostSeconds);
    state.changed_ns = std::max(state.changed_ns, changed_s * 1'000'000'000 + status.st_ctim.tv_nsec);
}

}  // namespace

std::optional<FolderState> folder_state(const std::string& path, const std::vector<std::string>& endings,
                                        std::size_t most_bytes) {
    const std::unique_ptr<DIR, Closer> folder(::opendir(path.c_str()));
    if (folder == nullptr) return std::nullopt;
    FolderState state;
    while (true) {
        errno = 0;
        const dirent* entry = ::readdir(folder.get());
        if (entry == nullptr) break;
        const std::string_view name(entry->d_name);
        if (name.front() == '.') continue;
        state.entries.append(name).push_back('\0');
        state.entries.push_back(static_cast<char>(entry->d_type));
        const bool has_file_type = entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN;
        if (entry->d_type != DT_DIR && (!has_file_type || ends_so(name, endings))) {
            add_status(state, ::dirfd(folder.get()), entry->d_name);
        }
        if (state.entries.size() > most_bytes) return std::nullopt;
    }
    return errno == 0 ? std::optional(std::move(state)) : std::nullopt;
}

}  // namespace tilescope
