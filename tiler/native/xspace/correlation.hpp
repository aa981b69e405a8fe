// Numbers of an XSpace that launches share with the work of devices: a stat of their events.
#pragma once

#include "base/span.hpp"
#include "columns/column.hpp"
#include "xspace/args.hpp"
#include "xspace/wire.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilescope::xspace {

// Reads one stat of events whose stats are numbers in messages of an id and a value, as nearly all are. Most events of a track
// have the same stats in the same order: where all but the values are as in an event before, the number stands at its place.
class NumberStat {
  public:
    // So many bytes behind an event are looked at.
    static constexpr std::size_t kBehind = 16;

    explicit NumberStat(std::int64_t id) : id_(static_cast<std::uint64_t>(id)) {}

    // The last number of the stat in stats of this size, with their tags; those of 0 do not count. False: they are not like that,
    // and the number is any.
    bool read(const std::uint8_t* stats, std::size_t size, std::uint64_t& number) {
        number = 0;
        if (size == 0) return true;
        if (size > kMostBytes) return walk(stats, size, nullptr, number);
        Form& form = forms_[size % forms_.size()];
        if (form.size != size || !form.is_that_of(stats)) {
            // Where lengths vary, forms would be made in vain: an eighth of those that are missed is kept.
            return walk(stats, size, missed_++ % 8 == 0 ? &form : nullptr, number);
        }
        if (form.number_at != 0) wire::readable_varint(stats + form.number_at, number);
        return true;
    }

  private:
    static constexpr std::size_t kWord = sizeof(std::uint64_t), kMostBytes = 16 * kWord;

    // Bytes of stats: all before the values, and how long these are: the highest bit of each byte says.
    struct Form {
        std::size_t size = 0;  // 0: none
        std::size_t number_at = 0;  // 0: the stat is not there
        std::array<std::uint64_t, kMostBytes / kWord> mask{}, expected{};

        bool is_that_of(const std::uint8_t* stats) const {
            std::uint64_t differing = 0;
            for (std::size_t k = 0; k * kWord < size; ++k)
                differing |= (wire::eight_bytes(stats + k * kWord) & mask[k]) ^ expected[k];
            return differing == 0;
        }
        void expect(std::size_t first, std::size_t stop, std::uint64_t bits) {
            for (std::size_t k = first; k < stop; ++k) mask[k / kWord] |= bits << 8 * (k % kWord);
        }
    };

    // Takes stats one after the other, and keeps the form where there is one stat of the number at most.
    bool walk(const std::uint8_t* stats, std::size_t size, Form* form, std::uint64_t& number) const;

    std::uint64_t id_;
    std::size_t missed_ = 0;
    std::array<Form, 32> forms_{};  // by size
};

// Keys of events by their correlation, see trace_event/correlation.hpp.
class CorrelationKeys {
  public:
    // `ids`: of the stat; of several any counts.
    CorrelationKeys(std::vector<std::int64_t> ids, bool is_on_device)
        : ids_(std::move(ids)), is_on_device_(is_on_device), stat_(ids_.size() == 1 ? ids_.front() : 0) {
        std::sort(ids_.begin(), ids_.end());
    }

    // The key of an event by its arguments, behind which there are so many bytes that may be looked at; -1: it has none.
    std::int64_t key(const std::uint8_t* args, std::size_t size, std::size_t behind) {
        if (size == 0 || behind < NumberStat::kBehind) return key_of(integer_stat({args, size}, ids_, 0));
        std::uint64_t name = 0;
        const std::uint8_t* const stats = wire::readable_varint(args, name);
        if (stats == nullptr || stats > args + size) return key_of(integer_stat({args, size}, ids_, 0));
        return key(stats, size - static_cast<std::size_t>(stats - args), {args, size});
    }
    // The same; the stats are those of the arguments, or a copy, and as many bytes behind them may be looked at as have to be.
    // Those of a file: what was written just now in pieces of other sizes is read ten times as slowly.
    std::int64_t key(const std::uint8_t* stats, std::size_t stat_bytes, const wire::Source& args) {
        std::uint64_t quick = 0;
        const bool is_quick = ids_.size() == 1 && stat_.read(stats, stat_bytes, quick);
        return key_of(is_quick ? static_cast<std::int64_t>(quick) : integer_stat(args, ids_, 0));
    }

  private:
    // Numbers from this on are none: keys have a bit for the side, and a sign.
    static constexpr std::int64_t kNumbers = std::int64_t{1} << 61;

    std::int64_t key_of(std::int64_t number) const {
        return number > 0 && number < kNumbers ? -2 - (2 * number + (is_on_device_ ? 1 : 0)) : -1;
    }

    std::vector<std::int64_t> ids_;  // ascending
    bool is_on_device_;
    NumberStat stat_;
};

// The keys of events [first, stop). `ends`: where the arguments of each event end. Throws std::invalid_argument for events
// that there are not, and arguments that lie beyond the data.
Column<std::int64_t> correlation_keys(Span<const std::int64_t> ends, const wire::Source& args, std::size_t first,
                                      std::size_t stop, CorrelationKeys keys);

}  // namespace tilescope::xspace
