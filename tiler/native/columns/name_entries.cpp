#include "columns/name_entries.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace tilescope {

std::int32_t NameEntries::intern(std::string_view text, std::string_view category) {
    const std::int32_t number = texts_.intern(text);
    if (const auto place = static_cast<std::size_t>(number); place < first_.size()) {
        const First& first = first_[place];
        if (categories_.at(first.category) == category) return first.number;
    }
    return number_of({number, categories_.intern(category)});
}

std::vector<std::int32_t> NameEntries::intern_all(const NameEntries& other) {
    const std::vector<std::int32_t> texts = texts_.intern_all(other.texts_);
    const std::vector<std::int32_t> categories = categories_.intern_all(other.categories_);
    std::vector<std::int32_t> numbers;
    numbers.reserve(other.size());
    for (const Entry& entry : other.entries_) {
        numbers.push_back(number_of(
            {texts[static_cast<std::size_t>(entry.text)], categories[static_cast<std::size_t>(entry.category)]}));
    }
    return numbers;
}

// Texts are met in the order of their numbers: a new one is the next in `first_`.
std::int32_t NameEntries::number_of(Entry entry) {
    if (static_cast<std::size_t>(entry.text) >= first_.size()) {
        first_.push_back({add(entry), entry.category});
        return first_.back().number;
    }
    const First& first = first_[static_cast<std::size_t>(entry.text)];
    if (first.category == entry.category) return first.number;
    std::array<char, sizeof entry> bytes{};
    std::memcpy(bytes.data(), &entry, sizeof entry);
    const auto place = static_cast<std::size_t>(others_.intern({bytes.data(), bytes.size()}));
    if (place == numbers_.size()) numbers_.push_back(add(entry));
    return numbers_[place];
}

std::int32_t NameEntries::add(Entry entry) {
    if (entries_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::length_error("too many distinct names");
    entries_.push_back(entry);
    bytes_ += texts_.at(entry.text).size() + categories_.at(entry.category).size();
    return static_cast<std::int32_t>(entries_.size()) - 1;
}

}  // namespace tilescope
