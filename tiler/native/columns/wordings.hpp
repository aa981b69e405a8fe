// Wordings of the arguments of trace events: their JSON without numbers in which no searched word can be.
//
// Events whose arguments differ in ids and times alone have one wording. A number without words in it is a zero byte there.
// Where texts that differ in their numbers have too many wordings, and in what is not written strictly, each number is a byte 1
// instead: of what stands there nothing is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "columns/intern.hpp"
#include "columns/packed_texts.hpp"
#include "columns/part_texts.hpp"

namespace tilescope {

class Wordings {
  public:
    // `texts` outlive this. Throws std::invalid_argument for parts without events.
    Wordings(const PackedTexts& texts, std::size_t part_events);

    // The next events of a track: those of event k are packed[ends[k-1], ends[k]), from `begin` on. Throws std::invalid_argument
    // for ends that decrease or lie beyond the data, and for what no packer made.
    void add(Span<const std::int64_t> ends, std::int64_t begin, Bytes packed);

    // All of them. To be asked once, at the end.
    PartTexts& finish();

  private:
    // Texts that are alike but for numbers.
    struct Kind {
        std::int64_t events = 0;
        std::int64_t wordings = 0;
        bool is_open = false;  // it has too many
    };

    // Texts of one shape: while numbers in words are those of the text before, the wording is its wording.
    struct Shape {
        bool is_open = false;  // it has the wording in which all numbers are open
        std::size_t numbers = 0;
        std::size_t first_number = 0;  // in `before_`
        std::vector<std::uint32_t> in_words;  // numbers that are in words
        std::int32_t wording = -1;  // none was counted
        std::size_t kind = 0;
    };

    void add(Bytes packed);
    Shape& shape(std::uint64_t number);
    bool count_alike(const Shape& shape);
    void count_text(Bytes packed, Shape* shape);
    bool write_wordings();
    void find_numbers_in_words(Shape& shape) const;

    const PackedTexts& packed_;
    PartTexts parts_;
    std::vector<std::uint32_t> places_;  // by number of a shape, in `shapes_`, counted from 1; 0: it was not met
    std::vector<Shape> shapes_;  // those that were met
    std::vector<std::uint64_t> before_;  // numbers of the text before of each of them
    std::vector<std::uint64_t> values_;  // of the text that is read
    Interner opened_;  // texts with a byte 1 for each number
    std::vector<Kind> kinds_;  // of these
    std::string text_, mask_, exact_, open_;  // of the text that is read
};

}  // namespace tilescope
