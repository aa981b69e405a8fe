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
    struct stat found{};
    if (::fstat(descriptor_, &found) == 0 && S_ISREG(found.st_mode)) return;
    ::close(descriptor_);
    throw FileDamage("it is no plain file", 0);
}

ReadOnlyFile::~ReadOnlyFile() { ::close(descriptor_); }

std::uint64_t ReadOnlyFile::size() const {
    struct stat found{};
    if (::fstat(descriptor_, &found) != 0) throw FileDamage("its size cannot be read: " + reason(), 0);
    return static_cast<std::uint64_t>(found.st_size);
}

void ReadOnlyFile::read(std::uint64_t offset, void* to, std::size_t size) const {
    auto* next = static_cast<std::uint8_t*>(to);
    if (offset > kMaxOffset || size > kMaxOffset - offset) throw FileDamage("no file is as long as that", offset);
    while (size > 0) {
        const ssize_t got = ::pread(descriptor_, next, size, static_cast<off_t>(offset));
        if (got < 0) {
            if (errno == EINTR) continue;
            throw FileDamage("it cannot be read: " + reason(), offset);
        }
        if (got == 0) throw FileDamage("the file ends here, it was cut short", offset);
        const auto count = static_cast<std::size_t>(got);
        next += count;
        offset += count;
        size -= count;
    }
}

void ReadOnlyFile::read(std::uint64_t offset, void* first, std::size_t first_size, void* second,
                        std::size_t second_size) const {
    if (offset > kMaxOffset || first_size + second_size > kMaxOffset - offset) {
        throw FileDamage("no file is as long as that", offset);
    }
    const std::array<iovec, 2> parts{iovec{first, first_size}, iovec{second, second_size}};
    const ssize_t got = ::preadv(descriptor_, parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(offset));
    if (got >= 0 && static_cast<std::size_t>(got) == first_size + second_size) return;
    read(offset, first, first_size);  // interrupted, or an error, which it names
    read(offset + first_size, second, second_size);
}

}  // namespace tilescope
