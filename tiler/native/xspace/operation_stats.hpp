// Stats of a device's operations: when each ran on the device, what tells it from others, and numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "xspace/placed_stat.hpp"
#include "xspace/quick_stat.hpp"
#include "xspace/usual_operation.hpp"
#include "xspace/wire.hpp"

namespace tilescope::xspace {

// The form in which the value of a stat is written.
enum class StatForm : std::uint8_t { none = 0, integer = 1, unsigned_integer = 2, reference = 3, text = 4 };

// A stat of an event: a number or the id of a text as `bits`, or a text, which lies in its arguments.
struct SeenStat {
    StatForm form = StatForm::none;
    std::int64_t bits = 0;
    std::string_view text;
};

// Stats on a plane by what they are: their ids.
struct OperationIds {
    std::vector<std::int64_t> begin, duration;
    std::vector<std::vector<std::int64_t>> numbers;  // that each event has; none is negative
    std::vector<std::vector<std::int64_t>> of_kind;  // events of one kind agree in these
};

// Reads the arguments of one event after the other.
class OperationStats {
  public:
    // A number that an event does not have.
    static constexpr std::int64_t kAbsent = -1;

    explicit OperationStats(const OperationIds& ids);

    // Reads the stats of the next event. Damaged ones have no metadata and no stats. `all_end`: where the bytes end
    // among which they lie.
    void read(const wire::Source& args, const std::uint8_t* all_end) {
        if (!read_quickly(args, all_end)) read_anyhow(args);
    }

    // The heads of times, as they were written in the events before.
    const TimeHeads& heads() const { return heads_; }

    // True if all from `p` to the end of arguments are stats that nobody asked for; false where that takes more care to
    // say.
    bool are_unwanted(const std::uint8_t* p, const std::uint8_t* end, const std::uint8_t* all_end) const {
        for (QuickStat stat; p != end;) {
            p = quick_stat(p, end, all_end, stat);
            if (p == nullptr || quick_[stat.id].use != Use::none) return false;
        }
        return true;
    }

    // True if the event tells neither when it ran nor numbers.
    bool has_kind_alone() const { return !has_numbers_ && begin_ == kAbsent && duration_ == kAbsent; }

    std::int64_t metadata() const { return metadata_; }  // -1 none
    std::int64_t begin() const { return begin_; }
    std::int64_t duration() const { return duration_; }
    bool has_numbers() const { return has_numbers_; }
    const std::vector<std::int64_t>& numbers() const { return numbers_; }
    bool has_stats() const { return has_stats_; }  // any that belong to its kind
    const std::vector<SeenStat>& stats() const { return stats_; }

    // The places of the first of the ids of duration and begin.
    const PlacedTimes& times() const { return times_; }
    const TimeIds& time_ids() const { return time_ids_; }

  private:
    enum class Use : std::uint8_t { none, begin, duration, number, kind };
    struct Wanted {
        std::int64_t id = 0;
        Use use = Use::none;
        std::size_t place = 0;
    };

    void want(const std::vector<std::int64_t>& ids, Use use, std::size_t place);
    void forget();
    bool read_quickly(const wire::Source& args, const std::uint8_t* all_end);
    const std::uint8_t* read_time(const std::uint8_t* p, const wire::Source& args);
    const std::uint8_t* read_other(const std::uint8_t* p, const wire::Source& args, const std::uint8_t* file_end);
    void read_anyhow(const wire::Source& args);
    void read_carefully(const wire::Source& args);
    void read_stat(const wire::Source& args, wire::Cursor stat);
    void take(const Wanted& wanted, const SeenStat& stat);

    std::vector<Wanted> wanted_;  // of stats that are wanted twice the first counts
    std::array<Wanted, QuickStat::kIds> quick_;  // the same by id
    TimeIds time_ids_;
    TimeHeads heads_;

    std::int64_t metadata_ = -1;
    std::int64_t begin_ = kAbsent;
    std::int64_t duration_ = kAbsent;
    std::vector<std::int64_t> numbers_;
    std::vector<SeenStat> stats_;
    PlacedTimes times_;
    bool has_numbers_ = false;
    bool has_stats_ = false;
};

}  // namespace tilescope::xspace
