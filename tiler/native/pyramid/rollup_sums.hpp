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

// Parts that stand one behind the other, and what they come to.
template <typename APart>
class PartBuffer {
  public:
    Span<const APart> parts() const { return Span<const APart>(room_).first(size_); }
    size_t size() const { return size_; }
    int64_t busy() const { return busy_; }
    uint64_t count() const { return count_; }

    // Where up to `more` parts may be written, behind all others.
    APart* room_for(size_t more) {
        if (room_.size() - size_ < more) room_.resize(std::max(size_ + more, 2 * room_.size()));
        return room_.data() + size_;
    }

    // So many of them were written, which come to this.
    void wrote(size_t more, int64_t busy, uint64_t count) {
        size_ += more;
        busy_ = add_busy(busy_, busy);
        count_ += count;
    }

    void add(const APart& part) {
        *room_for(1) = part;
        wrote(1, part.busy(), part.count());
    }

    void clear() {
        size_ = 0;
        busy_ = 0;
        count_ = 0;
    }

  private:
    std::vector<APart> room_;
    size_t size_ = 0;
    int64_t busy_ = 0;
    uint64_t count_ = 0;
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
        return is_cut ? sum<true, true>(parts, {}, out) : sum<false, true>(parts, {}, out);
    }

    // The same of parts of which it is known what they come to. It does not find the longest.
    RollupSums sum(const PartBuffer<APart>& parts, PartBuffer<APart>& out, bool is_cut) {
        const RollupSums known{0, parts.busy(), parts.count()};
        return is_cut ? sum<true, false>(parts.parts(), known, out) : sum<false, false>(parts.parts(), known, out);
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

    template <bool kIsCut, bool kAddUp>
    RollupSums sum(Span<const APart> parts, RollupSums all, PartBuffer<APart>& out) {
        if (parts.empty()) return all;
        all.names = find_places(parts);
        APart* sums = out.room_for(all.names);
        std::fill(sums, sums + all.names, APart(0, 0, 0));
        add_up<kIsCut, kAddUp>(parts, sums, all);
        out.wrote(all.names, all.busy, all.count);
        return all;
    }

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

    template <bool kIsCut, bool kAddUp>
    void add_up(Span<const APart> parts, APart* sums, RollupSums& all) const {
        RollupSums so_far = all;
        so_far.best = {parts[0].name(), parts[0].busy(), parts[0].count()};
        int64_t least = -1;  // what is busy for less is not better
        const uint32_t* place = places_.data();
        for (const APart& part : parts) {
            APart& sum = sums[*place++];
            APart whole = sum;
            if constexpr (kIsCut) whole = {part.name(), add_busy(sum.busy(), part.busy()), sum.count() + part.count()};
            else whole.add(part);
            if constexpr (kAddUp) {
                so_far.busy = kIsCut ? add_busy(so_far.busy, part.busy()) : so_far.busy + part.busy();
                so_far.count += part.count();
                so_far.longest = std::max(so_far.longest, part.busy());
            }
            sum = whole;
            if (whole.busy() >= least) {
                const Part named{whole.name(), whole.busy(), whole.count()};
                if (names_better(named, so_far.best)) so_far.best = named;
                least = so_far.best.name < 0 ? -1 : so_far.best.busy;
            }
        }
        all = so_far;
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
