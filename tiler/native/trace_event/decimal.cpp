#include "trace_event/decimal.hpp"

#include <cstddef>
#include <cstring>
#include <limits>

namespace tilescope {

namespace {

constexpr std::int64_t ns_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t exponent_cap =
    1'000'000'000;  // far beyond any number that is in range; keeps sums from overflowing

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Eight digits at once. False when one of the bytes is none.
bool eight_digits(const char* p, std::int64_t& out) {
    std::uint64_t word = 0;  // the first digit is in the lowest byte
    std::memcpy(&word, p, sizeof word);
    constexpr std::uint64_t tens = 0xF0F0F0F0F0F0F0F0ULL;
    constexpr std::uint64_t zeros = 0x3030303030303030ULL;
    if ((word & tens) != zeros || ((word + 0x0606060606060606ULL) & tens) != zeros) return false;
    word &= 0x0F0F0F0F0F0F0F0FULL;
    word = word * 10 + (word >> 8);  // pairs, in every other byte
    constexpr std::uint64_t pairs = 0x000000FF000000FFULL;
    word = ((word & pairs) * (100 + (std::uint64_t{1000000} << 32)) +
            ((word >> 16) & pairs) * (1 + (std::uint64_t{10000} << 32))) >>
           32;
    out = static_cast<std::int64_t>(word);
    return true;
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "digits are taken from words");

// The parts of a JSON number.
struct Number {
    bool negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::int64_t exponent = 0;
};

bool split(std::string_view text, Number& out) {
    std::size_t position = 0;
    const auto digits = [&] {
        const std::size_t first = position;
        while (position < text.size() && is_digit(text[position])) ++position;
        return text.substr(first, position - first);
    };
    out.negative = !text.empty() && text[0] == '-';
    if (out.negative) ++position;
    out.whole = digits();
    if (out.whole.empty() || (out.whole.size() > 1 && out.whole[0] == '0')) return false;
    if (position < text.size() && text[position] == '.') {
        ++position;
        out.fraction = digits();
        if (out.fraction.empty()) return false;
    }
    if (position < text.size() && (text[position] == 'e' || text[position] == 'E')) {
        ++position;
        const bool minus = position < text.size() && text[position] == '-';
        if (position < text.size() && (text[position] == '-' || text[position] == '+')) ++position;
        const std::string_view exponent = digits();
        if (exponent.empty()) return false;
        for (const char c : exponent) {
            if (out.exponent < exponent_cap) out.exponent = out.exponent * 10 + (c - '0');
        }
        if (minus) out.exponent = -out.exponent;
    }
    return position == text.size();
}

// The digits of whole and fraction without leading zeros; 0 beyond both ends.
class Digits {
  public:
    explicit Digits(const Number& number) : whole_(number.whole), fraction_(number.fraction) {
        while (skipped_ < total() && raw(skipped_) == '0') ++skipped_;
    }

    bool all_zero() const { return skipped_ == total(); }

    // Number of digits before the decimal point; negative: zeros after it.
    std::int64_t before_point() const {
        return static_cast<std::int64_t>(whole_.size()) - static_cast<std::int64_t>(skipped_);
    }

    int operator[](std::int64_t place) const {
        if (place < 0) return 0;
        const std::size_t index = skipped_ + static_cast<std::size_t>(place);
        return index < total() ? raw(index) - '0' : 0;
    }

  private:
    std::size_t total() const { return whole_.size() + fraction_.size(); }
    char raw(std::size_t index) const {
        return index < whole_.size() ? whole_[index] : fraction_[index - whole_.size()];
    }

    std::string_view whole_;
    std::string_view fraction_;
    std::size_t skipped_ = 0;
};

DecimalStatus finish(bool negative, std::int64_t ns, int ps, PicoTime& out) {
    if (ps == 1000) {
        if (ns == ns_max) return DecimalStatus::out_of_range;
        ++ns;
        ps = 0;
    }
    if (negative) {
        ns = ps > 0 ? -ns - 1 : -ns;
        ps = ps > 0 ? 1000 - ps : 0;
    }
    out = {ns, static_cast<std::int16_t>(ps)};
    return DecimalStatus::ok;
}

DecimalStatus scale(const Number& number, PicoTime& out) {
    const Digits digits(number);
    if (digits.all_zero()) return finish(false, 0, 0, out);
    constexpr std::int64_t ns_digits_max = 19;
    const std::int64_t ns_digits = digits.before_point() + number.exponent + 3;
    if (ns_digits > ns_digits_max) return DecimalStatus::out_of_range;
    if (ns_digits < -3) return finish(false, 0, 0, out);  // below a tenth of a picosecond
    std::int64_t ns = 0;
    for (std::int64_t place = 0; place < ns_digits; ++place) {
        const int digit = digits[place];
        if (ns > (ns_max - digit) / 10) return DecimalStatus::out_of_range;
        ns = ns * 10 + digit;
    }
    int ps = digits[ns_digits] * 100 + digits[ns_digits + 1] * 10 + digits[ns_digits + 2];
    ps += digits[ns_digits + 3] >= 5;
    return finish(number.negative, ns, ps, out);
}

}  // namespace

DecimalStatus parse_microseconds(std::string_view text, PicoTime& out) {
    // Nearly all: up to 16 whole digits and 6 decimals, no exponent, no superfluous zero.
    std::size_t position = !text.empty() && text[0] == '-' ? 1 : 0;
    const bool negative = position == 1;
    const std::size_t whole_first = position;
    std::int64_t us = 0;
    std::int64_t eight = 0;
    while (text.size() - position >= 8 && position - whole_first <= 8 && eight_digits(text.data() + position, eight)) {
        us = us * 100'000'000 + eight;
        position += 8;
    }
    while (position < text.size() && is_digit(text[position]) && position - whole_first < 16)
        us = us * 10 + (text[position++] - '0');
    const std::size_t whole_digits = position - whole_first;
    int fraction = 0;
    if (position < text.size() && text[position] == '.') {
        const std::size_t fraction_first = ++position;
        while (position < text.size() && is_digit(text[position]) && position - fraction_first < 6)
            fraction = fraction * 10 + (text[position++] - '0');
        const std::size_t decimals = position - fraction_first;
        if (decimals == 0) return DecimalStatus::malformed;
        for (std::size_t k = decimals; k < 6; ++k) fraction *= 10;
    }
    if (position == text.size() && us < ns_max / 1000 && whole_digits > 0 &&
        (whole_digits == 1 || text[whole_first] != '0')) {
        return finish(negative, us * 1000 + fraction / 1000, fraction % 1000, out);
    }
    Number number;
    return split(text, number) ? scale(number, out) : DecimalStatus::malformed;
}

DecimalStatus parse_nanoseconds(std::string_view text, PicoTime& out) {
    Number number;
    if (!split(text, number)) return DecimalStatus::malformed;
    number.exponent -= 3;
    return scale(number, out);
}

DecimalStatus parse_integer(std::string_view text, std::int64_t& out) {
    Number number;
    if (!split(text, number) || number.whole.size() + number.negative != text.size()) return DecimalStatus::malformed;
    std::uint64_t value = 0;
    const std::uint64_t limit = static_cast<std::uint64_t>(ns_max) + (number.negative ? 1 : 0);
    for (const char c : number.whole) {
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (value > (limit - digit) / 10) return DecimalStatus::out_of_range;
        value = value * 10 + digit;
    }
    out = static_cast<std::int64_t>(number.negative ? 0 - value : value);
    return DecimalStatus::ok;
}

bool add(const PicoTime& a, const PicoTime& b, PicoTime& out) {
    int ps = a.ps + b.ps;
    const std::int64_t carry = ps >= 1000 ? 1 : 0;
    if (carry != 0) ps -= 1000;
    std::int64_t ns = 0;
    if (__builtin_add_overflow(a.ns, b.ns, &ns) || __builtin_add_overflow(ns, carry, &ns)) return false;
    out = {ns, static_cast<std::int16_t>(ps)};
    return true;
}

}  // namespace tilescope
