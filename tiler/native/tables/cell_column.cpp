#include "tables/cell_column.hpp"

#include <limits>

#include "columns/utf8.hpp"

namespace tilescope {

namespace {

constexpr std::string_view not_available = "N/A";
constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Appends a digit. False where the value is beyond 64 bits with a sign.
bool append(std::uint64_t& value, char digit) {
    const auto added = static_cast<std::uint64_t>(digit - '0');
    if (value > (most + 1 - added) / 10) return false;
    value = value * 10 + added;
    return true;
}

}  // namespace

bool parse_decimal(std::string_view text, ScaledNumber& decimal) {
    const bool is_negative = !text.empty() && text.front() == '-';
    if (is_negative) text.remove_prefix(1);
    if (text.empty() || !is_digit(text.front())) return false;
    std::uint64_t value = 0;
    std::size_t k = 0;
    for (; k < text.size() && is_digit(text[k]); ++k) {
        if (!append(value, text[k])) return false;
    }
    if (k > 1 && text.front() == '0') return false;
    std::size_t digits = 0;
    if (k < text.size()) {
        digits = text.size() - k - 1;
        if (text[k] != '.' || digits == 0 || digits > kMostDigits) return false;
        for (++k; k < text.size(); ++k) {
            if (!is_digit(text[k]) || !append(value, text[k])) return false;
        }
    }
    if (is_negative ? value == 0 : value > most) return false;
    decimal.number = static_cast<std::int64_t>(is_negative ? 0 - value : value);
    decimal.digits = static_cast<std::uint8_t>(digits);
    return true;
}

bool CellColumn::add(std::string_view cell) {
    ScaledNumber decimal;
    if (cell.empty()) {
        states.push_back(static_cast<std::uint8_t>(CellState::empty));
    } else if (parse_decimal(cell, decimal)) {
        states.push_back(static_cast<std::uint8_t>(CellState::number));
        numbers.push_back(decimal.number);
        digits.push_back(decimal.digits);
    } else if (cell == not_available) {
        states.push_back(static_cast<std::uint8_t>(CellState::not_available));
    } else {
        // Neighbours are often equal.
        const bool is_last = !codes.empty() && words.at(static_cast<std::int32_t>(codes.back())) == cell;
        const auto code = static_cast<std::size_t>(is_last ? codes.back() : words.intern(cell));
        if (code == is_valid_.size()) is_valid_.push_back(utf8::is_valid(cell));
        states.push_back(static_cast<std::uint8_t>(CellState::text));
        codes.push_back(static_cast<std::int64_t>(code));
        return is_valid_[code];
    }
    return true;
}

void CellColumn::add_absent() { states.push_back(static_cast<std::uint8_t>(CellState::absent)); }

void CellColumn::clear() {
    states.clear();
    numbers.clear();
    digits.clear();
    codes.clear();
    is_valid_.clear();
    words = Interner();
}

}  // namespace tilescope
