#include "base/system.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tilescope::system {

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

bool replace_by_zeros(std::uintptr_t begin, std::size_t bytes) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is what a signal told
    void* mapping = mmap(reinterpret_cast<void*>(begin), bytes, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    return mapping != MAP_FAILED;
}

void drop_pages(const std::uint8_t* begin, std::size_t bytes) {
    madvise(const_cast<std::uint8_t*>(begin), bytes, MADV_DONTNEED);
}

void allow_reading(const std::uint8_t* begin, std::size_t bytes, bool is_allowed) {
    mprotect(const_cast<std::uint8_t*>(begin), bytes, is_allowed ? PROT_READ : PROT_NONE);
}

void trim_heap() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void keep_in_heap([[maybe_unused]] std::size_t bytes, [[maybe_unused]] int parts) {
#ifdef __GLIBC__
    // Never below what malloc begins with: pieces that are mapped one by one go back at once.
    const std::size_t least = 128U << 10U;
    const std::size_t kept = std::clamp(bytes, least, std::size_t{1} << 30);
    mallopt(M_MMAP_THRESHOLD, static_cast<int>(std::clamp(kept / 8, least, std::size_t{32} << 20)));
    // Each part keeps what is free at its end, which `malloc_trim` gives back of the first part alone.
    const auto most_parts = static_cast<std::size_t>(std::max(parts, 1));
    mallopt(M_ARENA_MAX, static_cast<int>(most_parts));
    mallopt(M_TRIM_THRESHOLD, static_cast<int>(std::max(kept / most_parts, least)));
#endif
}

}  // namespace tilescope::system
