// Which of some lists of stats have an id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::xspace {

// Ordered by id: a file may call a million stats the same, and they are looked up for each stat of each event.
class WantedIds {
  public:
    explicit WantedIds(const std::vector<std::vector<std::int64_t>>& lists) {
        for (std::size_t place = 0; place < lists.size(); ++place)
            for (const std::int64_t id : lists[place]) wanted_.push_back({id, place});
        std::sort(wanted_.begin(), wanted_.end(),
                  [](const Wanted& a, const Wanted& b) { return a.id != b.id ? a.id < b.id : a.place < b.place; });
    }

    // Calls `take` with the place of each list that has it.
    template <typename Take>
    void each(std::int64_t id, const Take& take) const {
        const auto is_before = [](const Wanted& wanted, std::int64_t other) { return wanted.id < other; };
        auto wanted = std::lower_bound(wanted_.begin(), wanted_.end(), id, is_before);
        for (; wanted != wanted_.end() && wanted->id == id; ++wanted) take(wanted->place);
    }

  private:
    struct Wanted {
        std::int64_t id;
        std::size_t place;
    };

    std::vector<Wanted> wanted_;
};

}  // namespace tilescope::xspace
