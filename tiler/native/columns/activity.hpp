// Busy times of a track, roughly, shown before its tiles are built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

// Busy time in at most 256 bins, whose width doubles whenever the events reach further. Sums are exact for their bins
// as long as they fit in 64 bits; slices of all rows are summed, so that a bin may be busy for longer than it lasts.
class Activity {
  public:
    static constexpr int kBins = 256;
    static constexpr std::size_t kFew = 8;

    // A slice of length 0 counts as 1, so that its bin is not empty.
    void add(std::int64_t start, std::int64_t duration) {
        if (bins_.empty() && !leave_few(start, duration)) return;
        const std::int64_t last = last_of(start, duration);
        if (!any_ || start >> shift_ < first_ || last >> shift_ > last_) widen(start, last);
        const std::int64_t bin = start >> shift_;
        if (bin == last >> shift_) at(bin) += last - start + 1;
        else spread(start, last);
    }

    // Takes many slices, one after the other. Most lie in the bin of the one before: what is added there stays in a register.
    class Many {
      public:
        explicit Many(Activity& activity) : activity_(activity) {}

        // `end` is `start + duration`, which does not overflow; `duration` is not negative.
        void add(std::int64_t start, std::int64_t duration, std::int64_t end) {
            const std::int64_t last = end - static_cast<std::int64_t>(duration != 0);
            if (start >= first_ && last <= last_) busy_ += last - start + 1;
            else add_elsewhere(start, duration);
        }

        // To be called at the end, and before somebody else adds.
        void done() {
            if (busy_ != 0) activity_.at(first_ >> activity_.shift_) += busy_;
            busy_ = 0;
            first_ = INT64_MAX;
            last_ = INT64_MIN;
        }

      private:
        void add_elsewhere(std::int64_t start, std::int64_t duration);

        Activity& activity_;
        std::int64_t first_ = INT64_MAX, last_ = INT64_MIN;  // of the bin
        std::int64_t busy_ = 0;  // what is still to be added there
    };

    bool empty() const { return !any_ && few_.empty(); }

    // With bins, however few slices there are; the rest may be asked then.
    Activity binned() const;

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
    // Bins lie in the array by their number modulo 256.
    static std::size_t slot(std::int64_t bin) { return static_cast<std::size_t>(bin) & (kBins - 1); }
    std::int64_t& at(std::int64_t bin) { return bins_[slot(bin)]; }
    bool leave_few(std::int64_t start, std::int64_t duration);
    void widen(std::int64_t start, std::int64_t last);
    void spread(std::int64_t start, std::int64_t last);

    struct Slice {
        std::int64_t start;
        std::int64_t duration;
    };
    std::vector<Slice>
        few_;  // instead of bins, as long as they are few: 2 KB for each of a million lines would be too much
    std::vector<std::int64_t> bins_;
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
    int shift_ = 0;
    bool any_ = false;
};

}  // namespace tilescope
