#include "trace_event/json_arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>

#include "columns/utf8.hpp"
#include "trace_event/json_scan.hpp"
#include "trace_event/json_skip.hpp"

namespace tilescope {

namespace {

// A number that has fewer characters before its exponent is what a double holds: of these at most 15 are digits.
constexpr std::size_t kSurelyExact = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A decimal: its digits without zeros at the ends, the first one worth 10^exponent.
struct Decimal {
    std::string digits;
    std::int64_t exponent = 0;

    bool operator==(const Decimal& other) const {
        return digits == other.digits && (digits.empty() || exponent == other.exponent);
    }
};

// Returns the decimal of a number as JSON allows it, with a short exponent.
Decimal decimal_of(std::string_view text) {
    Decimal out;
    std::int64_t written = 0;
    const std::size_t e = text.find_first_of("eE");
    if (e != std::string_view::npos) {
        const char* first = text.data() + e + 1;
        if (*first == '+') ++first;
        std::from_chars(first, text.data() + text.size(), written);
        text = text.substr(0, e);
    }
    std::int64_t before_point = 0;
    bool is_fraction = false;
    for (const char c : text) {
        if (c == '.') is_fraction = true;
        if (!is_digit(c)) continue;
        if (!is_fraction) ++before_point;
        out.digits.push_back(c);
    }
    const std::size_t first = std::min(out.digits.find_first_not_of('0'), out.digits.size());
    out.exponent = written + before_point - 1 - static_cast<std::int64_t>(first);
    out.digits.erase(0, first);
    out.digits.erase(out.digits.find_last_not_of('0') + 1);
    return out;
}

// True if the shortest text that means the double is this number.
bool is_exact(double value, std::string_view text) {
    if (std::min(text.find_first_of("eE"), text.size()) < kSurelyExact) return true;
    std::array<char, 32> shortest{};
    char* end =
        std::to_chars(shortest.data(), shortest.data() + shortest.size(), value, std::chars_format::scientific).ptr;
    return decimal_of(text_between(shortest.data(), end)) == decimal_of(text);
}

enum class NumberForm { none, integer, decimal };

// Returns the form of what JSON calls a number.
NumberForm form_of(std::string_view text) {
    std::size_t position = 0;
    const auto digits = [&] {
        const std::size_t first = position;
        while (position < text.size() && is_digit(text[position])) ++position;
        return position - first;
    };
    if (position < text.size() && text[position] == '-') ++position;
    const std::size_t first = position;
    const std::size_t whole = digits();
    if (whole == 0 || (whole > 1 && text[first] == '0')) return NumberForm::none;
    if (position == text.size()) return NumberForm::integer;
    if (text[position] == '.') {
        ++position;
        if (digits() == 0) return NumberForm::none;
    }
    if (position < text.size() && (text[position] == 'e' || text[position] == 'E')) {
        ++position;
        if (position < text.size() && (text[position] == '+' || text[position] == '-')) ++position;
        const std::size_t exponent = digits();
        if (exponent == 0 || exponent > 6) return NumberForm::none;
    }
    return position == text.size() ? NumberForm::decimal : NumberForm::none;
}

// Returns the value of a number or a word.
ArgumentValue token_value(std::string_view text) {
    ArgumentValue value;
    const char* first = text.data();
    const char* last = first + text.size();
    value.kind = ValueKind::unclear;
    if (text == "null") {
        value.kind = ValueKind::null;
    } else if (text == "true" || text == "false") {
        value.kind = ValueKind::flag;
        value.bits = text == "true" ? 1 : 0;
    } else if (const NumberForm form = form_of(text); form == NumberForm::integer) {
        std::uint64_t wide = 0;
        if (std::from_chars(first, last, value.bits).ec == std::errc()) {
            value.kind = ValueKind::integer;
        } else if (*first != '-' && std::from_chars(first, last, wide).ec == std::errc()) {
            value.kind = ValueKind::unsigned_integer;
            value.bits = static_cast<std::int64_t>(wide);
        }
    } else if (form == NumberForm::decimal) {
        double real = 0;
        if (std::from_chars(first, last, real).ec != std::errc() || !std::isfinite(real)) return value;
        if (is_exact(real, text)) {
            value.kind = ValueKind::real;
            std::memcpy(&value.bits, &real, sizeof(real));
        } else {
            value.kind = ValueKind::text;
            value.text = text;
        }
    }
    return value;
}

bool is_utf8(std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();) {
        const std::size_t length = utf8::sequence_length(text, offset);
        if (length == 0) return false;
        offset += length;
    }
    return true;
}

const char* skipped(const char* p, const char* end) {
    const ScanEnd value = skip_value(p, end);
    return value.status == Scan::ok ? value.position : nullptr;
}

}  // namespace

void JsonArguments::read(std::string_view raw, Span<ArgumentValue> values) const {
    std::fill(values.begin(), values.end(), ArgumentValue());
    const char* p = raw.data();
    const char* end = p + raw.size();
    while (p != nullptr && p != end) p = *p == '{' ? read_object(p, end, false, values) : nullptr;
    if (p == nullptr) {
        ArgumentValue unclear;
        unclear.kind = ValueKind::unclear;
        std::fill(values.begin(), values.end(), unclear);
    }
}

const char* JsonArguments::read_object(const char* p, const char* end, bool is_args, Span<ArgumentValue> values) const {
    p = skip_space(p + 1, end);
    if (p != end && *p == '}') return p + 1;
    bool has_args = false;
    for (;;) {
        if (p == end || *p != '"') return nullptr;
        const StringEnd key = find_string_end(p + 1, end);
        if (key.quote == nullptr || key.escaped) return nullptr;
        const std::string_view name = text_between(p + 1, key.quote);
        p = skip_space(key.quote + 1, end);
        if (p == end || *p != ':') return nullptr;
        p = skip_space(p + 1, end);
        if (p == end) return nullptr;
        if (!is_args && name == "args" && *p == '{') {
            if (has_args) return nullptr;
            has_args = true;
            p = read_object(p, end, true, values);
        } else {
            p = read_member(p, end, name, values);
        }
        if (p == nullptr) return nullptr;
        p = skip_space(p, end);
        if (p == end) return nullptr;
        if (*p == '}') return p + 1;
        if (*p != ',') return nullptr;
        p = skip_space(p + 1, end);
    }
}

const char* JsonArguments::read_member(const char* p, const char* end, std::string_view name,
                                       Span<ArgumentValue> values) const {
    const std::size_t number = number_of(name);
    if (number == names_.size()) return skipped(p, end);
    ArgumentValue& value = values[number];
    const bool is_second = value.kind != ValueKind::absent;
    value = ArgumentValue();
    value.kind = ValueKind::unclear;
    if (*p == '"') {
        const StringEnd string = find_string_end(p + 1, end);
        if (string.quote == nullptr) return nullptr;
        value.text = text_between(p + 1, string.quote);
        if (!string.escaped && (!string.non_ascii || is_utf8(value.text))) value.kind = ValueKind::text;
        p = string.quote + 1;
    } else if (*p == '{' || *p == '[') {
        p = skipped(p, end);
    } else {
        const char* first = p;
        p = skip_token(p, end);
        if (p == first) return nullptr;
        value = token_value(text_between(first, p));
    }
    if (is_second || name == "args") value.kind = ValueKind::unclear;
    return p;
}

std::size_t JsonArguments::number_of(std::string_view name) const {
    std::size_t number = 0;
    while (number < names_.size() && names_[number] != name) ++number;
    return number;
}

}  // namespace tilescope
