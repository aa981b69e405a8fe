// Binds the activity of tracks, as chunks of their events come in.
#include "bind/activity.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/activity_bins.hpp"
#include "columns/event_codes.hpp"
#include "columns/extent.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Activities of all tracks of a file whose events come in file order.
class Activities {
  public:
    void add(const InColumn<std::int32_t>& track, const InColumn<std::uint8_t>& phase,
             const InColumn<std::int64_t>& time, const InColumn<std::int64_t>& duration) {
        const std::size_t n = same_size(track, phase, time, duration);
        const Span<const std::int32_t> tracks = span_of(track);
        const Span<const std::uint8_t> phases = span_of(phase);
        const Span<const std::int64_t> times = span_of(time);
        const Span<const std::int64_t> durations = span_of(duration);
        const Unlocked unlocked;
        for (std::size_t k = 0; k < n; ++k) {
            if (tracks[k] < 0) throw std::invalid_argument("tracks are not negative");
            const auto number = static_cast<std::size_t>(tracks[k]);
            if (number >= tracks_.size()) tracks_.resize(number + 1);
            if (!tracks_[number].seen) {
                tracks_[number].seen = true;
                ++n_seen_;
            }
            take(tracks_[number], static_cast<Phase>(phases[k]), times[k], durations[k]);
        }
    }

    auto activity_of(std::size_t track) const {
        static const Activity none;
        return activity_columns(track < tracks_.size() ? tracks_[track].activity : none);
    }

    std::size_t n_seen() const { return n_seen_; }

  private:
    struct Track {
        Activity activity;
        std::int64_t begin = 0;  // of the outermost slice that is open
        std::uint64_t depth = 0;
        bool seen = false;
    };

    static void take(Track& track, Phase phase, std::int64_t time, std::int64_t duration) {
        switch (phase) {
        case Phase::begin:
            if (track.depth++ == 0) track.begin = time;
            break;
        case Phase::end:
            if (track.depth != 0 && --track.depth == 0) {
                std::int64_t length = 0;
                if (!__builtin_sub_overflow(time, track.begin, &length)) track.activity.add(track.begin, length);
            }
            break;
        case Phase::flow_start:
        case Phase::flow_step:
        case Phase::flow_end: break;
        default: track.activity.add(time, duration);
        }
    }

    std::vector<Track> tracks_;
    std::size_t n_seen_ = 0;
};

auto bins_of_activity(const std::vector<InColumn<double>>& busy, const std::vector<double>& first,
                      const std::vector<double>& step, std::size_t bins) {
    if (first.size() != busy.size() || step.size() != busy.size()) {
        throw std::invalid_argument("a load has a place and a width");
    }
    std::vector<ActivityLoad> loads;
    loads.reserve(busy.size());
    for (std::size_t k = 0; k < busy.size(); ++k) loads.push_back({span_of(busy[k]), first[k], step[k]});
    ActivityBins combined;
    {
        const Unlocked unlocked;
        combined = activity_bins(loads, bins);
    }
    return std::make_tuple(to_numpy(std::move(combined.bins)), to_numpy(std::move(combined.utilisation)));
}

using ExtentRow = std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool>;

ExtentRow row_of(const Extent& extent) {
    return {extent.rows,    extent.first_ns, extent.latest_ns, extent.longest_ns,
            extent.last_ns, extent.last_ps,  extent.any_ps};
}

std::tuple<ExtentRow, ExtentRow, std::optional<std::int64_t>> chunk_extents(
    const InColumn<std::uint8_t>& phase, const InColumn<std::int64_t>& time_ns,
    const std::optional<InColumn<std::int16_t>>& time_ps, const InColumn<std::int64_t>& duration_ns,
    const std::optional<InColumn<std::int16_t>>& duration_ps, const InColumn<std::uint8_t>& flags) {
    const auto optional = [](const std::optional<InColumn<std::int16_t>>& column) {
        return column ? std::make_optional(span_of(*column)) : std::nullopt;
    };
    const auto starts_ps = optional(time_ps), durations_ps = optional(duration_ps);
    ChunkExtents extents;
    {
        const Unlocked unlocked;
        extents =
            extents_of(span_of(phase), span_of(time_ns), starts_ps, span_of(duration_ns), durations_ps, span_of(flags));
    }
    return {row_of(extents.events), row_of(extents.flow_ends), extents.first_arrival_ns};
}

}  // namespace

void bind_activity(nb::module_& m) {
    m.def(
        "chunk_extents", &chunk_extents, nb::arg("phase"), nb::arg("time_ns"), nb::arg("time_ps").none(),
        nb::arg("duration_ns"), nb::arg("duration_ps").none(), nb::arg("flags"),
        "Returns the extent of the events of a chunk, that of its flow ends, and when the first flow end is that\n"
        "belongs to the slice behind it. An extent: how many they are; when the first begins, when the last begins,\n"
        "how long the longest lasts, when the last ends, in nanoseconds and picoseconds beyond, and whether any time\n"
        "is not a whole nanosecond.");
    m.def("activity_bins", &bins_of_activity, nb::arg("busy"), nb::arg("first"), nb::arg("step"), nb::arg("bins"),
          "Of tracks with their busy time in bins of their own, which are `step` wide and begin at `first`, both in "
          "bins\n"
          "of a grid: the bins of the grid in which there is something, and their utilisation, 1 to 255.");
    nb::class_<Activities>(m, "Activities", "How busy the tracks of a file are, whose events come in file order.")
        .def(nb::init<>())
        .def("add", &Activities::add, nb::arg("track"), nb::arg("phase"), nb::arg("time"), nb::arg("duration"),
             "Adds a chunk of events.")
        .def_prop_ro("tracks", &Activities::n_seen, "How many tracks have had events or flow ends.")
        .def("of", &Activities::activity_of, nb::arg("track"),
             "Returns shift, first bin, and the busy time of each bin: bin k of the column covers [(first + k) <<\n"
             "shift, (first + k + 1) << shift).");
}

}  // namespace tilescope
