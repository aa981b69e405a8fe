// Texts that differ in their numbers alone, such as the arguments of trace events, in a tenth of the room.
//
// A text is packed as the number of what stands around its digits, and the values of the digits, each as a varint. What is
// packed tells its own length: texts one behind the other unpack to one text, and an empty one takes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "columns/intern.hpp"

namespace tilescope {

class PackedTexts {
  public:
    // String k is data[ends[k-1], ends[k]) with ends[-1] = 0. Appends what they pack to to `packed`, and writes the ends
    // there, counted from where it began, to `packed_ends`. Throws std::invalid_argument unless ends grow within the data.
    void pack(Span<const std::int64_t> ends, Bytes data, Span<std::int64_t> packed_ends,
              std::vector<std::uint8_t>& packed);

    // Appends the text to `out`. Throws std::invalid_argument for what `pack` did not make. Many threads may do so at a time.
    void unpack(Bytes packed, std::string& out) const;

    std::size_t shapes() const { return shapes_.size(); }

  private:
    void pack_one(std::string_view text, std::vector<std::uint8_t>& packed);

    Interner shapes_;  // with a zero byte for each number
    std::string shape_;
    std::vector<std::uint64_t> numbers_;
};

}  // namespace tilescope
