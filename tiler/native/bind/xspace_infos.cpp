// Binds what Python sees of an XSpace.
#include "bind/xspace_infos.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace tilescope {

void bind_xspace_infos(nb::module_& m) {
    nb::class_<LineInfo>(m, "XSpaceLine", "A line. Times of its events are picoseconds from where the line counts.")
        .def_ro("plane", &LineInfo::plane)
        .def_ro("id", &LineInfo::id)
        .def_ro("timestamp_ns", &LineInfo::timestamp_ns)
        .def_ro("name", &LineInfo::name)
        .def_ro("display_name", &LineInfo::display_name)
        .def_ro("events", &LineInfo::events, "Without those that are out of range.")
        .def_ro("out_of_range", &LineInfo::out_of_range)
        .def_ro("flow_ends", &LineInfo::flow_ends)
        .def_ro("first_ps", &LineInfo::first_ps)
        .def_ro("end_ns", &LineInfo::end_ns)
        .def_ro("end_ps", &LineInfo::end_ps, "0 to 999, beyond `end_ns`.")
        .def_ro("any_ps", &LineInfo::any_ps, "Whether any time has picoseconds.");

    nb::class_<SeriesInfo>(m, "XSpaceSeries", "A series of counter samples, with times as those of a line.")
        .def_ro("name_index", &SeriesInfo::name_index, "The name of the events, an index into `names`.")
        .def_ro("stat_id", &SeriesInfo::stat_id, "The stat metadata whose numbers these are.")
        .def_ro("samples", &SeriesInfo::samples)
        .def_ro("first_ps", &SeriesInfo::first_ps)
        .def_ro("end_ns", &SeriesInfo::end_ns)
        .def_ro("end_ps", &SeriesInfo::end_ps)
        .def_ro("any_ps", &SeriesInfo::any_ps);

    nb::class_<CountersInfo>(m, "XSpaceCounters", "What a line of counters holds.")
        .def_ro("series", &CountersInfo::series)
        .def_ro("sampled", &CountersInfo::sampled, "Events that are samples, of one series or several.")
        .def_ro("lasting", &CountersInfo::lasting, "Of these, those with a duration.")
        .def_ro("not_finite", &CountersInfo::not_finite, "Numbers that are NaN or infinite.")
        .def_ro("beyond_events", &CountersInfo::beyond_events, "Slices: their numbers are of too many series.")
        .def_ro("beyond_numbers", &CountersInfo::beyond_numbers, "Such numbers of events that are samples of others.");

    nb::class_<PlaneInfo>(m, "XSpacePlane")
        .def_ro("name", &PlaneInfo::name)
        .def_ro("stats", &PlaneInfo::stats, "XStat messages, without very long ones.")
        .def_ro("stat_names", &PlaneInfo::stat_names, "By the id of the stat metadata.");

    nb::class_<ApartInfo>(m, "XSpaceApart",
                          "Metadata that is kept beside the events, in bytes [begin, end) of the file.")
        .def_ro("plane", &ApartInfo::plane)
        .def_ro("metadata_id", &ApartInfo::metadata_id)
        .def_ro("name", &ApartInfo::name)
        .def_ro("is_hlo", &ApartInfo::is_hlo)
        .def_ro("begin", &ApartInfo::begin)
        .def_ro("end", &ApartInfo::end);
}

}  // namespace tilescope
