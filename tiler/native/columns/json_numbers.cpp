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
        } while (at_ < text_.size());
        return true;
    }

  private:
    char next() {
        skip_spaces();
        return at_ < text_.size() ? text_[at_] : '\0';  // begins nothing
    }

    void skip_spaces() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
            ++at_;
    }

    bool take(char c) {
        if (next() != c) return false;
        ++at_;
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
            const std::size_t first = at_;
            if (begins_with_zeros(at_) || !number(at_)) return false;
            mark(first, at_);
            return true;
        }
        }
    }

    template <typename Item>
    bool nested(char end, const Item& item) {
        if (++depth_ > most_nested) return false;
        ++at_;
        if (next() != end) {
            do {
                if (!item()) return false;
            } while (take(','));
        }
        --depth_;
        return take(end);
    }

    bool word(std::string_view wanted) {
        if (text_.substr(at_, wanted.size()) != wanted) return false;
        at_ += wanted.size();
        return true;
    }

    bool digits(std::size_t& at) const {
        const std::size_t first = at;
        while (at < text_.size() && is_digit(text_[at])) ++at;
        return at > first;
    }

    bool number(std::size_t& at) const {
        if (at < text_.size() && text_[at] == '-') ++at;
        if (!digits(at)) return false;
        if (at < text_.size() && text_[at] == '.' && !digits(++at)) return false;
        if (at < text_.size() && (text_[at] == 'e' || text_[at] == 'E')) {
            ++at;
            if (at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
            return digits(at);
        }
        return true;
    }

    // Zeros before other digits, which numbers of JSON have not.
    bool begins_with_zeros(std::size_t at) const {
        if (at < text_.size() && text_[at] == '-') ++at;
        return at + 1 < text_.size() && text_[at] == '0' && is_digit(text_[at + 1]);
    }

    // A string that is written as a number.
    bool written_number() {
        std::size_t at = at_ + 1;
        if (!number(at) || at == text_.size() || text_[at] != '"') return false;
        mark(at_, at);
        at_ = at + 1;
        return true;
    }

    bool string() {
        ++at_;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == '"') return true;
            if (c == '\\' && !escape()) return false;
        }
        return false;
    }

    bool escape() {
        if (at_ == text_.size()) return false;
        const char c = text_[at_++];
        if (c != 'u') return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
        const std::string_view code = text_.substr(at_, 4);
        at_ += code.size();
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
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace

bool mask_numbers(std::string_view text, std::string& mask) {
    mask.assign(text.size(), 0);
    return Reader(text, mask).objects();
}

}  // namespace tilescope
