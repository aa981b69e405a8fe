// The few things that this code asks of Linux and of glibc. On another system these functions are what has to be written
// anew; all else is C++17 and POSIX (`pread`, `preadv` and signal handlers in `files/`, `pread` in `pyramid/`).
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilescope::system {

// The size of a page of memory.
std::size_t page_bytes();

// Puts zeros where a map of a file was, from the page at `begin` on. Safe in a signal handler: on Linux it is one system call.
bool replace_by_zeros(std::uintptr_t begin, std::size_t bytes);

// Gives pages of a map that is only read back to the system, which reads them again when they are touched again. What it
// cannot do costs memory, and nothing else.
void drop_pages(const std::uint8_t* begin, std::size_t bytes);

// Lets pages of a map be read, or not: whoever reads them nevertheless gets SIGSEGV. What it cannot do leaves them as they are.
void allow_reading(const std::uint8_t* begin, std::size_t bytes, bool is_allowed);

// Gives memory that is free but kept for later back to the system. Nothing, where the heap does not say how.
void trim_heap();

// Has the heap keep so much of what is freed for what comes next, large arrays included, in so many parts that threads
// share. Nothing, where it does not say how.
void keep_in_heap(std::size_t bytes, int parts);

}  // namespace tilescope::system
