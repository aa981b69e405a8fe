// The names of events: each text with each category that events of that text have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "columns/intern.hpp"

namespace tilescope {

// Numbers are given in the order of first appearance. Most texts have one category, which is compared and not looked up.
class NameEntries {
  public:
    struct Entry {
        std::int32_t text;
        std::int32_t category;
    };

    // Throws std::length_error beyond 2**31 - 1 texts or categories.
    std::int32_t intern(std::string_view text, std::string_view category);

    // All names of another table, in its order: their numbers here, by number there.
    std::vector<std::int32_t> intern_all(const NameEntries& other);

    std::size_t size() const { return entries_.size(); }
    std::size_t bytes() const { return bytes_; }  // of each name its text and its category
    const Entry& at(std::int32_t number) const { return entries_.at(static_cast<std::size_t>(number)); }
    std::string_view text(std::int32_t number) const { return texts_.at(at(number).text); }
    std::string_view category(std::int32_t number) const { return categories_.at(at(number).category); }

    const Interner& texts() const { return texts_; }
    const Interner& categories() const { return categories_; }

  private:
    struct First {
        std::int32_t number;  // of the name
        std::int32_t category;
    };

    std::int32_t number_of(Entry entry);
    std::int32_t add(Entry entry);

    Interner texts_;
    Interner categories_;
    std::vector<Entry> entries_;
    std::vector<First> first_;           // by text: the first category that it was met with
    Interner others_;                    // text and category, as bytes, of all others
    std::vector<std::int32_t> numbers_;  // of these, by their number in `others_`
    std::size_t bytes_ = 0;
};

}  // namespace tilescope
