// Kinds of events that never share time with others of their track, and how long any runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Takes the events of a track in the order of their starts, a piece after the other.
class LoneSpans {
  public:
    // Lengths below 0 are none. Throws std::invalid_argument for columns of different lengths, kinds below 0, starts that
    // descend, and ends beyond what 64 bits hold.
    void add(Span<const std::int64_t> kind, Span<const std::int64_t> start, Span<const std::int64_t> length);

    std::uint64_t ticks() const { return ticks_; }  // in which any runs

    // Returns for each of so many kinds 1 if no event of it shared time with another one.
    std::vector<std::int64_t> alone(std::size_t kinds) const;

  private:
    void share(std::int64_t kind);

    std::vector<char> shares_;  // by kind; beyond its end: none does
    std::uint64_t ticks_ = 0;
    std::int64_t last_start_ = 0, end_ = 0;  // `end_`: of all until now, by an event of the kind `outer_`
    std::int64_t outer_ = -1;
};

}  // namespace tilescope
