// A file that is read by position.
//
// It is never mapped: who reads beyond the end of a file that somebody has cut short meanwhile gets an error here, where
// a map would end the process.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/span.hpp"

namespace tilescope {

// An error that says what is wrong with a file, and at which of its bytes.
class FileDamage : public std::runtime_error {
  public:
    FileDamage(const std::string& what, std::uint64_t offset) : std::runtime_error(what), offset_(offset) {}
    std::uint64_t offset() const { return offset_; }

  private:
    std::uint64_t offset_;
};

class ReadOnlyFile {
  public:
    // Takes over the descriptor. Throws FileDamage when it is none of a plain file.
    explicit ReadOnlyFile(int descriptor);
    ~ReadOnlyFile();
    ReadOnlyFile(const ReadOnlyFile&) = delete;
    ReadOnlyFile& operator=(const ReadOnlyFile&) = delete;

    std::uint64_t size() const;

    // Fills `to`. Throws FileDamage when the file ends before, or cannot be read.
    void read(std::uint64_t offset, Span<std::uint8_t> to) const;

    // The same for two buffers whose bytes follow each other in the file.
    void read(std::uint64_t offset, Span<std::uint8_t> first, Span<std::uint8_t> second) const;

  private:
    int descriptor_;
};

}  // namespace tilescope
