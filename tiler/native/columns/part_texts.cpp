#include "columns/part_texts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tilescope {

PartTexts::PartTexts(std::size_t part_rows, TextRoom room) : part_rows_(part_rows), room_(room) {
    if (part_rows == 0) throw std::invalid_argument("parts without events");
}

bool PartTexts::has_room_for(std::size_t bytes) const {
    const std::size_t limit = std::min(room_.most_bytes, room_.first_bytes + seen_bytes_ / room_.bytes_per_text_byte);
    return texts_.bytes() + bytes <= limit;
}

std::int32_t PartTexts::count(std::string_view text) {
    std::int32_t number = texts_.find(text);
    if (number < 0) {
        is_many_ = !has_room_for(text.size());
        if (is_many_) return -1;
        number = texts_.intern(text);
        in_part_.push_back(0);
    }
    count(number);
    return number;
}

void PartTexts::count(std::int32_t number) {
    ++with_texts_;
    if (in_part_[static_cast<std::size_t>(number)]++ == 0) met_.push_back(number);
    is_many_ = met_.size() > room_.most_of_part;
}

void PartTexts::end_part() {
    std::sort(met_.begin(), met_.end());
    if (met_.size() > room_.few_texts && met_.size() * room_.rows > with_texts_ * room_.texts) is_many_ = true;
    sizes_.push_back(is_many_ ? -1 : static_cast<std::int32_t>(met_.size()));
    for (const std::int32_t text : met_) {
        std::int32_t& rows = in_part_[static_cast<std::size_t>(text)];
        if (!is_many_) {
            places_.push_back(text);
            counts_.push_back(rows);
        }
        rows = 0;
    }
    met_.clear();
    with_texts_ = 0;
    part_size_ = 0;
    is_many_ = false;
}

void PartTexts::finish() {
    if (part_size_ > 0) end_part();
    std::vector<std::int32_t> number(texts_.size(), -1);
    for (const std::int32_t place : places_) number[static_cast<std::size_t>(place)] = 0;
    Interner listed;
    for (std::size_t k = 0; k < number.size(); ++k)
        if (number[k] == 0) number[k] = listed.intern(texts_.at(static_cast<std::int32_t>(k)));
    for (std::int32_t& place : places_) place = number[static_cast<std::size_t>(place)];
    texts_ = std::move(listed);
}

}  // namespace tilescope
