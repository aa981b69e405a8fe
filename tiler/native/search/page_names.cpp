#include "search/page_names.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

// A name that is on some page, shifted by one: none is 0.
using ShiftedName = uint32_t;

struct NameState {
    uint32_t page = 0;   // that it was seen on last, and one
    uint32_t pages = 0;  // how many there were; later, where the next of them goes
};

// The names on a page stand from `first` on, up to those on the next.
struct PageOfNames {
    uint32_t page;
    std::size_t first;
};

// Names as they occur, page by page, each once on a page.
class Occurrences {
  public:
    explicit Occurrences(MemoryBudget* budget) : names_(budget), pages_(budget), states_(budget) {}

    void add(const LeafNames& leaf) {
        if ((!pages_.empty() && leaf.page < pages_.back().page) || leaf.page == UINT32_MAX)
            throw std::invalid_argument("leaves are not ordered by page");
        if (pages_.empty() || leaf.page != pages_.back().page) pages_.push_back({leaf.page, names_.size()});
        for (const int32_t name : leaf.name) {
            if (name < -1) throw std::invalid_argument("there is no such name");
            const auto number = static_cast<ShiftedName>(int64_t{name} + 1);
            if (number >= states_.size()) states_.resize(std::max(std::size_t{number} + 1, 2 * states_.size()));
            NameState& state = states_[number];
            if (state.page == leaf.page + 1) continue;
            state.page = leaf.page + 1;
            ++state.pages;
            names_.push_back(number);
        }
    }

    NamesOnPages by_name() {
        if (names_.size() > UINT32_MAX) throw std::length_error("too many names on pages");
        NamesOnPages names_on_pages;
        uint32_t before = 0;
        for_each_name([&](ShiftedName number) {
            uint32_t& pages = states_[number].pages;
            names_on_pages.name.push_back(int64_t{number} - 1);
            names_on_pages.count.push_back(pages);
            before += std::exchange(pages, before);
        });
        names_on_pages.page.resize(names_.size());
        for (std::size_t k = 0; k < pages_.size(); ++k) {
            const std::size_t end = k + 1 < pages_.size() ? pages_[k + 1].first : names_.size();
            for (std::size_t index = pages_[k].first; index < end; ++index)
                names_on_pages.page[states_[names_[index]].pages++] = pages_[k].page;
        }
        return names_on_pages;
    }

  private:
    // Ascending.
    template <typename Call>
    void for_each_name(const Call& call) const {
        if (states_.size() <= 4 * names_.size()) {
            for (std::size_t number = 0; number < states_.size(); ++number) {
                if (states_[number].pages != 0) call(static_cast<ShiftedName>(number));
            }
            return;
        }
        CountedVector<ShiftedName> ascending(names_);  // they are few among all
        std::sort(ascending.begin(), ascending.end());
        ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
        for (const ShiftedName number : ascending) call(number);
    }

    CountedVector<ShiftedName> names_;
    CountedVector<PageOfNames> pages_;
    CountedVector<NameState> states_;  // by name
};

}  // namespace

NamesOnPages page_names(Span<const LeafNames> leaves, MemoryBudget* budget) {
    Occurrences occurrences(budget);
    for (const LeafNames& leaf : leaves) occurrences.add(leaf);
    return occurrences.by_name();
}

}  // namespace tilescope
