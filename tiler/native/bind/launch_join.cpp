// Binds the joining of launches and work by their numbers, and how their partners are stored.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "bind/written.hpp"
#include "columns/launch_join.hpp"
#include "columns/partner_codes.hpp"
#include "pages/launch_chunk.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using JoinColumn = InColumn<std::int64_t>;
using KeyColumn = std::variant<InColumn<std::int32_t>, JoinColumn>;
using FlowColumns = std::tuple<InColumn<std::int32_t>, JoinColumn, InColumn<std::uint32_t>, InColumn<std::uint32_t>,
                               InColumn<std::uint8_t>>;

// The join, with the columns of its tracks.
class BoundLaunchJoin {
  public:
    BoundLaunchJoin(const std::vector<std::int64_t>& tracks, std::vector<std::optional<JoinColumn>> ordinals,
                    std::vector<std::tuple<std::int64_t, KeyColumn>> keys, const FlowColumns& flows,
                    std::size_t most_work, std::size_t most)
        : tracks_(tracks),
          ordinals_(std::move(ordinals)),
          keys_(std::move(keys)),
          join_(joined(tracks, flows, most_work, most)) {}

    std::tuple<std::int64_t, std::int64_t> sides(std::size_t place) const {
        const LaunchJoin::Sides sides = join_.sides(place);
        return {sides.leaving, sides.arriving};
    }

    auto read(std::size_t place, std::size_t row, std::size_t most) const {
        StoredLaunches launches;
        std::size_t next = 0;
        std::optional<ContainerWriter> chunk;
        {
            const Unlocked unlocked;
            next = join_.read(place, row, most, launches);
            chunk = launch_chunk(static_cast<std::uint32_t>(tracks_.at(place)),
                                 {launches.ordinal, launches.code, launches.launching.track, launches.launching.before,
                                  launches.most_rise});
        }
        const bool is_empty = launches.ordinal.size() == 0;
        const std::int64_t first = is_empty ? 0 : *launches.ordinal.data();
        nb::bytes stored = is_empty ? nb::bytes("", 0) : written(*chunk);
        PartnerTracks& tracks = launches.launching;
        return std::make_tuple(next, first, std::move(stored), to_numpy(std::move(tracks.track)),
                               to_numpy(std::move(tracks.least)), to_numpy(std::move(tracks.greatest)));
    }

    auto ends(std::size_t place, const JoinColumn& start) const {
        LaunchEnds ends;
        {
            const Unlocked unlocked;
            ends = join_.ends(place, span_of(start));
        }
        std::optional<OutColumn<std::int64_t>> tick;
        if (!ends.is_of_all) tick = to_numpy(ends.tick);
        return std::make_tuple(std::move(tick), to_numpy(ends.incoming), to_numpy(ends.partner));
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
            const auto& [base, key] = keys_[k];
            const auto* const near = std::get_if<InColumn<std::int32_t>>(&key);
            slices[k].key = near != nullptr ? Keys(base, span_of(*near)) : Keys(span_of(std::get<JoinColumn>(key)));
            if (const auto& ordinal = ordinals_[k]) slices[k].ordinal = span_of(*ordinal);
        }
        const auto& [track, ordinal, source, target, is_on_device] = flows;
        const FileFlows file_flows{span_of(track), span_of(ordinal), span_of(source), span_of(target),
                                   span_of(is_on_device)};
        const Unlocked unlocked;
        return LaunchJoin(std::move(slices), file_flows, most_work, most);
    }

    std::vector<std::int64_t> tracks_;
    std::vector<std::optional<JoinColumn>> ordinals_;
    std::vector<std::tuple<std::int64_t, KeyColumn>> keys_;
    LaunchJoin join_;
};

auto codes_of(const JoinColumn& track, const JoinColumn& ordinal) {
    std::vector<std::int64_t> code;
    PartnerTracks tracks;
    {
        const Unlocked unlocked;
        code.resize(same_size(span_of(track), span_of(ordinal)));
        std::vector<std::uint32_t> places(code.size());
        PartnerSteps steps;
        const Span<const std::int64_t> row_tracks = span_of(track);
        std::copy(span_of(ordinal).begin(), span_of(ordinal).end(), code.begin());
        for (std::size_t first = 0, stop = 0; first < code.size(); first = stop) {
            while (stop < code.size() && row_tracks[stop] == row_tracks[first]) ++stop;
            const std::uint32_t place = steps.add(row_tracks[first], {&code[first], stop - first});
            std::fill(places.begin() + static_cast<std::ptrdiff_t>(first),
                      places.begin() + static_cast<std::ptrdiff_t>(stop), place);
        }
        tracks = steps.tracks();
        make_partner_codes(code.data(), places, place_bits(tracks.track.size()));
    }
    return std::make_tuple(to_numpy(std::move(code)), to_numpy(std::move(tracks.track)),
                           to_numpy(std::move(tracks.before)), to_numpy(std::move(tracks.least)),
                           to_numpy(std::move(tracks.greatest)));
}

std::tuple<bool, bool> near_keys(const JoinColumn& keys, std::int64_t base, const WritableColumn<std::int32_t>& out) {
    const Unlocked unlocked;
    const NearKeys near(span_of(keys), base, span_of(out));
    return {near.are_all, near.are_near};
}

auto partners_of(const JoinColumn& code, const JoinColumn& tracks, const JoinColumn& before) {
    Partners partners;
    {
        const Unlocked unlocked;
        partners = decoded_partners(span_of(code), span_of(tracks), span_of(before));
    }
    return std::make_tuple(to_numpy(std::move(partners.track)), to_numpy(std::move(partners.ordinal)));
}

}  // namespace

void bind_launch_join(nb::module_& m) {
    m.attr("MOST_JOINED_SLICES") = LaunchJoin::kMostSlices;
    m.def("partner_codes", &codes_of, nb::arg("track"), nb::arg("ordinal"),
          "Returns the code of each partner, and of each track, in the order in which they come: the track, its first\n"
          "partner less 1, its least and its greatest. Raises ValueError.");
    m.def("near_keys", &near_keys, nb::arg("keys"), nb::arg("base"), nb::arg("out"),
          "Writes the distances of keys from one of them. Returns whether each key is less than -1, and whether all\n"
          "distances have room in 32 bits.");
    m.def("decoded_partners", &partners_of, nb::arg("code"), nb::arg("tracks"), nb::arg("before"),
          "Returns track and ordinal of each partner of `partner_codes`. Raises ValueError.");
    nb::class_<BoundLaunchJoin>(m, "LaunchJoin", "Launches and work of devices, joined by their numbers.")
        .def(nb::init<const std::vector<std::int64_t>&, std::vector<std::optional<JoinColumn>>,
                      std::vector<std::tuple<std::int64_t, KeyColumn>>, const FlowColumns&, std::size_t, std::size_t>(),
             nb::arg("tracks"), nb::arg("ordinals"), nb::arg("keys"), nb::arg("flows"), nb::arg("most_work"),
             nb::arg("most"),
             "Of each track its number, the ordinals of slices that have a key (None: all from 0 on), and their keys:\n"
             "one of them and the distances from it, or 0 and the keys themselves.\n"
             "`flows`: of ends of the file's flows the track and the ordinal, of edges the places of both ends among\n"
             "these, and of each track of the run, is it on a device? A launch has up to `most_work`. Nothing is "
             "joined\n"
             "where there are launches, and more than `most` works without a flow, nor where there are more than\n"
             "MOST_JOINED_SLICES: `has_room` is False then.")
        .def_prop_ro("has_room", &BoundLaunchJoin::has_room, "False: nothing was joined.")
        .def_prop_ro("counts", &BoundLaunchJoin::counts,
                     "Pairs; works that are ambiguous, and crowded; calls without work, and works without launch.")
        .def("sides", &BoundLaunchJoin::sides, nb::arg("place"), "Returns how many pairs leave a track, and arrive.")
        .def(
            "read", &BoundLaunchJoin::read, nb::arg("place"), nb::arg("row"), nb::arg("most"),
            "Returns the row that is next, and of up to `most` works from `row` on, with the launch of each: the "
            "ordinal\n"
            "of the first, the chunk that `Launches.decode` reads, empty where there are none, and of each track that\n"
            "launches them the track, its least launch and its greatest.")
        .def("ends", &BoundLaunchJoin::ends, nb::arg("place"), nb::arg("start"),
             "Returns tick, direction and partner's track of all ends on a track, by the starts of its slices. The "
             "tick is\n"
             "None where these are the starts; of the others there is one value where it is that of all ends.");
}

}  // namespace tilescope
