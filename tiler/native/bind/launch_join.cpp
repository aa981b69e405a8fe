// Binds the joining of launches and work by their numbers, and how their partners are stored.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/written.hpp"
#include "columns/launch_join.hpp"
#include "columns/partner_steps.hpp"
#include "pages/launch_chunk.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using JoinColumn = InColumn<std::int64_t>;
using FlowColumns = std::tuple<InColumn<std::int32_t>, JoinColumn, InColumn<std::uint32_t>, InColumn<std::uint32_t>,
                               InColumn<std::uint8_t>>;

// The join, with the columns of its tracks.
class BoundLaunchJoin {
  public:
    BoundLaunchJoin(const std::vector<std::int64_t>& tracks, std::vector<std::optional<JoinColumn>> ordinals,
                    std::vector<JoinColumn> keys, const FlowColumns& flows, std::size_t most_work, std::size_t most)
        : tracks_(tracks),
          ordinals_(std::move(ordinals)),
          keys_(std::move(keys)),
          join_(joined(tracks, flows, most_work, most)) {}

    std::tuple<std::int64_t, std::int64_t> sides(std::size_t place) const {
        const LaunchJoin::Sides sides = join_.sides(place);
        return {sides.leaving, sides.arriving};
    }

    auto read(std::size_t place, std::size_t row, std::size_t most) const {
        LaunchRows rows;
        std::size_t next = 0;
        {
            nb::gil_scoped_release release;
            next = join_.read(place, row, most, rows);
        }
        return std::make_tuple(next, to_numpy(std::move(rows.ordinal)), to_numpy(std::move(rows.partner_track)),
                               to_numpy(std::move(rows.partner_ordinal)), to_numpy(std::move(rows.incoming)));
    }

    std::tuple<std::size_t, std::int64_t, nb::bytes> read_stored(std::size_t place, std::size_t row,
                                                                 std::size_t most) const {
        StoredLaunchRows rows;
        std::size_t next = 0;
        std::optional<ContainerWriter> chunk;
        {
            nb::gil_scoped_release release;
            next = join_.read(place, row, most, rows);
            chunk = launch_chunk(static_cast<std::uint32_t>(tracks_.at(place)),
                                 {rows.ordinal, rows.partner_track, rows.partner_step, rows.before_partners,
                                  rows.incoming, rows.most_rise, rows.first_track, rows.last_track, rows.least_step,
                                  rows.most_step, rows.has_both_sides});
        }
        if (rows.ordinal.size() == 0) return {next, 0, nb::bytes("", 0)};
        return {next, *rows.ordinal.data(), written(*chunk)};
    }

    auto ends(std::size_t place, const JoinColumn& start) const {
        LaunchEnds ends;
        {
            nb::gil_scoped_release release;
            ends = join_.ends(place, span_of(start));
        }
        std::optional<OutColumn<std::int64_t>> tick;
        if (!ends.is_of_all) tick = to_numpy(std::move(ends.tick));
        return std::make_tuple(std::move(tick), to_numpy(std::move(ends.incoming)), to_numpy(std::move(ends.partner)));
    }

    auto counts() const {
        const LaunchJoin::Counts& counts = join_.counts();
        return std::make_tuple(counts.pairs, counts.ambiguous, counts.crowded, counts.calls_without_work,
                               counts.work_without_launch);
    }
    bool has_room() const { return join_.counts().has_room; }

  private:
    LaunchJoin joined(const std::vector<std::int64_t>& tracks, const FlowColumns& flows, std::size_t most_work,
                      std::size_t most) const {
        same_size(tracks, keys_, ordinals_);
        std::vector<NumberedSlices> slices(tracks.size());
        for (std::size_t k = 0; k < tracks.size(); ++k) {
            slices[k].track = tracks[k];
            slices[k].key = span_of(keys_[k]);
            if (const auto& ordinal = ordinals_[k]) slices[k].ordinal = span_of(*ordinal);
        }
        const auto& [track, ordinal, source, target, is_on_device] = flows;
        const FileFlows file_flows{span_of(track), span_of(ordinal), span_of(source), span_of(target),
                                   span_of(is_on_device)};
        nb::gil_scoped_release release;
        return LaunchJoin(std::move(slices), file_flows, most_work, most);
    }

    std::vector<std::int64_t> tracks_;
    std::vector<std::optional<JoinColumn>> ordinals_;
    std::vector<JoinColumn> keys_;
    LaunchJoin join_;
};

auto steps_of(const JoinColumn& track, const JoinColumn& ordinal) {
    PartnerSteps steps;
    {
        nb::gil_scoped_release release;
        steps = partner_steps(span_of(track), span_of(ordinal));
    }
    return std::make_tuple(to_numpy(std::move(steps.step)), to_numpy(std::move(steps.before)));
}

auto ordinals_of(const JoinColumn& track, const JoinColumn& step, const JoinColumn& before) {
    std::vector<std::int64_t> ordinals;
    {
        nb::gil_scoped_release release;
        ordinals = partner_ordinals(span_of(track), span_of(step), span_of(before));
    }
    return to_numpy(std::move(ordinals));
}

}  // namespace

void bind_launch_join(nb::module_& m) {
    m.attr("MOST_JOINED_SLICES") = LaunchJoin::kMostSlices;
    m.def("partner_steps", &steps_of, nb::arg("track"), nb::arg("ordinal"),
          "Returns of each partner the step from the one before on the same track, and of each track, in the order in\n"
          "which they come, its first partner less 1. Raises ValueError.");
    m.def("partner_ordinals", &ordinals_of, nb::arg("track"), nb::arg("step"), nb::arg("before"),
          "Returns the ordinals of `partner_steps`. Raises ValueError.");
    nb::class_<BoundLaunchJoin>(m, "LaunchJoin", "Launches and work of devices, joined by their numbers.")
        .def(nb::init<const std::vector<std::int64_t>&, std::vector<std::optional<JoinColumn>>, std::vector<JoinColumn>,
                      const FlowColumns&, std::size_t, std::size_t>(),
             nb::arg("tracks"), nb::arg("ordinals"), nb::arg("keys"), nb::arg("flows"), nb::arg("most_work"),
             nb::arg("most"),
             "Of each track its number, the ordinals of slices that have a key (None: all from 0 on), and their keys.\n"
             "`flows`: of ends of the file's flows the track and the ordinal, of edges the places of both ends among\n"
             "these, and of each track of the run, is it on a device? A launch has up to `most_work`. Nothing is "
             "joined\n"
             "where there are launches, and more than `most` works without a flow, nor where there are more than\n"
             "MOST_JOINED_SLICES: `has_room` is False then.")
        .def_prop_ro("has_room", &BoundLaunchJoin::has_room, "False: nothing was joined.")
        .def_prop_ro("counts", &BoundLaunchJoin::counts,
                     "Pairs; works that are ambiguous, and crowded; calls without work, and works without launch.")
        .def("sides", &BoundLaunchJoin::sides, nb::arg("place"), "Returns how many pairs leave a track, and arrive.")
        .def("read", &BoundLaunchJoin::read, nb::arg("place"), nb::arg("row"), nb::arg("most"),
             "Returns the row that is next, and of pairs of whole slices from `row` on, up to `most` of them or those\n"
             "of a slice: ordinal, partner's track, its ordinal, and whether the partner launched the slice.")
        .def("read_stored", &BoundLaunchJoin::read_stored, nb::arg("place"), nb::arg("row"), nb::arg("most"),
             "Returns the row that is next, the ordinal of the first slice, and the chunk that `Launches.decode` "
             "reads:\n"
             "the pairs of `read`. It is empty where there are none.")
        .def("ends", &BoundLaunchJoin::ends, nb::arg("place"), nb::arg("start"),
             "Returns tick, direction and partner's track of all ends on a track, by the starts of its slices. The "
             "tick is\n"
             "None where these are the starts.");
}

}  // namespace tilescope
