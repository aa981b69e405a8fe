// Parts of a bin as they come, summed up by name where they are wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "pyramid/tiles.hpp"

namespace tilescope {

// Where the part of each name stands, by name: ids of names are dense. It is emptied in constant time, and each thread has one
// for all bins that it works on, one after the other. Memory: eight bytes a name.
class PartPlaces {
  public:
    // Sums up parts from `first` on that are of one name. They stay in the order in which names came first.
    void sum_by_name(std::vector<Part>& parts, size_t first) {
        if (parts.size() - first < 2) return;
        empty();
        size_t end = first;
        for (size_t k = first; k < parts.size(); ++k) {
            const Part part = parts[k];
            Slot& slot = at(part.name);
            if (slot.stamp == stamp_) {
                Part& sum = parts[first + slot.place];
                sum.busy = add_busy(sum.busy, part.busy);
                sum.count += part.count;
            } else {
                slot = {stamp_, static_cast<uint32_t>(end - first)};
                parts[end++] = part;
            }
        }
        parts.resize(end);
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

    void empty() {
        if (++stamp_ != 0) return;
        std::fill(dense_.begin(), dense_.end(), Slot{});  // the stamps have wrapped round: none may look current
        others_.clear();
        stamp_ = 1;
    }

    Slot& at(int32_t name) {
        if (name < -1) throw std::invalid_argument("a name is no number of a name");
        const auto place = static_cast<size_t>(int64_t{name} + 1);
        if (place < dense_.size()) return dense_[place];
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
        parts_.push_back({name, busy, count});
        if (parts_.size() >= sum_at_) sum_early();
    }

    void add(const std::vector<Part>& parts) {
        parts_.insert(parts_.end(), parts.begin(), parts.end());
        if (parts_.size() >= sum_at_) sum_early();
    }

    bool empty() const { return parts_.empty(); }

    // One part for each name.
    const std::vector<Part>& by_name() {
        PartPlaces::of_thread().sum_by_name(parts_, 0);
        return parts_;
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
        PartPlaces::of_thread().sum_by_name(parts_, 0);
        sum_at_ = std::max(kSumAt, 2 * parts_.size());
    }

    std::vector<Part> parts_;
    size_t sum_at_ = kSumAt;
};

}  // namespace tilescope
