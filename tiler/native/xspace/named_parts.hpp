// Places of the parts of a large message, by their names: of parts that are in others, as instructions are in
// computations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "columns/column.hpp"
#include "xspace/wire.hpp"

namespace tilescope {

// The fields that have the outer parts of a message, the number of these, the inner parts, and their names; and one of the
// message that has something else.
struct PartFields {
    std::uint32_t outer = 0, number = 0, inner = 0, name = 0, other = 0;
};

// Bytes of a message; of an inner part also the place of the outer one that it is in.
struct PartPlace {
    std::size_t within = 0;
    wire::Range bytes;
};

// Reads the message once, and takes little memory beside it: of a part where it is, and where its name is.
class NamedParts {
  public:
    // The bytes must outlive it. Throws wire::Error for what is no message, and std::length_error when there are more than
    // `most` parts or names, or 2**32 bytes.
    NamedParts(Bytes raw, const PartFields& fields, std::size_t most);

    std::size_t outer() const { return outer_.size(); }
    std::size_t inner() const { return inner_.size(); }
    std::size_t names() const { return names_; }

    // The last of several; empty without one.
    wire::Range other() const { return other_; }

    // The place of the outer part with a number, the last of several; -1 without one.
    std::int64_t place_of(std::int64_t number) const;

    // Throws std::out_of_range for an outer part that is not there.
    PartPlace outer_at(std::size_t place) const;

    // The inner part of a name, the last of several. False: there is none.
    bool find(std::string_view name, PartPlace& place) const;

  private:
    struct Outer {
        std::uint32_t start, stop;
    };

    struct Inner {
        std::uint32_t within, start, stop;
        std::uint32_t name, name_stop;  // nothing: it has no name
        std::uint32_t hash;  // of the name
    };

    struct Numbered {
        std::int64_t number;
        std::uint32_t place;
    };

    struct Slot {
        std::uint32_t hash;
        std::int32_t inner;  // -1: empty
    };

    void take_outer(wire::Range range, const PartFields& fields, std::size_t most);
    void take_inner(wire::Range range, const PartFields& fields, std::size_t most);
    void enter_names();
    std::string_view name_of(const Inner& part) const;
    std::size_t slot_of(std::string_view name, std::uint32_t hash) const;

    Bytes raw_;
    Column<Outer> outer_;
    Column<Inner> inner_;
    std::vector<Numbered> numbered_;  // ascending; of one number the last is the last
    std::vector<Slot> slots_;  // a power of two of them
    std::size_t names_ = 0;
    wire::Range other_;
};

}  // namespace tilescope
