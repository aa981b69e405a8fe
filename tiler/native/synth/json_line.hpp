// Text of one or a few events of a trace-event file.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::synth {

// All names that occur are free of characters that JSON would have escaped.
class JsonLine {
  public:
    void clear() { text_.clear(); }
    std::string_view text() const { return text_; }

    JsonLine& operator<<(std::string_view text) {
        text_.append(text);
        return *this;
    }

    JsonLine& operator<<(std::uint64_t number) {
        char digits[20];
        const auto end = std::to_chars(digits, digits + sizeof digits, number);
        text_.append(digits, end.ptr);
        return *this;
    }

    // Thousandths as a decimal number: 1234567 → 1234.567
    JsonLine& thousandths(std::uint64_t number) {
        const auto rest = static_cast<unsigned>(number % 1'000);
        *this << number / 1'000;
        const char decimals[4] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                                  static_cast<char>('0' + rest % 10)};
        text_.append(decimals, sizeof decimals);
        return *this;
    }

  private:
    std::string text_;
};

}  // namespace tilescope::synth
