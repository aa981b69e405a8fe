// Some arguments of an event of trace-event JSON, from the text of its members.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.hpp"
#include "columns/argument_values.hpp"

namespace tilescope {

// Reads arguments from plain JSON. Whatever a tolerant reader has to think about is unclear: escapes, words, integers
// beyond 64 bits, objects and arrays, what is there twice, and all arguments of a text that is not JSON.
class JsonArguments {
  public:
    explicit JsonArguments(std::vector<std::string> names) : names_(std::move(names)) {}

    // Writes the values of the arguments. `raw`: one or two objects, with the arguments in a member "args" of theirs, or
    // beside it.
    void read(std::string_view raw, Span<ArgumentValue> values) const;

  private:
    // `p` stands at the bracket. Returns the place behind the object; null where the text is not plain.
    const char* read_object(const char* p, const char* end, bool is_args, Span<ArgumentValue> values) const;
    const char* read_member(const char* p, const char* end, std::string_view name, Span<ArgumentValue> values) const;
    std::size_t number_of(std::string_view name) const;

    std::vector<std::string> names_;
};

}  // namespace tilescope
