// Ids of stats, and the lists of stats that have each of them.
#pragma once

#include <algorithm>
#include <array>
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
        std::size_t position = 0;
        for (std::size_t id = 0; id < kSmallIds; ++id) {
            while (position < wanted_.size() && wanted_[position].id < static_cast<std::int64_t>(id)) ++position;
            first_[id] = position;
        }
    }

    // Calls `take` with the place of each list that has it.
    template <typename Take>
    void each(std::int64_t id, const Take& take) const {
        auto wanted = wanted_.begin() + static_cast<std::ptrdiff_t>(first_of(id));
        for (; wanted != wanted_.end() && wanted->id == id; ++wanted) take(wanted->place);
    }

  private:
    // Most planes have fewer stats: where each would be is known at once.
    static constexpr std::size_t kSmallIds = 128;

    struct Wanted {
        std::int64_t id;
        std::size_t place;
    };

    std::size_t first_of(std::int64_t id) const {
        if (id >= 0 && id < static_cast<std::int64_t>(kSmallIds)) return first_[static_cast<std::size_t>(id)];
        const auto is_before = [](const Wanted& wanted, std::int64_t other) { return wanted.id < other; };
        const auto match = std::lower_bound(wanted_.begin(), wanted_.end(), id, is_before);
        return static_cast<std::size_t>(match - wanted_.begin());
    }

    std::vector<Wanted> wanted_;
    std::array<std::size_t, kSmallIds> first_{};  // of small ids
};

}  // namespace tilescope::xspace
