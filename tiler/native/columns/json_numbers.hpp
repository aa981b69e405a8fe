// Numbers in a text of JSON in which no searched word can be.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

// Writes to `mask`, for each byte, 1 if it is a digit of a number, outside of strings or in a value that is one number as a string,
// and else 0. False for what is not objects of JSON one behind the other, written strictly.
bool mask_numbers(std::string_view text, std::string& mask);

}  // namespace tilescope
