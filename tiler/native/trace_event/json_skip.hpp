// Passing over JSON values: one whole value in memory, checked; or one of any size that arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope {

enum class Scan {
    ok,
    incomplete,  // the text ends inside
    damaged,     // no JSON, not even in the tolerated dialects
    foreign,     // single quotes or comments: another language
    too_deep,    // more than max_depth brackets inside each other
};

struct ScanEnd {
    Scan status;
    const char* position;  // behind the value; otherwise where it went wrong
};

constexpr std::size_t max_depth = 256;  // of a value that is kept as it is

// `p` stands where a value begins. Checks the order of brackets, keys, colons and commas, so that a missing quote or
// bracket is found near the place, and not gigabytes later. Tolerated: doubled and trailing commas, NaN and the like, raw
// control characters in strings. A number or word that touches `end` is incomplete.
ScanEnd skip_value(const char* p, const char* end);

// The same for a value of any depth, in memory that grows with it.
ScanEnd skip_deep_value(const char* p, const char* end);

// A whole value, or `"key": value`, with a text in place of each object and array that stands in `max_depth` others.
std::string cut_nested(std::string_view text);

// True at a single quote, or at a slash as comments begin with.
bool is_foreign(const char* p, const char* end);

// Passes over one value of any size in pieces. Checks nothing but where strings and brackets end.
class ValueSkipper {
  public:
    // From `p`, where the value begins or goes on. Returns the place behind the value, or `end` when more is needed:
    // `done()` says which.
    const char* feed(const char* p, const char* end);

    bool done() const { return done_; }
    std::uint64_t objects() const { return objects_; }  // elements or members of the value that are objects

  private:
    const char* feed_string(const char* p, const char* end);

    std::uint64_t depth_ = 0;
    std::uint64_t objects_ = 0;
    bool in_string_ = false;
    bool after_backslash_ = false;
    bool in_token_ = false;
    bool done_ = false;
};

}  // namespace tilescope
