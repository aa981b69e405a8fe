// Total durations of the events of each name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// By name, whose ids are dense; events without one, -1, do not count. Tracks are added from any thread.
class NameTotals {
  public:
    // A sum of ticks: more than 64 bits can say.
    __extension__ using Total = unsigned __int128;

    // No duration is negative. Throws std::invalid_argument for names that are none.
    void add(Span<const std::int32_t> name, Span<const std::int64_t> duration);

    // Totals of the first names, so many: the low 32 bits, and what is above them.
    struct Halves {
        std::vector<std::int64_t> low, high;
    };
    Halves halves(std::size_t names) const;

  private:
    mutable std::mutex adding_;
    std::vector<Total> totals_;
};

}  // namespace tilescope
