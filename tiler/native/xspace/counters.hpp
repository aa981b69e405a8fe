// Lines of counters: which of their events are samples, and of which series. A series is a name of events and a stat with
// numbers. Once all lines have been surveyed and the catalogue is there; lines are independent.
#pragma once

#include "columns/column.hpp"
#include "xspace/catalogue.hpp"
#include "xspace/event.hpp"
#include "xspace/flows.hpp"
#include "xspace/outline.hpp"
#include "xspace/survey.hpp"
#include "xspace/wire.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::xspace {

constexpr std::size_t max_series = 64;  // of a line: each is a track
constexpr std::size_t no_series = max_series;

// True if a line has a name that profilers give to such lines.
bool is_counter_line(const wire::Source& source, const LineSurvey& survey);

// Places where some events of a line begin, in the order of the file: the distance from each to the next, as varints.
class EventPlaces {
  public:
    void add(std::size_t offset);
    std::size_t size_bytes() const { return steps_.size(); }

    // One place after the other.
    class Walk {
      public:
        explicit Walk(const EventPlaces& places) : places_(&places) {}
        bool at_end() const { return next_ == places_->steps_.size(); }
        std::size_t next();

      private:
        const EventPlaces* places_;
        std::size_t next_ = 0;
        std::size_t offset_ = 0;
    };

  private:
    Column<std::uint8_t> steps_;
    std::size_t last_ = 0;
};

struct CounterSeries {
    std::int32_t name_index = 0;  // of its events
    std::int64_t stat_id = 0;
    LineSurvey survey;  // of its samples: number, times, activity
    EventPlaces places;
};

// The numbers of one event by series; where a stat is written twice, the last one.
struct EventSamples {  // NOLINT(cppcoreguidelines-pro-type-member-init): `present` says which values were written
    std::bitset<max_series> present;
    std::array<double, max_series> value;
    std::size_t first = no_series;  // the series of the first stat that has one
    std::size_t not_finite = 0;
    std::size_t beyond = 0;  // numbers that have no series
};

struct CounterLine {
    LineSurvey rest;  // of the events that are no samples: they stay slices
    EventPlaces rest_places;
    std::vector<CounterSeries> series;  // in the order of their first samples; at most `max_series`
    std::uint64_t sampled = 0;  // events that are samples
    std::uint64_t lasting = 0;  // of these: with a duration, which samples have not
    std::uint64_t not_finite = 0;  // numbers
    std::uint64_t beyond_events = 0;  // events that would be samples of series beyond the limit, and of no others
    std::uint64_t beyond_numbers = 0;  // such numbers of events that are samples of others

    std::size_t size_bytes() const;
};

// The rules that decide which events are samples: not those that begin or end a flow, mark a step or stand for many.
class CounterRules {
  public:
    // All that is referred to must outlive it.
    CounterRules(const wire::Source& source, const Catalogue& catalogue, const FlowStats& flow_stats, std::size_t plane)
        : source_(source), catalogue_(catalogue), flow_stats_(flow_stats), plane_(plane) {}

    // Reads the event that begins at the cursor of its line, with its tag. False where it is none.
    static bool read(wire::Cursor& line, Event& event);

    // The numbers of the event.
    EventSamples samples(const Event& event, const std::vector<CounterSeries>& series) const;

    // The same; series that are not known yet are added, as long as there may be more.
    EventSamples samples_growing(const Event& event, std::vector<CounterSeries>& series) const;

  private:
    template <typename SeriesOf>
    EventSamples samples_by(const Event& event, SeriesOf&& series_of) const;
    bool stays_slice(const Event& event) const;
    std::int32_t name_index(const Event& event) const;

    const wire::Source& source_;
    const Catalogue& catalogue_;
    const FlowStats& flow_stats_;
    std::size_t plane_;
};

// Goes through a line that was surveyed. `start_ns`: where it counts from. Throws wire::Error, wire::LimitReached when what is
// kept takes more than `max_bytes`, at `per_series` for each series beside the places of its samples.
CounterLine split_counters(const wire::Source& source, const Line& line, const LineSurvey& survey,
                           const CounterRules& rules, std::int64_t start_ns, std::size_t max_bytes,
                           std::size_t per_series);

}  // namespace tilescope::xspace
