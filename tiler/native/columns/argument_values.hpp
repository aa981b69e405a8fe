// Values of some arguments of many events, as columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/span.hpp"
#include "columns/intern.hpp"

namespace tilescope {

// The kind of value that an event has under a name.
enum class ValueKind : std::uint8_t {
    absent = 0,
    integer = 1,           // of 64 bits with a sign
    unsigned_integer = 2,  // beyond these
    real = 3,
    text = 4,
    flag = 5,
    null = 6,
    reference = 7,  // to a name that somebody else knows, by its id
    unclear = 8,    // to be read with more care
};

// `bits`: of a number, or the id of a reference, or 1 for true. `text` lies in the arguments.
struct ArgumentValue {
    ValueKind kind = ValueKind::absent;
    std::int64_t bits = 0;
    std::string_view text;
};

class ArgumentValues {
  public:
    explicit ArgumentValues(std::size_t arguments) : columns_(arguments) {}

    // `bits` of a text is its number among the texts.
    struct ValueColumn {
        std::vector<std::uint8_t> kind;
        std::vector<std::int64_t> bits;
    };

    // The values of one event, one for each argument.
    void add(Span<const ArgumentValue> of_event) {
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            const ArgumentValue& value = of_event[k];
            columns_[k].kind.push_back(static_cast<std::uint8_t>(value.kind));
            columns_[k].bits.push_back(value.kind == ValueKind::text ? texts_.intern(value.text) : value.bits);
        }
    }

    std::vector<ValueColumn>& columns() { return columns_; }
    const Interner& texts() const { return texts_; }

  private:
    std::vector<ValueColumn> columns_;
    Interner texts_;
};

}  // namespace tilescope
