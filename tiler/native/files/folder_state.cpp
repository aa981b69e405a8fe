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

void append_status(std::string& state, int folder, const char* name) {
    struct stat status{};
    if (::fstatat(folder, name, &status, 0) != 0) {
        append(state, errno);
        return;
    }
    append(state, status.st_mode);
    append(state, status.st_size);
    append(state, status.st_mtim.tv_sec);
    append(state, status.st_mtim.tv_nsec);
    append(state, status.st_ctim.tv_sec);
    append(state, status.st_ctim.tv_nsec);
}

}  // namespace

std::optional<std::string> folder_state(const std::string& path, const std::vector<std::string>& endings,
                                        std::size_t most_bytes) {
    const std::unique_ptr<DIR, Closer> folder(::opendir(path.c_str()));
    if (folder == nullptr) return std::nullopt;
    std::string state;
    while (true) {
        errno = 0;
        const dirent* entry = ::readdir(folder.get());
        if (entry == nullptr) break;
        const std::string_view name(entry->d_name);
        if (name.front() == '.') continue;
        state.append(name).push_back('\0');
        state.push_back(static_cast<char>(entry->d_type));
        const bool has_file_type = entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN;
        if (entry->d_type != DT_DIR && (!has_file_type || ends_so(name, endings))) {
            append_status(state, ::dirfd(folder.get()), entry->d_name);
        }
        if (state.size() > most_bytes) return std::nullopt;
    }
    return errno == 0 ? std::optional(std::move(state)) : std::nullopt;
}

}  // namespace tilescope
