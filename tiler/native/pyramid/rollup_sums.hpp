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

// Sums of the parts of a bin.
struct RollupSums {
    size_t names = 0;
    int64_t busy = 0;
    uint64_t count = 0;
    int64_t longest = 0;  // of what was summed up
    Part best{0, 0, 0};   // unless there are no names
};

// Parts that stand one behind the other.
template <typename APart>
class PartBuffer {
  public:
    Span<const APart> parts() const { return Span<const APart>(room_).first(size_); }
    size_t size() const { return size_; }

    // Room behind all other parts, where up to `more` may be written.
    APart* room_for(size_t more) {
        if (room_.size() - size_ < more) room_.resize(std::max(size_ + more, 2 * room_.size()));
        return room_.data() + size_;
    }

    // So many of them were written.
    void wrote(size_t more) { size_ += more; }

    void add(const APart& part) {
        *room_for(1) = part;
        wrote(1);
    }

    void clear() { size_ = 0; }

  private:
    std::vector<APart> room_;
    size_t size_ = 0;
};

// Knows where the part of each name stands, by name: ids of names are dense. Memory: four bytes a name.
template <typename APart>
class RollupSummer {
  public:
    // Sums up parts to one for each name, in the order in which names came first, and puts them behind those of `out`, which
    // are others. `is_cut`: sums may be beyond `kBusyLimit`.
    RollupSums sum(Span<const APart> parts, PartBuffer<APart>& out, bool is_cut) {
        if (parts.empty()) return {};
        APart* sums = out.room_for(parts.size());
        const RollupSums all = is_cut ? sum<true>(parts, sums) : sum<false>(parts, sums);
        out.wrote(all.names);
        return all;
    }

    // The place of the part of a name among those that were summed last; SIZE_MAX: there is none.
    size_t place_of(int32_t name) {
        const uint32_t mark = mark_of(name);
        return mark < earlier_ ? mark - first_ : SIZE_MAX;
    }

    // Each thread has one for all rollups that it works on, one after the other.
    static RollupSummer& of_thread() {
        static thread_local RollupSummer summer;
        return summer;
    }

  private:
    static constexpr size_t kDense = 1 << 22;  // ids beyond are looked up in a table
    static constexpr uint32_t kNowhere = UINT32_MAX;

    // Nothing is guessed about whether a name has come before, that is as likely as not: the lesser of its mark and that of the
    // next new name is where the name goes, and there is a part of nothing for a new one before it is known whether it is new. No
    // step waits for what an earlier one has written but the mark and the sum of the same name.
    template <bool kIsCut>
    RollupSums sum(Span<const APart> parts, APart* sums) {
        next_turn(parts.size());
        const uint32_t first = first_;  // what the loop writes cannot be these
        const uint32_t earlier = earlier_;
        Span<uint32_t> dense(dense_);
        uint32_t next = first;
        int64_t longest = 0;
        for (const APart& part : parts) {
            const size_t place = place_in_dense(part.name());
            if (place >= dense.size()) {
                beyond(part.name());
                dense = dense_;  // it may have grown
            }
            uint32_t& mark = place < dense.size() ? dense[place] : beyond(part.name());
            const uint32_t before = mark;
            const uint32_t its = std::min(before, next);
            mark = its;
            sums[next - first] = APart(0, 0, 0);
            next += before >= earlier ? 1 : 0;
            APart& sum = sums[its - first];
            if constexpr (kIsCut) sum = {part.name(), add_busy(sum.busy(), part.busy()), sum.count() + part.count()};
            else sum.add(part);
            longest = std::max(longest, part.busy());
        }
        RollupSums all = look_at<kIsCut>({sums, next - first});
        all.longest = longest;
        return all;
    }

    template <bool kIsCut>
    static RollupSums look_at(Span<const APart> sums) {
        RollupSums all;
        all.names = sums.size();
        all.best = {sums[0].name(), sums[0].busy(), sums[0].count()};
        int64_t least = -1;  // what is busy for less is not better
        for (const APart& sum : sums) {
            all.busy = kIsCut ? add_busy(all.busy, sum.busy()) : all.busy + sum.busy();
            all.count += sum.count();
            if (sum.busy() < least) continue;
            const Part named{sum.name(), sum.busy(), sum.count()};
            if (names_better(named, all.best)) all.best = named;
            least = all.best.name < 0 ? -1 : all.best.busy;
        }
        return all;
    }

    // A mark is a place behind the first mark of its turn. Turns count down by the parts that they have, so the marks of earlier ones
    // are beyond all of this one.
    void next_turn(size_t parts) {
        if (parts >= kNowhere) throw std::length_error("too many parts of a bin");
        earlier_ = first_;
        if (first_ < parts) {
            std::fill(dense_.begin(), dense_.end(), kNowhere);  // no mark may look current
            others_.clear();
            earlier_ = kNowhere;
        }
        first_ = earlier_ - static_cast<uint32_t>(parts);
    }

    static size_t place_in_dense(int32_t name) {
        return static_cast<uint32_t>(name) + 1U;  // of a name below -1, it is beyond all others
    }

    uint32_t& mark_of(int32_t name) {
        const size_t place = place_in_dense(name);
        return place < dense_.size() ? dense_[place] : beyond(name);
    }

    uint32_t& beyond(int32_t name) {
        if (name < -1) throw std::invalid_argument("a name is no number of a name");
        const auto place = static_cast<size_t>(int64_t{name} + 1);
        if (place >= kDense) return others_.try_emplace(name, kNowhere).first->second;
        dense_.resize(std::min(std::max(place + 1, 2 * dense_.size()), kDense), kNowhere);
        return dense_[place];
    }

    std::vector<uint32_t> dense_;
    std::unordered_map<int32_t, uint32_t> others_;
    uint32_t first_ = kNowhere;    // the marks of this turn begin here
    uint32_t earlier_ = kNowhere;  // and those of earlier ones here
};

}  // namespace tilescope
