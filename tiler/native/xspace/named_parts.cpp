#include "xspace/named_parts.hpp"

namespace tilescope {

NamedParts::NamedParts(Bytes raw, const PartFields& fields, std::size_t most) {
    const std::vector<std::int64_t> begin{0};
    const std::vector<std::int64_t> end{static_cast<std::int64_t>(raw.size())};
    outer_ = message_parts(raw, begin, end, fields.outer, most);
    const std::vector<std::int64_t> numbers = message_numbers(raw, outer_.start, outer_.stop, fields.number);
    for (std::size_t place = 0; place < numbers.size(); ++place)
        place_of_number_[numbers[place]] = static_cast<std::int64_t>(place);
    inner_ = message_parts(raw, outer_.start, outer_.stop, fields.inner, most);
    const MessageParts names = message_parts(raw, inner_.start, inner_.stop, fields.name, most);
    names_ = names.of.size();
    const std::string_view text = text_of(raw);
    for (std::size_t k = 0; k < names_; ++k) {
        const auto first = static_cast<std::size_t>(names.start[k]);
        const auto number = static_cast<std::size_t>(
            names_of_inner_.intern(text.substr(first, static_cast<std::size_t>(names.stop[k]) - first)));
        if (number == inner_of_name_.size()) inner_of_name_.push_back(names.of[k]);
        else inner_of_name_[number] = names.of[k];
    }
}

std::int64_t NamedParts::place_of(std::int64_t number) const {
    const auto found = place_of_number_.find(number);
    return found == place_of_number_.end() ? -1 : found->second;
}

PartPlace NamedParts::outer_at(std::size_t place) const {
    return {static_cast<std::int64_t>(place), outer_.start.at(place), outer_.stop.at(place)};
}

bool NamedParts::find(std::string_view name, PartPlace& found) const {
    const std::int32_t number = names_of_inner_.find(name);
    if (number < 0) return false;
    const auto inner = static_cast<std::size_t>(inner_of_name_[static_cast<std::size_t>(number)]);
    found = {inner_.of[inner], inner_.start[inner], inner_.stop[inner]};
    return true;
}

}  // namespace tilescope
