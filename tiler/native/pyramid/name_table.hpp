// Sums per name within one bin: a small hash table that is emptied in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pyramid/tiles.hpp"

namespace tilescope {

class NameTable {
  public:
    void add(int32_t name, int64_t busy, uint64_t count) {
        Part& part = find(name);
        part.busy = add_busy(part.busy, busy);
        part.count += count;
    }

    const std::vector<Part>& parts() const { return parts_; }

    // The dominant part. The table must not be empty.
    const Part& dominant() const {
        const Part* best = parts_.data();
        for (const Part& part : parts_) {
            if (dominates(part, *best)) best = &part;
        }
        return *best;
    }

    void clear() {
        if (parts_.capacity() > kKept) {  // there may be hundreds of tables
            *this = {};
            return;
        }
        parts_.clear();
        ++stamp_;
        if (stamp_ == 0) {  // the stamps have wrapped round: none may look current
            for (Slot& slot : slots_) slot.stamp = 0;
            stamp_ = 1;
        }
    }

  private:
    struct Slot {
        uint32_t stamp;
        uint32_t part;
    };

    // Most bins hold a handful of names: those are found without hashing.
    static constexpr size_t kLinear = 8;
    static constexpr size_t kKept = 4096;  // parts for which memory is kept while the table is empty

    Part& find(int32_t name) {
        if (parts_.size() <= kLinear) {
            for (Part& part : parts_) {
                if (part.name == name) return part;
            }
            parts_.emplace_back(name, 0, 0);
            if (parts_.size() > kLinear) enter_all();
            return parts_.back();
        }
        size_t slot = place(name);
        while (slots_[slot].stamp == stamp_) {
            if (parts_[slots_[slot].part].name == name) return parts_[slots_[slot].part];
            slot = (slot + 1) & (slots_.size() - 1);
        }
        slots_[slot] = {stamp_, static_cast<uint32_t>(parts_.size())};
        parts_.emplace_back(name, 0, 0);
        if (parts_.size() * 2 > slots_.size()) enter_all();
        return parts_.back();
    }

    size_t place(int32_t name) const {
        const uint64_t mixed = static_cast<uint32_t>(name) * 0x9E3779B97F4A7C15ULL;
        return static_cast<size_t>(mixed >> 32) & (slots_.size() - 1);
    }

    // Enters all parts in slots that none of them has yet: new slots, when the old ones are too few.
    void enter_all() {
        if (slots_.size() < parts_.size() * 2) {
            size_t size = 32;
            while (size < parts_.size() * 4) size *= 2;
            slots_.assign(size, Slot{0, 0});
            stamp_ = 1;
        }
        for (uint32_t k = 0; k < parts_.size(); ++k) {
            size_t slot = place(parts_[k].name);
            while (slots_[slot].stamp == stamp_) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = {stamp_, k};
        }
    }

    std::vector<Part> parts_;
    std::vector<Slot> slots_;
    uint32_t stamp_ = 1;
};

}  // namespace tilescope
