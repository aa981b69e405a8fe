// The slices of a track that have a number, which launches and the work of devices share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/span.hpp"

namespace tilescope {

// Keys as trace_event/correlation.hpp has them: by their distances from one of them, or where these are too far for that, as
// they are. The columns are the caller's.
class Keys {
  public:
    Keys() = default;
    explicit Keys(Span<const std::int64_t> keys) : far_(keys) {}
    Keys(std::int64_t base, Span<const std::int32_t> distances) : base_(base), near_(distances) {}

    std::size_t size() const { return far_.size() + near_.size(); }
    std::int64_t operator[](std::size_t row) const { return far_.empty() ? base_ + near_[row] : far_[row]; }
    // Calls with a function of the row that returns its key: loops that go through many do not look each time how these are kept.
    template <typename Call>
    void visit(const Call& call) const {
        if (far_.empty()) call([base = base_, near = near_](std::size_t row) { return base + near[row]; });
        else call([far = far_](std::size_t row) { return far[row]; });
    }

  private:
    std::int64_t base_ = 0;
    Span<const std::int32_t> near_;
    Span<const std::int64_t> far_;
};

// Writes the distances of keys from one of them, and says whether these are the keys of `Keys`.
struct NearKeys {
    NearKeys(Span<const std::int64_t> keys, std::int64_t base, Span<std::int32_t> out) {
        same_size(keys, out);
        std::uint64_t far = 0, negative = ~std::uint64_t{0};
        for (std::size_t row = 0; row < keys.size(); ++row) {
            const auto key = static_cast<std::uint64_t>(keys[row]), step = key - static_cast<std::uint64_t>(base);
            far |= (step + (std::uint64_t{1} << 31)) >> 32;
            negative &= key + 1;
            out[row] = static_cast<std::int32_t>(step);
        }
        are_near = far == 0;
        are_all = negative >> 63 != 0;
    }
    bool are_near = false;  // no distance is too far for 32 bits
    bool are_all = false;  // each event has a key: it is less than -1
};

// In the order of ordinals; the columns are the caller's.
struct NumberedSlices {
    std::int64_t track = 0;
    Span<const std::int64_t> ordinal;  // ascending; empty: all slices from the first on
    Keys key;

    std::int64_t ordinal_at(std::size_t row) const {
        return ordinal.empty() ? static_cast<std::int64_t>(row) : ordinal[row];
    }
    static bool is_of_work(std::int64_t key) { return (key & 1) != 0; }
    static std::int64_t number_of(std::int64_t key) { return (-2 - key) >> 1; }
    bool is_work(std::size_t row) const { return is_of_work(key[row]); }
    std::int64_t number_at(std::size_t row) const { return number_of(key[row]); }
};

}  // namespace tilescope
