// A column of a table while rows are added: numbers as scaled integers, all else as words of a dictionary.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "columns/intern.hpp"

namespace tilescope {

// As CellState of tiler/records/cells.py.
enum class CellState : std::uint8_t { number = 0, text = 1, empty = 2, not_available = 3, absent = 4 };

constexpr int kMostDigits = 22;  // behind a decimal point: greater powers of ten are no doubles

// A decimal as an integer times 10^-digits.
struct ScaledNumber {
    std::int64_t number = 0;
    std::uint8_t digits = 0;
};

// True for a text that number and digits restore exactly: `12.50`, and neither `+1`, `01`, `-0` nor `1e3`.
bool parse_decimal(std::string_view text, ScaledNumber& decimal);

class CellColumn {
  public:
    // Takes a cell without the white space around it. Returns whether it is UTF-8.
    bool add(std::string_view cell);
    void add_absent();

    // Begins anew, without rows.
    void clear();

    std::size_t rows() const { return states.size(); }

    std::vector<std::uint8_t> states;
    std::vector<std::int64_t> numbers;
    std::vector<std::uint8_t> digits;
    std::vector<std::int64_t> codes;
    Interner words;

  private:
    std::vector<bool> is_valid_;  // of each word
};

}  // namespace tilescope
