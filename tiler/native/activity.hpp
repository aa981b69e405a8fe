// When a track is busy, roughly: what is shown of it before its tiles are built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

// Busy time in at most 256 bins (8 as long as there are no more than 8 slices: hostile files have a million tracks of one
// event, and of each 2 KB would be gigabytes), whose width doubles whenever the events reach further. Sums are exact for their bins
// as long as they fit in 64 bits; slices of all rows are summed, so that a bin may be busy for longer than it lasts.
class Activity {
  public:
    static constexpr int kBins = 256;
    static constexpr int kFewBins = 8;

    // A slice of length 0 counts as 1, so that its bin is not empty.
    void add(std::int64_t start, std::int64_t duration) {
        if (slices_ <= kFewBins && ++slices_ > kFewBins) grow();
        const std::int64_t last = last_of(start, duration);
        if (!any_ || start >> shift_ < first_ || last >> shift_ > last_) widen(start, last);
        const std::int64_t bin = start >> shift_;
        if (bin == last >> shift_)
            at(bin) += last - start + 1;
        else
            spread(start, last);
    }

    bool empty() const { return !any_; }
    int shift() const { return shift_; }  // bins are 2**shift long
    std::int64_t first() const { return first_; }  // bin numbers, counted from time 0
    std::int64_t last() const { return last_; }
    std::int64_t busy(std::int64_t bin) const { return bins_[slot(bin)]; }

  private:
    static std::int64_t last_of(std::int64_t start, std::int64_t duration) {
        std::int64_t last = 0;
        if (__builtin_add_overflow(start, duration > 0 ? duration - 1 : 0, &last)) return INT64_MAX;
        return last;
    }
    // Bins lie in the array by their number modulo its size.
    std::size_t slot(std::int64_t bin) const { return static_cast<std::size_t>(bin) & (bins_.size() - 1); }
    std::int64_t& at(std::int64_t bin) { return bins_[slot(bin)]; }
    void widen(std::int64_t start, std::int64_t last);
    void spread(std::int64_t start, std::int64_t last);
    void grow();

    std::vector<std::int64_t> bins_;  // none before the first event
    int slices_ = 0;  // of the first few
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
    int shift_ = 0;
    bool any_ = false;
};

}  // namespace tilescope
