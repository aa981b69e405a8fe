// Counts of the rows of each part of a track that have each of some texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "columns/intern.hpp"

namespace tilescope {

// Limits of a list of texts: where it would be as long as what they are of, a part has none.
struct TextRoom {
    std::size_t most_of_part;  // texts of one part
    std::size_t first_bytes;  // of all texts together, and one more for each so many bytes that were seen
    std::size_t bytes_per_text_byte;
    std::size_t most_bytes;  // of all texts together, however many bytes were seen
    // So many texts of a part are listed even if each row has another one; else there are at most so many of as many rows.
    std::size_t few_texts;
    std::size_t texts;
    std::size_t rows;
};

class PartTexts {
  public:
    // Throws std::invalid_argument for parts without rows.
    PartTexts(std::size_t part_rows, TextRoom room);

    // True until the part has too many texts: what comes in the rest of it need not be looked at.
    bool has_room() const { return !is_many_; }

    // True if there is room for a text of so many bytes that has no number.
    bool has_room_for(std::size_t bytes) const;

    // A row has so many bytes.
    void see(std::size_t bytes) { seen_bytes_ += bytes; }

    // A row of this part has a text. Returns its number; -1 where there is no room.
    std::int32_t count(std::string_view text);

    // The same of a text that has a number.
    void count(std::int32_t number);

    // A row of this part has a text that is not to be listed.
    void leave_out() { is_many_ = true; }

    // Ends a row.
    void end_row() {
        if (++part_size_ == part_rows_) end_part();
    }

    // Ends the last part, and drops texts of parts that are not listed. To be called once, at the end.
    void finish();

    std::int32_t find(std::string_view text) const { return texts_.find(text); }
    const Interner& texts() const { return texts_; }
    std::vector<std::int32_t>& sizes() { return sizes_; }  // by part: how many texts its rows have; -1: too many
    std::vector<std::int32_t>& places() { return places_; }  // part by part, ascending: which ones
    std::vector<std::int32_t>& counts() { return counts_; }  // rows that have each

  private:
    void end_part();

    std::size_t part_rows_;
    TextRoom room_;
    std::size_t seen_bytes_ = 0;
    Interner texts_;
    std::vector<std::int32_t> sizes_, places_, counts_;
    // The part that has not ended.
    std::size_t part_size_ = 0;
    std::size_t with_texts_ = 0;  // rows that have any
    bool is_many_ = false;
    std::vector<std::int32_t> in_part_;  // by text
    std::vector<std::int32_t> met_;  // texts that the part has
};

}  // namespace tilescope
