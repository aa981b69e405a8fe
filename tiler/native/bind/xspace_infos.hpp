// Descriptions of an XSpace for Python: lines, series of counters, planes and metadata.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

namespace nb = nanobind;

struct LineInfo {
    std::size_t plane;
    std::int64_t id;
    std::int64_t timestamp_ns;
    std::string name;
    std::string display_name;
    std::uint64_t events;
    std::uint64_t out_of_range;
    std::size_t flow_ends;
    std::int64_t first_ps;
    std::int64_t end_ns;
    std::int64_t end_ps;
    bool any_ps;
};

// One series of a line of counters: its samples, as `LineInfo` describes events.
struct SeriesInfo {
    std::int32_t name_index;
    std::int64_t stat_id;
    std::uint64_t samples;
    std::int64_t first_ps;
    std::int64_t end_ns;
    std::int64_t end_ps;
    bool any_ps;
};

struct CountersInfo {
    std::vector<SeriesInfo> series;
    std::uint64_t sampled;
    std::uint64_t lasting;
    std::uint64_t not_finite;
    std::uint64_t beyond_events;
    std::uint64_t beyond_numbers;
};

struct PlaneInfo {
    std::string name;
    nb::typed<nb::list, nb::bytes> stats;
    nb::typed<nb::dict, std::int64_t, std::string> stat_names;
};

struct ApartInfo {
    std::size_t plane;
    std::int64_t metadata_id;
    std::string name;
    bool is_hlo;
    std::size_t begin;
    std::size_t end;
};

void bind_xspace_infos(nb::module_& m);

}  // namespace tilescope
