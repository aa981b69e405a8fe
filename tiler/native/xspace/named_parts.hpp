// Where the parts of a large message lie, by their names: of parts that are in others, as instructions are in computations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "columns/intern.hpp"
#include "xspace/message_parts.hpp"

namespace tilescope {

// The fields that have the outer parts of a message, the number of these, the inner parts, and their names.
struct PartFields {
    std::uint32_t outer = 0, number = 0, inner = 0, name = 0;
};

// Bytes [start, stop) of a message; of an inner part also the place of the outer one that it is in.
struct PartPlace {
    std::int64_t within = 0, start = 0, stop = 0;
};

class NamedParts {
  public:
    // Throws wire::Error for what is no message, and std::length_error when there are more than `most` parts or names.
    NamedParts(Bytes raw, const PartFields& fields, std::size_t most);

    std::size_t outer() const { return outer_.start.size(); }
    std::size_t inner() const { return inner_.start.size(); }
    std::size_t names() const { return names_; }

    // The place of the outer part with a number, the last of several; -1 without one.
    std::int64_t place_of(std::int64_t number) const;

    // Throws std::out_of_range for an outer part that is not there.
    PartPlace outer_at(std::size_t place) const;

    // The inner part of a name, the last of several. False: there is none.
    bool find(std::string_view name, PartPlace& found) const;

  private:
    MessageParts outer_, inner_;
    std::unordered_map<std::int64_t, std::int64_t> place_of_number_;
    Interner names_of_inner_;
    std::vector<std::int64_t> inner_of_name_;
    std::size_t names_ = 0;
};

}  // namespace tilescope
