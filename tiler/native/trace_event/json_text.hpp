// From the raw text between the quotes of a JSON string to clean UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

// Appends the decoded text. Surrogate pairs are joined, lone surrogates and invalid UTF-8 become U+FFFD, bad escapes stay as
// they are written ("torch\cuda"), control characters stay.
void append_decoded(std::string_view raw, std::string& out);

// Appends the text with each maximal invalid sequence replaced by one U+FFFD.
void append_valid_utf8(std::string_view text, std::string& out);

}  // namespace tilescope
