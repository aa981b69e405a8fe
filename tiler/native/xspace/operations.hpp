// What a device's operations are: their kinds, told apart by metadata and some stats, their time on the device, and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/span.hpp"
#include "xspace/wire.hpp"

namespace tilescope::xspace {

// How the value of a stat is written.
enum class StatForm : std::uint8_t { none = 0, integer = 1, unsigned_integer = 2, reference = 3, text = 4 };

// A stat of an event that belongs to its kind: a text, or a number or the id of a text as `bits`.
struct OperationStat {
    StatForm kind = StatForm::none;
    std::int64_t bits = 0;
    std::string text;
};

// Reads the arguments of the events of a line, in canonical order.
//
// An operation has a span in the device's time, in picoseconds: two stats say where it begins and how long it takes. Without
// both it has the event's own, as far from them as the event before was. It lies in another one, its parent, if that is the
// innermost that contains it in this time, among those before it in the order (begin, longer first); events that are added
// together are put in this order, and come after all that were added before.
class Operations {
  public:
    // A number that an event does not have.
    static constexpr std::int64_t kAbsent = -1;

    // Ids of stats below this are looked up in a table: those of real files nearly always are.
    static constexpr std::uint64_t kDirectIds = 1024;

    struct Ids {  // of stats on the plane, by what they are
        std::vector<std::int64_t> begin, duration;
        std::vector<std::vector<std::int64_t>> numbers;  // that each event has; none is negative
        std::vector<std::vector<std::int64_t>> of_kind;  // events of one kind agree in these
    };

    // No more than `max_kinds` are told apart by stats: further events are told apart by their metadata alone.
    Operations(Ids ids, std::size_t max_kinds, std::int64_t tick_ps);

    // What is added together: of each event its kind, that of its parent, -1 none, its duration in picoseconds, and numbers;
    // columns of numbers that none of the events has are empty.
    struct Columns {
        std::vector<std::int64_t> kind, parent, duration;
        std::vector<std::vector<std::int64_t>> numbers;
    };

    // The next events: event k has the arguments args[args_end[k-1]:args_end[k]], the first from `begin` on; start and
    // duration in ticks. Those with damaged arguments have no metadata and no stats. Throws std::invalid_argument.
    Columns add(Span<const std::int64_t> args_end, std::int64_t begin, const wire::Source& args,
                Span<const std::int64_t> start, Span<const std::int64_t> duration);

    // Of each kind so far: the metadata, -1 none, and the stats as they were asked for.
    struct Kind {
        std::int64_t metadata = -1;
        std::vector<OperationStat> stats;
    };
    const std::deque<Kind>& kinds() const { return kinds_; }

    // Whether there were more kinds than could be told apart.
    bool is_cut() const { return is_cut_; }

    // When the first operation begins and the last one ends, in the device's time; the same where there are none.
    std::int64_t first() const { return first_; }
    std::int64_t last() const { return last_; }

  private:
    enum class Use : std::uint8_t { begin, duration, number, kind };
    struct Wanted {
        std::int64_t id;
        Use use;
        std::size_t place;
    };
    struct Open {
        std::int64_t end;
        std::int64_t kind;
    };
    // A stat of the event that is read: the text lies in its arguments.
    struct Seen {
        StatForm form = StatForm::none;
        std::int64_t bits = 0;
        std::string_view text;
    };

    // Where to look for what is wanted of a stat: nothing that is wanted of it comes before.
    std::size_t first_wanted(std::int64_t id) const {
        return static_cast<std::uint64_t>(id) < kDirectIds ? first_of_id_[static_cast<std::size_t>(id)] : 0;
    }
    void want(const std::vector<std::int64_t>& ids, Use use, std::size_t place);
    void forget();
    bool read_quickly(const wire::Source& args, const std::uint8_t* all_end);
    void read(const wire::Source& args);
    void read_stat(const wire::Source& args, wire::Cursor stat);
    void take(std::int64_t id, const Seen& stat);
    std::int64_t& number(const Wanted& wanted);  // of the event: where it is a number
    void write_key();
    std::int64_t kind_of_event();
    std::int64_t new_kind();
    void find_parents(Columns& columns, const std::vector<std::int64_t>& begin);

    std::vector<Wanted> wanted_;
    std::vector<std::size_t> first_of_id_;  // of low ids, the first that wants it
    std::size_t max_kinds_;
    std::int64_t tick_ps_;
    // Of the event that is read.
    std::int64_t metadata_ = -1;
    std::int64_t begin_ = kAbsent;
    std::int64_t duration_ = kAbsent;
    std::vector<std::int64_t> number_;
    std::vector<Seen> stat_;
    std::string key_;

    std::int64_t shift_ = 0;  // the device's time minus that of the events
    bool has_numbers_ = false;  // whether the event has any of `number_`
    bool has_stats_ = false;  // whether the event has any that belong to its kind
    std::unordered_map<std::string, std::int64_t> known_;
    std::vector<std::int64_t> plain_;  // by metadata: of events without such stats, -1 not seen yet
    std::deque<Kind> kinds_;
    bool is_cut_ = false;
    std::vector<Open> open_;
    bool any_ = false;
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
};

}  // namespace tilescope::xspace
