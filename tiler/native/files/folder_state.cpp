#include "files/folder_state.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

constexpr std::int64_t kMostSeconds = 9'000'000'000;  // a time beyond is that of no clock, and would not fit
constexpr std::size_t kStatusNumbers = 6;

enum class Recorded : char { nothing, status, error };  // of an entry, behind its type

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
        state.entries.push_back(static_cast<char>(Recorded::error));
        append(state.entries, errno);
        return;
    }
    state.entries.push_back(static_cast<char>(Recorded::status));
    append(state.entries, status.st_mode);
    append(state.entries, status.st_size);
    append(state.entries, status.st_mtim.tv_sec);
    append(state.entries, status.st_mtim.tv_nsec);
    append(state.entries, status.st_ctim.tv_sec);
    append(state.entries, status.st_ctim.tv_nsec);
    const std::int64_t changed_s = std::min<std::int64_t>(status.st_ctim.tv_sec, kMostSeconds);
    state.changed_ns = std::max(state.changed_ns, changed_s * 1'000'000'000 + status.st_ctim.tv_nsec);
}

// Takes what `append` wrote, one behind the other. Throws std::invalid_argument at the end of the bytes.
class StateBytes {
  public:
    explicit StateBytes(std::string_view left) : left_(left) {}

    bool is_done() const { return left_.empty(); }

    std::string_view name() {
        const std::size_t length = left_.find('\0');
        if (length == std::string_view::npos) throw std::invalid_argument("a name without an end");
        const std::string_view taken = take(length);
        take(1);
        return taken;
    }

    char character() { return take(1).front(); }

    std::int64_t number() {
        std::uint64_t bits = 0;
        unsigned shift = 0;
        for (const char byte : take(sizeof bits)) {
            bits |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
            shift += 8;
        }
        return static_cast<std::int64_t>(bits);
    }

  private:
    std::string_view take(std::size_t count) {
        if (count > left_.size()) throw std::invalid_argument("an entry is cut short");
        const std::string_view taken = left_.substr(0, count);
        left_.remove_prefix(count);
        return taken;
    }

    std::string_view left_;
};

// Nothing for a time that would not fit.
std::optional<std::int64_t> nanoseconds(std::int64_t seconds, std::int64_t rest) {
    if (seconds < -kMostSeconds || seconds > kMostSeconds || rest < 0 || rest >= 1'000'000'000) return std::nullopt;
    return seconds * 1'000'000'000 + rest;
}

}  // namespace

std::optional<PlainEntries> plain_entries(std::string_view state) {
    PlainEntries plain;
    for (StateBytes bytes(state); !bytes.is_done();) {
        const std::string_view name = bytes.name();
        const auto type = static_cast<unsigned char>(bytes.character());
        const auto recorded = static_cast<Recorded>(bytes.character());
        if (recorded < Recorded::nothing || recorded > Recorded::error)
            throw std::invalid_argument("an entry of no kind");
        if (type == DT_LNK || type == DT_UNKNOWN || recorded == Recorded::error) return std::nullopt;
        if (recorded == Recorded::status) {
            std::array<std::int64_t, kStatusNumbers> status{};
            for (std::int64_t& number : status) number = bytes.number();
            const auto modified_ns = nanoseconds(status[2], status[3]);
            const auto changed_ns = nanoseconds(status[4], status[5]);
            if (!modified_ns || !changed_ns) return std::nullopt;
            if (S_ISREG(static_cast<mode_t>(status[0]))) {
                plain.files.push_back({name, status[1], *modified_ns, *changed_ns});
                continue;
            }
        }
        (type == DT_DIR ? plain.folders : plain.others).push_back(name);
    }
    return plain;
}

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
        } else {
            state.entries.push_back(static_cast<char>(Recorded::nothing));
        }
        if (state.entries.size() > most_bytes) return std::nullopt;
    }
    return errno == 0 ? std::optional(std::move(state)) : std::nullopt;
}

}  // namespace tilescope
