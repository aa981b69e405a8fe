#include "columns/json_numbers.hpp"

#include <algorithm>
#include <cstddef>

#include "columns/text_shape.hpp"

namespace tilescope {

namespace {

constexpr std::size_t most_nested = 64;

// Reads forward over a text; false and nothing more once something is not as it should be.
class Reader {
  public:
    Reader(std::string_view text, std::string& mask) : text_(text), mask_(mask) {}

    bool objects() {
        do {
            if (next() != '{' || !value()) return false;
            skip_spaces();
        } while (place_ < text_.size());
        return true;
    }

  private:
    char next() {
        skip_spaces();
        return place_ < text_.size() ? text_[place_] : '\0';  // begins nothing
    }

    void skip_spaces() {
        while (place_ < text_.size() &&
               (text_[place_] == ' ' || text_[place_] == '\t' || text_[place_] == '\n' || text_[place_] == '\r'))
            ++place_;
    }

    bool take(char c) {
        if (next() != c) return false;
        ++place_;
        return true;
    }

    bool value() {
        switch (next()) {
        case '{': return nested('}', [this] { return next() == '"' && string() && take(':') && value(); });
        case '[': return nested(']', [this] { return value(); });
        case '"': return written_number() || string();
        case 't': return word("true");
        case 'f': return word("false");
        case 'n': return word("null");
        default: {
            const std::size_t first = place_;
            if (begins_with_zeros(place_) || !number(place_)) return false;
            mark(first, place_);
            return true;
        }
        }
    }

    template <typename Item>
    bool nested(char end, const Item& item) {
        if (++depth_ > most_nested) return false;
        ++place_;
        if (next() != end) {
            do {
                if (!item()) return false;
            } while (take(','));
        }
        --depth_;
        return take(end);
    }

    bool word(std::string_view wanted) {
        if (text_.substr(place_, wanted.size()) != wanted) return false;
        place_ += wanted.size();
        return true;
    }

    bool digits(std::size_t& place) const {
        const std::size_t first = place;
        while (place < text_.size() && is_digit(text_[place])) ++place;
        return place > first;
    }

    bool number(std::size_t& place) const {
        if (place < text_.size() && text_[place] == '-') ++place;
        if (!digits(place)) return false;
        if (place < text_.size() && text_[place] == '.' && !digits(++place)) return false;
        if (place < text_.size() && (text_[place] == 'e' || text_[place] == 'E')) {
            ++place;
            if (place < text_.size() && (text_[place] == '+' || text_[place] == '-')) ++place;
            return digits(place);
        }
        return true;
    }

    // Zeros before other digits, which numbers of JSON have not.
    bool begins_with_zeros(std::size_t place) const {
        if (place < text_.size() && text_[place] == '-') ++place;
        return place + 1 < text_.size() && text_[place] == '0' && is_digit(text_[place + 1]);
    }

    // A string that is written as a number.
    bool written_number() {
        std::size_t place = place_ + 1;
        if (!number(place) || place == text_.size() || text_[place] != '"') return false;
        mark(place_, place);
        place_ = place + 1;
        return true;
    }

    bool string() {
        ++place_;
        while (place_ < text_.size()) {
            const char c = text_[place_++];
            if (c == '"') return true;
            if (c == '\\' && !escape()) return false;
        }
        return false;
    }

    bool escape() {
        if (place_ == text_.size()) return false;
        const char c = text_[place_++];
        if (c != 'u') return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
        const std::string_view code = text_.substr(place_, 4);
        place_ += code.size();
        return code.size() == 4 && std::all_of(code.begin(), code.end(), [](char digit) {
                   const char lower = static_cast<char>(digit | 0x20);
                   return is_digit(digit) || (lower >= 'a' && lower <= 'f');
               });
    }

    void mark(std::size_t first, std::size_t stop) {
        for (std::size_t k = first; k < stop; ++k)
            if (is_digit(text_[k])) mask_[k] = 1;
    }

    std::string_view text_;
    std::string& mask_;
    std::size_t place_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace

bool mask_numbers(std::string_view text, std::string& mask) {
    mask.assign(text.size(), 0);
    return Reader(text, mask).objects();
}

}  // namespace tilescope
