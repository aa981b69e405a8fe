// Exact times from decimal text. Nothing here touches a float: epoch microseconds with decimals do not fit a double.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilescope {

// A time or a duration: nanoseconds, and the picoseconds beyond them, 0 to 999 (so -0.5 ns is -1 ns + 500 ps).
struct PicoTime {
    std::int64_t ns = 0;
    std::int16_t ps = 0;
};

// The unit of times in a file.
enum class TimeUnit { microseconds, nanoseconds };

enum class DecimalStatus { ok, malformed, out_of_range };

// A JSON number that counts microseconds. Decimals beyond the sixth (finer than a picosecond) are rounded to the nearest
// picosecond, halves away from zero. Malformed: what JSON does not allow, as "+1", "050", "1.", ".5".
DecimalStatus parse_microseconds(std::string_view text, PicoTime& out);

// The same of a JSON number that counts nanoseconds, of which the third decimal is the last that counts.
DecimalStatus parse_nanoseconds(std::string_view text, PicoTime& out);

// A JSON integer ("-0" is 0). Malformed: anything else, as "1.0".
DecimalStatus parse_integer(std::string_view text, std::int64_t& out);

// `a + b`, false when it leaves the range of int64 nanoseconds.
bool add(const PicoTime& a, const PicoTime& b, PicoTime& out);

}  // namespace tilescope
