// Texts that differ in their numbers alone, such as the arguments of trace events, in a tenth of the room.
//
// A text is packed as the number of what stands around its digits, and the values of the digits, each as a varint. What is
// packed tells its own length: texts one behind the other unpack to one text, and an empty one takes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "columns/column.hpp"
#include "columns/intern.hpp"
#include "columns/shape_guess.hpp"
#include "columns/text_shape.hpp"

namespace tilescope {

constexpr std::uint64_t kTextAsItIs = 0;  // in the place of a shape; shapes are counted from 1

class TextPacker;

// The shapes of all texts. Packers may use it from many threads at a time; nothing may be unpacked meanwhile.
class PackedTexts {
  public:
    PackedTexts();
    ~PackedTexts();
    PackedTexts(const PackedTexts&) = delete;
    PackedTexts& operator=(const PackedTexts&) = delete;
    PackedTexts(PackedTexts&&) = delete;
    PackedTexts& operator=(PackedTexts&&) = delete;

    // A packer that no other thread has, and what was lent before. They know their shapes already.
    std::unique_ptr<TextPacker> lend();
    void take_back(std::unique_ptr<TextPacker> packer);

    // The number of a shape; -1 where there is no room for one more.
    std::int32_t number_of(std::string_view shape);

    // Throws std::out_of_range for a number that no shape has.
    std::string_view shape(std::int32_t number) const { return shapes_.at(number); }

    // String k is data[ends[k-1], ends[k]) with ends[-1] = 0. Appends what they pack to to `packed`, and writes the ends
    // there, counted from where it began, to `packed_ends`. Throws std::invalid_argument unless ends grow within the data.
    void pack(Span<const std::int64_t> ends, Bytes data, Span<std::int64_t> packed_ends, Column<char>& packed);

    // Appends the text to `out`. Throws std::invalid_argument for what no packer made. Many threads may do so at a time.
    void unpack(Bytes packed, std::string& out) const;

    std::size_t shapes() const { return shapes_.size(); }

  private:
    std::mutex mutex_;
    Interner shapes_;  // with a mark for each number
    std::vector<std::unique_ptr<TextPacker>> idle_;
};

// Packs texts in one thread.
class TextPacker {
  public:
    explicit TextPacker(PackedTexts& texts) : texts_(texts) {}

    // Appends the packed text to `packed`.
    void pack(std::string_view text, Column<char>& packed);

    // The same for members as one JSON object; nothing where there are none. Quicker where they end in what was guessed.
    void pack_object(const std::vector<std::string_view>& members, Column<char>& packed);

    ShapeGuess& guess() { return guess_; }

  private:
    bool end(Column<char>& packed);
    bool pack_guessed(const std::vector<std::string_view>& members, std::size_t size, Column<char>& packed);
    void name_guess(const std::vector<std::string_view>& members);
    std::int32_t number_of(std::string_view shape);

    PackedTexts& texts_;
    Interner packed_shapes_;  // shapes
    std::vector<std::int32_t> numbers_;  // of them among all
    TextShape shape_;
    std::int32_t number_ = -1;  // of the shape that was packed last
    ShapeGuess guess_;
    std::string before_;
};

}  // namespace tilescope
