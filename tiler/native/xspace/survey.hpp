// The second pass over an XSpace: one look into each line. Lines are independent, so that several can be surveyed at once.
#pragma once

#include "columns/activity.hpp"
#include "xspace/event.hpp"
#include "xspace/flows.hpp"
#include "xspace/outline.hpp"
#include "xspace/tables.hpp"
#include "xspace/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope::xspace {

// Memory that a flow end with an entry of `table_flows` takes, in bytes: here and in the catalogue's table, while that
// grows.
constexpr std::size_t table_flow_bytes = 128;

// True if a time has whole nanoseconds. Modulo 2**64, the inverse of 125 is such that multiples of 125, and no other
// numbers, become small: one product instead of two.
inline bool is_whole_ns(std::int64_t ps) {
    constexpr std::uint64_t inverse = 0x1cac083126e978d5;
    constexpr std::uint64_t most = UINT64_MAX / 125;
    const std::uint64_t size = ps < 0 ? 0 - static_cast<std::uint64_t>(ps) : static_cast<std::uint64_t>(ps);
    return size % 8 == 0 && size * inverse <= most;
}

struct LineSurvey {
    std::int64_t id = 0;
    std::int64_t timestamp_ns = 0;
    wire::Range name;
    wire::Range display_name;
    std::uint64_t events = 0;  // as written in the file
    std::uint64_t out_of_range = 0;  // of these: left out, their time does not fit in 64-bit nanoseconds

    // Bounds of the others: where they begin and end, counted from the start of the line, and whether in whole
    // nanoseconds.
    std::int64_t first_ps = 0;
    std::int64_t last_start_ps = 0;
    bool any_ps = false;
    std::size_t stat_bytes = 0;  // of all events: stats with their tags
    std::vector<std::int64_t> metadata_ids;  // that they use, in the order of first use
    std::size_t flow_ends = 0;
    bool all_usual = true;  // whether all events are as in `usual_event.hpp`
    bool tells_of_flows = false;  // whether any event has a stat that speaks of flows or steps
    std::vector<std::pair<std::uint64_t, std::uint64_t>>
        table_flows;  // (type, id) of those that need a table, in file order
    Activity activity;

    // Ids of metadata and flows, once the catalogue has them.
    void forget_ids() {
        std::vector<std::int64_t>().swap(metadata_ids);
        std::vector<std::pair<std::uint64_t, std::uint64_t>>().swap(table_flows);
    }

    // Takes one more event that is not out of range, after `events` was counted. `duration_ps` is not negative.
    void see(std::int64_t offset_ps, std::int64_t duration_ps) {
        if (events - out_of_range == 1) {
            first_ps = last_start_ps = offset_ps;
        } else {
            first_ps = std::min(first_ps, offset_ps);
            last_start_ps = std::max(last_start_ps, offset_ps);
        }
        std::int64_t last_ps = 0;
        if (!__builtin_add_overflow(offset_ps, duration_ps, &last_ps)) end_ps_ = std::max(end_ps_, last_ps);
        else if (const NanoPico last = NanoPico::from_ps(offset_ps) + NanoPico::from_ps(duration_ps); far_end_ < last)
            far_end_ = last;
        any_ps = any_ps || offset_ps % 1000 != 0 || duration_ps % 1000 != 0;
        activity.add(offset_ps, duration_ps);
    }

    // Takes many events like that, one after the other: what is told of all of them stays in registers until `done`.
    class Many {
      public:
        explicit Many(LineSurvey& survey) : survey_(survey), activity_(survey.activity) { look(); }

        void see(std::int64_t offset_ps, std::int64_t duration_ps, std::size_t stat_bytes) {
            ++events_;
            stat_bytes_ += stat_bytes;
            std::int64_t end_ps = 0;
            if (__builtin_add_overflow(offset_ps, duration_ps, &end_ps)) return see_far(offset_ps, duration_ps);
            first_ps_ = std::min(first_ps_, offset_ps);
            last_start_ps_ = std::max(last_start_ps_, offset_ps);
            end_ps_ = std::max(end_ps_, end_ps);
            if (!any_ps_) any_ps_ = !is_whole_ns(duration_ps) || !is_whole_ns(offset_ps);
            activity_.add(offset_ps, duration_ps, end_ps);
        }

        void done() {
            activity_.done();
            if (events_ == survey_.events) return;
            survey_.events = events_;
            survey_.stat_bytes = stat_bytes_;
            survey_.first_ps = first_ps_;
            survey_.last_start_ps = last_start_ps_;
            survey_.end_ps_ = end_ps_;
            survey_.any_ps = any_ps_;
        }

      private:
        void look() {
            events_ = survey_.events;
            stat_bytes_ = survey_.stat_bytes;
            const bool any = events_ != survey_.out_of_range;
            first_ps_ = any ? survey_.first_ps : INT64_MAX;
            last_start_ps_ = any ? survey_.last_start_ps : INT64_MIN;
            end_ps_ = survey_.end_ps_;
            any_ps_ = survey_.any_ps;
        }

        void see_far(std::int64_t offset_ps, std::int64_t duration_ps) {
            --events_;
            done();
            survey_.events = events_ + 1;
            survey_.stat_bytes = stat_bytes_;
            survey_.see(offset_ps, duration_ps);
            look();
        }

        LineSurvey& survey_;
        Activity::Many activity_;
        std::uint64_t events_ = 0;
        std::size_t stat_bytes_ = 0;
        std::int64_t first_ps_ = 0, last_start_ps_ = 0, end_ps_ = 0;
        bool any_ps_ = false;
    };

    // The time at which they end; 0 where there are none.
    NanoPico end() const {
        const NanoPico last = end_ps_ == nothing ? NanoPico{0, 0} : NanoPico::from_ps(end_ps_);
        return last < far_end_ ? far_end_ : last;
    }

    // True if an event lies where these do.
    bool encloses(std::int64_t offset_ps, std::int64_t duration_ps) const {
        if (offset_ps < first_ps || offset_ps > last_start_ps) return false;
        std::int64_t last_ps = 0;
        if (!__builtin_add_overflow(offset_ps, duration_ps, &last_ps) && last_ps <= end_ps_) return true;
        return !(end() < NanoPico::from_ps(offset_ps) + NanoPico::from_ps(duration_ps));
    }

  private:
    static constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::min();

    std::int64_t end_ps_ = nothing;  // of those whose end is a number of picoseconds
    NanoPico far_end_{std::numeric_limits<std::int64_t>::min(), 0};  // of the others
};

class Surveyor {
  public:
    // `start_ns`: where the line counts from, if events whose time does not fit are to be left out. All that is referred to
    // must outlive the surveyor.
    // Throws wire::LimitReached for more than `max_ids` different names or `max_flows` flow ends that need a table.
    Surveyor(const wire::Source& source, const Line& line, const FlowStats& flow_stats, std::size_t metadata_entries,
             std::size_t max_ids, std::size_t max_flows, std::optional<std::int64_t> start_ns = std::nullopt);

    // Reads on until the position is at least `stop`; true while there is more. Throws wire::Error.
    bool advance(std::size_t stop);

    std::size_t position() const { return position_; }

    // To be taken once, at the end.
    LineSurvey take() { return std::move(survey_); }

  private:
    // Ids that were seen: a bit each for the small ones, which nearly all are. Those of some compilers leave 99 of 100 out:
    // in a hash table they took a seventh of the survey. At most 64 bytes for an entry of the plane, and twice what the line
    // takes in the file: a plane with many entries may have many short lines.
    class SeenIds {
      public:
        SeenIds(std::size_t expected, std::size_t line_bytes)
            : max_words_(std::min(expected * 4, line_bytes / 8) + 16) {}

        // Adds an id; true if it is new.
        bool add(std::int64_t id) {
            const auto bit = static_cast<std::uint64_t>(id);
            if (bit / 64 >= bits_.size()) return add_far(id);
            std::uint64_t& word = bits_[bit / 64];
            if ((word >> (bit % 64) & 1) != 0) return false;
            word |= std::uint64_t{1} << (bit % 64);
            return true;
        }

      private:
        bool add_far(std::int64_t id);

        std::size_t max_words_;
        std::vector<std::uint64_t> bits_;
        SparseIds sparse_;
    };

    bool take_usual_events(wire::Cursor& line, std::size_t stop);
    template <bool kFlows>
    bool take_usual_events(wire::Cursor& line, std::size_t stop);
    void take_event(wire::Cursor& line);
    void take_new_id(std::int64_t id);
    void take_flows(const FlowValues& flows);
    void take_flow(std::uint64_t type, std::uint64_t id);

    const wire::Source& source_;
    const Line& line_;
    const FlowStats& flow_stats_;
    std::optional<std::int64_t> start_ns_;
    std::size_t position_;
    std::size_t max_ids_;
    std::size_t max_flows_;
    SeenIds seen_;
    Event event_;
    LineSurvey survey_;
};

}  // namespace tilescope::xspace
