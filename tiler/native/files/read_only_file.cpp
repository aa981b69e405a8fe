#include "files/read_only_file.hpp"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <system_error>

namespace tilescope {

namespace {

constexpr std::uint64_t kMaxOffset = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

ReadOnlyFile::ReadOnlyFile(int descriptor) : descriptor_(descriptor) {
    struct stat status{};
    if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) return;
    ::close(descriptor_);
    throw FileDamage("it is no plain file", 0);
}

ReadOnlyFile::~ReadOnlyFile() { ::close(descriptor_); }

std::uint64_t ReadOnlyFile::size() const {
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0) throw FileDamage("its size cannot be read: " + reason(), 0);
    return static_cast<std::uint64_t>(status.st_size);
}

void ReadOnlyFile::read(std::uint64_t offset, Span<std::uint8_t> to) const {
    if (offset > kMaxOffset || to.size() > kMaxOffset - offset) throw FileDamage("no file is as long as that", offset);
    while (!to.empty()) {
        const ssize_t got = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
        if (got < 0) {
            if (errno == EINTR) continue;
            throw FileDamage("it cannot be read: " + reason(), offset);
        }
        if (got == 0) throw FileDamage("the file ends here, it was cut short", offset);
        to = to.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
}

void ReadOnlyFile::read(std::uint64_t offset, Span<std::uint8_t> first, Span<std::uint8_t> second) const {
    const std::size_t size = first.size() + second.size();
    if (offset > kMaxOffset || size > kMaxOffset - offset) throw FileDamage("no file is as long as that", offset);
    const std::array<iovec, 2> parts{iovec{first.data(), first.size()}, iovec{second.data(), second.size()}};
    const ssize_t got = ::preadv(descriptor_, parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(offset));
    if (got >= 0 && static_cast<std::size_t>(got) == size) return;
    read(offset, first);  // interrupted, or an error, which it names
    read(offset + first.size(), second);
}

}  // namespace tilescope
