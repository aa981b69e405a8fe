// Parts of a bin of a rollup summed up by name: most of what a rollup costs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "base/span.hpp"
#include "pyramid/rollup_parts.hpp"

namespace tilescope {

// What the parts of a bin come to.
struct RollupSums {
    size_t names = 0;
    int64_t busy = 0;
    uint64_t count = 0;
    int64_t longest = 0;  // of what was summed up
    Part best{0, 0, 0};   // unless there are no names
};

// Parts that stand one behind the other. Those that are put behind are not cleared before they are written.
template <typename APart>
class PartBuffer {
  public:
    Span<const APart> parts() const { return Span<const APart>(room_).first(size_); }
    size_t size() const { return size_; }

    // Where up to `more` parts may be written, behind all others.
    APart* room_for(size_t more) {
        if (room_.size() - size_ < more) room_.resize(std::max(size_ + more, 2 * room_.size()));
        return room_.data() + size_;
    }

    // So many of them were written.
    void grow(size_t more) { size_ += more; }

    void add(const APart& part) {
        *room_for(1) = part;
        ++size_;
    }
    void clear() { size_ = 0; }

  private:
    std::vector<APart> room_;
    size_t size_ = 0;
};

// Knows where the part of each name stands, by name: ids of names are dense. Memory: eight bytes a name.
template <typename APart>
class RollupSummer {
  public:
    // Sums up parts to one for each name, in the order in which names came first, and puts them behind those of `out`, which
    // are others. `is_cut`: sums may be beyond `kBusyLimit`.
    //
    // First it finds out where each part goes. Nothing is guessed about whether a name has come before, that is as likely as
    // not, and no step waits for what an earlier one has written but the place of the same name.
    RollupSums sum(Span<const APart> parts, PartBuffer<APart>& out, bool is_cut) {
        if (parts.empty()) return {};
        const size_t names = find_places(parts);
        APart* sums = out.room_for(names);
        std::fill(sums, sums + names, APart(0, 0, 0));
        out.grow(names);
        RollupSums all = is_cut ? add_up<true>(parts, sums) : add_up<false>(parts, sums);
        all.names = names;
        return all;
    }

    // Where the part of a name stands among those that were summed last; SIZE_MAX: there is none.
    size_t place_of(int32_t name) {
        const uint64_t mark = mark_of(name);
        return mark >> 32 == turn_ ? static_cast<size_t>(mark & UINT32_MAX) : SIZE_MAX;
    }

    // Each thread has one for all rollups that it works on, one after the other.
    static RollupSummer& of_thread() {
        static thread_local RollupSummer summer;
        return summer;
    }

  private:
    static constexpr size_t kDense = 1 << 22;  // ids beyond are looked up in a table
    static constexpr uint64_t kNowhere = UINT64_MAX;

    // Returns how many names there are. A mark is a turn and a place. Turns count down: so the lesser of the mark of a name
    // and that of a new name is where the name goes, whether it has come before in this turn or not.
    size_t find_places(Span<const APart> parts) {
        next_turn();
        if (places_.size() < parts.size()) places_.resize(std::max(parts.size(), 2 * places_.size()));
        const uint64_t first = uint64_t{turn_} << 32;
        uint64_t next = first;
        uint32_t* place = places_.data();
        for (const APart& part : parts) {
            uint64_t& mark = mark_of(part.name());
            // The lesser of the two, said so that compilers do not guess which.
            const uint64_t has_come = mark < next ? 1 : 0;
            const uint64_t at = next - ((next - mark) & (0 - has_come));
            mark = at;
            *place++ = static_cast<uint32_t>(at);
            next += 1 - has_come;
        }
        return static_cast<size_t>(next - first);
    }

    template <bool kIsCut>
    RollupSums add_up(Span<const APart> parts, APart* sums) const {
        RollupSums all;
        all.best = {parts[0].name(), parts[0].busy(), parts[0].count()};
        int64_t least = -1;  // what is busy for less is not better
        const uint32_t* place = places_.data();
        for (const APart& part : parts) {
            APart& sum = sums[*place++];
            APart whole = sum;
            if constexpr (kIsCut) {
                whole = {part.name(), add_busy(sum.busy(), part.busy()), sum.count() + part.count()};
                all.busy = add_busy(all.busy, part.busy());
            } else {
                whole.add(part);
                all.busy += part.busy();
            }
            all.count += part.count();
            all.longest = std::max(all.longest, part.busy());
            sum = whole;
            if (whole.busy() >= least) {
                const Part named{whole.name(), whole.busy(), whole.count()};
                if (names_better(named, all.best)) all.best = named;
                least = all.best.name < 0 ? -1 : all.best.busy;
            }
        }
        return all;
    }

    void next_turn() {
        if (turn_-- != 0) return;
        std::fill(dense_.begin(), dense_.end(), kNowhere);  // no mark may look current
        others_.clear();
        turn_ = UINT32_MAX - 1;
    }

    uint64_t& mark_of(int32_t name) {
        const size_t at = static_cast<uint32_t>(name) + 1U;  // of a name below -1, it is beyond all others
        return at < dense_.size() ? dense_[at] : beyond(name);
    }

    uint64_t& beyond(int32_t name) {
        if (name < -1) throw std::invalid_argument("a name is no number of a name");
        const auto at = static_cast<size_t>(int64_t{name} + 1);
        if (at >= kDense) return others_.try_emplace(name, kNowhere).first->second;
        dense_.resize(std::min(std::max(at + 1, 2 * dense_.size()), kDense), kNowhere);
        return dense_[at];
    }

    std::vector<uint64_t> dense_;
    std::unordered_map<int32_t, uint64_t> others_;
    uint32_t turn_ = UINT32_MAX;
    std::vector<uint32_t> places_;  // of the parts at hand
};

}  // namespace tilescope
