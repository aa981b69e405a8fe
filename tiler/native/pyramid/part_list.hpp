// Parts of a bin as they come, summed up by name where they are wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "base/span.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

// What the parts of a bin come to.
struct PartSums {
    size_t names = 0;
    int64_t busy = 0;
    uint64_t count = 0;
    Part best{0, 0, 0};  // unless there are no names
};

// Where the part of each name stands, by name: ids of names are dense. It is emptied in constant time, and each thread has one
// for all bins that it works on, one after the other. Memory: eight bytes a name.
class PartPlaces {
  public:
    // Sums up items, which have what parts have, to one part for each name in the order in which names came first. They go to
    // `out`, which has room for as many parts as there are items, and may be where these stand. `better` orders parts, and no
    // part is before what it was when it had less. Nothing is guessed about whether a name has come before: that is as
    // likely as not. Fields are copied one by one: those just written are not there yet as a whole.
    template <typename Item, typename Better>
    PartSums sum_by_name(Span<const Item> items, Part* out, const Better& better) {
        if (items.empty()) return {};
        empty();
        if (items.size() == 1) return sum_of_one(items[0], out);
        const uint32_t stamp = stamp_;
        uint32_t names = 0;
        int64_t busy = 0;
        uint64_t count = 0;
        Part best{items[0].name, items[0].busy, items[0].count};
        for (const Item *item = items.begin(), *end = items.end(); item != end; ++item) {
            Part part{item->name, item->busy, item->count};
            Slot& slot = at(part.name);
            const bool seen = slot.stamp == stamp;
            const uint32_t place = seen ? slot.place : names;
            slot.stamp = stamp;
            slot.place = place;
            names += seen ? 0 : 1;
            busy = add_busy(busy, part.busy);
            count += part.count;
            Part& sum = out[place];
            const uint64_t kept = seen ? ~uint64_t{0} : 0;
            part.busy = add_busy(part.busy, static_cast<int64_t>(static_cast<uint64_t>(sum.busy) & kept));
            part.count += sum.count & kept;
            sum.name = part.name;
            sum.busy = part.busy;
            sum.count = part.count;
            if (better(part, best)) best = part;
        }
        return {names, busy, count, best};
    }

    // The same of parts from `first` on, which stay there.
    template <typename Better>
    PartSums sum_by_name(std::vector<Part>& parts, size_t first, const Better& better) {
        const Span<const Part> items(parts.data() + first, parts.size() - first);
        const PartSums sums = sum_by_name(items, parts.data() + first, better);
        parts.resize(first + sums.names);
        return sums;
    }

    // The same of so few that looking through them takes less than looking up.
    static constexpr size_t kFew = 6;

    template <typename Better>
    PartSums sum_few(std::vector<Part>& parts, const Better& better) {
        PartSums sums{0, 0, 0, parts[0]};
        for (size_t k = 0; k < parts.size(); ++k) {
            const Part part = parts[k];
            sums.busy = add_busy(sums.busy, part.busy);
            sums.count += part.count;
            size_t at = 0;
            while (at < sums.names && parts[at].name != part.name) ++at;
            if (at < sums.names) {
                parts[at].busy = add_busy(parts[at].busy, part.busy);
                parts[at].count += part.count;
            } else {
                parts[sums.names++] = part;
            }
            if (better(parts[at], sums.best)) sums.best = parts[at];
        }
        parts.resize(sums.names);
        return sums;
    }

    static PartPlaces& of_thread() {
        static thread_local PartPlaces places;
        return places;
    }

  private:
    struct Slot {
        uint32_t stamp = 0;
        uint32_t place = 0;
    };

    static constexpr size_t kDense = 1 << 22;  // ids beyond are looked up in a table

    template <typename Item>
    PartSums sum_of_one(const Item& item, Part* out) {
        const Part part{item.name, item.busy, item.count};
        Slot& slot = at(part.name);
        slot.stamp = stamp_;
        slot.place = 0;
        *out = part;
        return {1, part.busy, part.count, part};
    }

    void empty() {
        if (++stamp_ != 0) return;
        std::fill(dense_.begin(), dense_.end(), Slot{});  // the stamps have wrapped round: none may look current
        others_.clear();
        stamp_ = 1;
    }

    Slot& at(int32_t name) {
        const auto place = static_cast<size_t>(int64_t{name} + 1);  // of a name below -1, it is beyond all others
        return place < dense_.size() ? dense_[place] : beyond(name);
    }

    Slot& beyond(int32_t name) {
        if (name < -1) throw std::invalid_argument("a name is no number of a name");
        const auto place = static_cast<size_t>(int64_t{name} + 1);
        if (place >= kDense) return others_[name];
        dense_.resize(std::min(std::max(place + 1, 2 * dense_.size()), kDense));
        return dense_[place];
    }

    std::vector<Slot> dense_;
    std::unordered_map<int32_t, Slot> others_;
    uint32_t stamp_ = 0;
};

// The parts of one bin while it is summed: most come one by one, and bins are many, so nothing is looked up as they come.
class PartList {
  public:
    void add(int32_t name, int64_t busy, uint64_t count) {
        if (!parts_.empty() && parts_.back().name == name) {
            parts_.back().busy = add_busy(parts_.back().busy, busy);
            parts_.back().count += count;
            return;
        }
        parts_.emplace_back(name, busy, count);
        if (parts_.size() >= sum_at_) sum_early();
    }

    void add(const std::vector<Part>& parts) {
        parts_.insert(parts_.end(), parts.begin(), parts.end());
        if (parts_.size() >= sum_at_) sum_early();
    }

    const std::vector<Part>& parts() const { return parts_; }

    // Leaves one part for each name.
    PartSums sum(PartPlaces& places) {
        if (!parts_.empty() && parts_.size() <= PartPlaces::kFew) return places.sum_few(parts_, Dominates{});
        return places.sum_by_name(parts_, 0, Dominates{});
    }

    void clear() {
        if (parts_.capacity() > kKept) parts_ = {};  // there may be hundreds of lists
        parts_.clear();
        sum_at_ = kSumAt;
    }

  private:
    static constexpr size_t kKept = 4096;
    static constexpr size_t kSumAt = 1024;

    // So that a bin takes as much memory as it has names, however many slices it has.
    void sum_early() {
        sum(PartPlaces::of_thread());
        sum_at_ = std::max(kSumAt, 2 * parts_.size());
    }

    std::vector<Part> parts_;
    size_t sum_at_ = kSumAt;
};

}  // namespace tilescope
