// Operations of a device: their kinds, told apart by metadata and some stats, their time on the device, and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/span.hpp"
#include "columns/column.hpp"
#include "xspace/operation_args.hpp"
#include "xspace/operation_stats.hpp"
#include "xspace/wire.hpp"

namespace tilescope::xspace {

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
    // No more than `max_kinds` are told apart by stats: further events are told apart by their metadata alone.
    Operations(const OperationIds& ids, std::size_t max_kinds, std::int64_t tick_ps);

    // Columns of events that are added together: the kind of each, that of its parent, -1 none, and its duration in
    // picoseconds; the places of those that have any numbers, and of these the numbers, -1 none; columns that none of
    // them has are empty.
    struct Columns {
        Column<std::int64_t> kind, parent, duration;
        std::vector<std::int64_t> numbered;
        std::vector<std::vector<std::int64_t>> numbers;
        std::int64_t last_stop = INT64_MIN;  // when the last event ends, in ticks

        // Adds the numbers of the event at a place, if it has any.
        void add_numbers(std::size_t place, const std::vector<std::int64_t>& event_numbers);
    };

    // The next events: event k has the arguments args[args_end[k-1]:args_end[k]], the first from `begin` on; start and
    // duration in ticks. Those with damaged arguments have no metadata and no stats. Throws std::invalid_argument.
    // Writes the arguments into chunks, if there are any.
    Columns add(Span<const std::int64_t> args_end, std::int64_t begin, const wire::Source& args,
                Span<const std::int64_t> start, Span<const std::int64_t> duration, OperationChunks* chunks = nullptr);

    // Empty chunks, which do without the times of operations: always the same room.
    OperationChunks& chunks(std::size_t most_events, std::size_t most_bytes);

    // A kind of operations: the metadata, -1 none, and the stats as they were asked for; no stats where the event had
    // none.
    struct Kind {
        std::int64_t metadata = -1;
        std::vector<OperationStat> stats;
        std::string args;  // of an event of it that has nothing else to say; empty where that is not known
    };
    const std::deque<Kind>& kinds() const { return kinds_; }

    // True if there were more kinds than could be told apart.
    bool is_cut() const { return is_cut_; }

    // The times at which the first operation begins and the last one ends, in the device's time; the same where there are
    // none.
    std::int64_t first() const { return first_; }
    std::int64_t last() const { return last_; }

  private:
    struct Open {
        std::int64_t end;
        std::int64_t kind;
    };
    // Kinds of one metadata, -1 not seen yet: that of events without stats, and the one that was seen last of others.
    struct OfMetadata {
        std::int32_t plain = -1, with_stats = -1;
    };

    // Null: it is too far from the others.
    OfMetadata* of_metadata(std::int64_t metadata) {
        if (metadata == -1) return &of_none_;
        const std::uint64_t place = static_cast<std::uint64_t>(metadata) - static_cast<std::uint64_t>(first_metadata_);
        return place < by_metadata_.size() ? &by_metadata_[place] : make_room_for(metadata);
    }
    OfMetadata* make_room_for(std::int64_t metadata);
    void write_key();
    std::int64_t kind_with(const wire::Source& args, std::int64_t metadata);
    std::int64_t kind_of_event(const wire::Source& args);
    std::int64_t kind_with_stats();
    bool has_stats_of(const Kind& kind) const;
    // The kind of events without stats.
    std::int64_t plain_kind(std::int64_t metadata) {
        const std::uint64_t place = static_cast<std::uint64_t>(metadata) - static_cast<std::uint64_t>(first_metadata_);
        const bool is_known = place < by_metadata_.size() && by_metadata_[place].plain >= 0;
        return is_known ? by_metadata_[place].plain : new_plain_kind(metadata);
    }
    std::int64_t new_plain_kind(std::int64_t metadata);
    std::int64_t new_kind();
    void find_parents(Columns& columns, bool in_order);

    OperationStats stats_;  // of the event that is read
    std::size_t max_kinds_;
    std::int64_t tick_ps_;
    std::int64_t shift_ = 0;  // the device's time minus that of the events
    std::string key_;
    std::unordered_map<std::string, std::int64_t> kinds_by_key_;
    // Kinds by metadata, from a number on: that of a plane lies side by side, and that of other planes before and
    // behind it.
    std::vector<OfMetadata> by_metadata_;
    std::int64_t first_metadata_ = 0;
    std::int64_t least_metadata_ = 0;  // with those beside it, of what was seen: there may be room before it
    OfMetadata of_none_;
    std::deque<Kind> kinds_;
    std::optional<OperationChunks> chunks_;
    bool is_cut_ = false;
    std::vector<std::int64_t> begins_;  // of what was added last, in the device's time
    std::vector<Open> open_;
    bool any_ = false;
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
};

}  // namespace tilescope::xspace
