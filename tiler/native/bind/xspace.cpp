// Binds the XSpace reader: outline, survey, and columns of any line.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/activity.hpp"
#include "bind/arrays.hpp"
#include "bind/exceptions.hpp"
#include "bind/module.hpp"
#include "bind/name_entries.hpp"
#include "bind/unlocked.hpp"
#include "bind/xspace_events.hpp"
#include "bind/xspace_infos.hpp"
#include "columns/activity.hpp"
#include "columns/utf8.hpp"
#include "xspace/args.hpp"
#include "xspace/catalogue.hpp"
#include "xspace/counters.hpp"
#include "xspace/events.hpp"
#include "xspace/flows.hpp"
#include "xspace/metadata_tables.hpp"
#include "xspace/outline.hpp"
#include "xspace/samples.hpp"
#include "xspace/separate_pieces.hpp"
#include "xspace/slices.hpp"
#include "xspace/survey.hpp"
#include "xspace/wire.hpp"

namespace tilescope {

namespace {

// The longest stat of a plane, in bytes, that is shown in its line on the screen.
constexpr std::size_t max_shown_stat = std::size_t{64} << 10;

// An XSpace in a buffer that it keeps alive: outline, survey of each line, seal, then the events of any line. Lines may be
// surveyed and decoded by several threads, each line by one at a time.
class XSpaceFile {
  public:
    XSpaceFile(InColumn<std::uint8_t> buffer, std::size_t room, std::size_t per_plane, std::size_t per_line,
               std::size_t per_name)
        : buffer_(std::move(buffer)),
          source_(span_of(buffer_)),
          room_{room, per_plane, per_line, per_name},
          outline_(source_, room_) {}

    bool read_outline(std::size_t stop) {
        const Unlocked unlocked;
        if (outline_.advance(stop)) return true;
        for (const xspace::Plane& plane : outline().planes) flow_stats_.emplace_back(source_, plane);
        surveys_.resize(outline().lines.size());
        starts_ns_.resize(outline().lines.size());
        return false;
    }

    std::vector<PlaneInfo> planes() const {
        std::vector<PlaneInfo> result;
        for (const xspace::Plane& plane : outline().planes) {
            PlaneInfo info{text(plane.name), {nb::list()}, {nb::dict()}};
            for (const wire::Range& stat : plane.stats)
                if (stat.size() <= max_shown_stat) info.stats.append(bytes(stat));
            for (const xspace::MetadataEntry& entry : plane.stat_metadata)
                info.stat_names[nb::int_(entry.id)] = text(xspace::stat_metadata_name(source_, entry.value));
            result.push_back(std::move(info));
        }
        return result;
    }

    std::vector<std::string> errors() const { return texts(outline().errors); }
    std::vector<std::string> warnings() const { return texts(outline().warnings); }
    std::vector<std::string> hostnames() const { return texts(outline().hostnames); }

    std::optional<std::tuple<std::string, std::size_t, std::int64_t>> cut() const {
        if (!outline().cut) return std::nullopt;
        const bool in_plane = !outline().planes.empty() && outline().planes.back().is_cut;
        const std::int64_t plane = in_plane ? static_cast<std::int64_t>(outline().planes.size()) - 1 : -1;
        return std::make_tuple(outline().cut->what, outline().cut->offset, plane);
    }

    std::vector<std::pair<std::size_t, std::size_t>> line_ranges() const {
        std::vector<std::pair<std::size_t, std::size_t>> result;
        for (const xspace::Line& line : outline().lines) result.emplace_back(line.body.begin, line.body.end);
        return result;
    }

    xspace::Surveyor survey(std::size_t line) const {
        check_line(line);
        return surveyor(line, std::nullopt);
    }

    std::int64_t surveyed(std::size_t line, xspace::Surveyor& surveyor) {
        check_line(line);
        if (surveyor.position() != outline().lines[line].body.end)
            throw std::invalid_argument("the survey is not at its end");
        surveys_[line] = surveyor.take();
        return surveys_[line].timestamp_ns;
    }

    // Looks at the line once more if some of its events are out of range then.
    void settle(std::size_t line, std::int64_t start_ns) {
        const Unlocked unlocked;
        check_line(line);
        starts_ns_[line] = start_ns;
        xspace::LineSurvey& survey = surveys_[line];
        if (survey.events != 0 &&
            (!xspace::adds_up(start_ns, survey.first_ps) || !xspace::adds_up(start_ns, survey.last_start_ps))) {
            xspace::Surveyor again = surveyor(line, start_ns);
            again.advance(source_.size());
            survey = again.take();
        }
    }

    LineInfo line(std::size_t line) const {
        check_line(line);
        const xspace::LineSurvey& survey = of_slices(line);
        return {outline().lines[line].plane,
                survey.id,
                survey.timestamp_ns,
                text(survey.name),
                text(survey.display_name),
                survey.events - survey.out_of_range,
                survey.out_of_range,
                survey.flow_ends,
                survey.first_ps,
                survey.end().ns,
                survey.end().ps,
                survey.any_ps};
    }

    auto activity(std::size_t line) const {
        check_line(line);
        return activity_columns(of_slices(line).activity);
    }

    bool has_counters(std::size_t line) const {
        check_line(line);
        return surveys_[line].events != 0 && xspace::is_counter_line(source_, surveys_[line]);
    }

    void split(std::size_t line) {
        check_line(line);
        const Unlocked unlocked;
        const xspace::CounterRules rules = counter_rules(line);
        auto counters = std::make_unique<xspace::CounterLine>(xspace::split_counters(
            source_, outline().lines[line], surveys_[line], rules, starts_ns_[line], room_.bytes, room_.per_line));
        const std::size_t bytes = counters->size_bytes() + room_.per_line * counters->series.size();
        if (counter_bytes_.fetch_add(bytes) + bytes > room_.bytes)
            throw wire::LimitReached("has too many counters and samples of them", outline().lines[line].body.begin);
        counters_[line] = std::move(counters);
    }

    CountersInfo counters(std::size_t line) const {
        const xspace::CounterLine& counter_line = split_line(line);
        CountersInfo info{{},
                          counter_line.sampled,
                          counter_line.lasting,
                          counter_line.not_finite,
                          counter_line.beyond_events,
                          counter_line.beyond_numbers};
        for (const xspace::CounterSeries& series : counter_line.series) {
            const xspace::LineSurvey& survey = series.survey;
            info.series.push_back({series.name_index, series.stat_id, survey.events, survey.first_ps, survey.end().ns,
                                   survey.end().ps, survey.any_ps});
        }
        return info;
    }

    auto series_activity(std::size_t line, std::size_t series) const {
        return activity_columns(series_of(line, series).survey.activity);
    }

    bool seal(std::size_t surveyed) {
        const Unlocked unlocked;
        if (catalogue_) return false;
        if (!growing_) growing_ = std::make_unique<xspace::Catalogue>(source_, outline(), surveys_, room_);
        const bool is_ahead = growing_->advance(surveyed);
        forget_catalogued(growing_->planes());
        if (!growing_->is_complete()) return is_ahead;
        catalogue_ = std::move(growing_);
        hlo_ = std::make_unique<xspace::HloStats>(source_, outline());
        counters_.resize(surveys_.size());
        return false;
    }

    LineEvents events(std::size_t line, std::int32_t track) const {
        check_line(line);
        const xspace::Line& decoded_line = outline().lines[line];
        const xspace::EventPlaces* places = is_split(line) ? &counters_[line]->rest_places : nullptr;
        return LineEvents(xspace::LineDecoder(source_, catalogue(), flow_stats_[decoded_line.plane], decoded_line,
                                              of_slices(line), starts_ns_[line], track, places));
    }

    std::size_t args_room(std::size_t line) const {
        check_line(line);
        return xspace::args_room(catalogue(), surveys_[line]);
    }

    SliceReading slices(std::size_t line, std::uint64_t from_ns, std::uint64_t per_ns, bool rounds, SliceArrays arrays,
                        xspace::CorrelationKeys keys) const {
        check_line(line);
        if (is_split(line)) throw std::invalid_argument("the line was split");
        const xspace::Line& decoded_line = outline().lines[line];
        xspace::LineSlices decoder(source_, catalogue(), flow_stats_[decoded_line.plane], decoded_line, surveys_[line],
                                   starts_ns_[line], {from_ns, per_ns, rounds}, span_of(arrays.names), arrays.slices(),
                                   std::move(keys), arrays.flow_ends());
        return {std::move(arrays), std::move(decoder)};
    }

    LineEvents samples(std::size_t line, std::size_t series, std::int32_t track) const {
        series_of(line, series);
        return LineEvents(xspace::SampleDecoder(source_, catalogue(), counter_rules(line), outline().lines[line],
                                                *counters_[line], series, starts_ns_[line], track));
    }

    ListOfTuples<nb::str, nb::str> names() const { return pairs_of(catalogue().names()); }

    xspace::MetadataTables metadata_tables(const InColumn<std::int32_t>& plane_class) const {
        const Unlocked unlocked;
        return xspace::MetadataTables(source_, catalogue(), *hlo_, span_of(plane_class));
    }

    void forget_messages() {
        catalogue();
        catalogue_->forget_messages();
    }

    std::pair<std::vector<ApartInfo>, std::uint64_t> apart(std::size_t limit) const {
        xspace::SeparatePieces separate;
        {
            const Unlocked unlocked;
            separate = xspace::find_separate_pieces(source_, outline(), catalogue(), *hlo_, limit);
        }
        std::vector<ApartInfo> result;
        result.reserve(separate.pieces.size());
        for (const xspace::SeparatePiece& piece : separate.pieces)
            result.push_back(
                {piece.plane, piece.metadata_id, text(piece.name), piece.is_hlo, piece.bytes.begin, piece.bytes.end});
        return {std::move(result), separate.more};
    }

    std::uint64_t plane_stats_bytes(std::size_t plane) const {
        if (plane >= outline().planes.size() || outline().planes[plane].stats.empty()) return 0;
        return xspace::PlaneStats(source_, outline().planes[plane]).size();
    }

    xspace::PlaneStats plane_stats(std::size_t plane) const {
        if (plane >= outline().planes.size()) throw std::invalid_argument("there is no such plane");
        return xspace::PlaneStats(source_, outline().planes[plane]);
    }

    std::size_t outline_position() const { return outline_.position(); }

  private:
    const xspace::Outline& outline() const { return outline_.outline(); }

    // Forgets what the first planes and their lines were looked into for, once it is in the catalogue.
    void forget_catalogued(std::size_t planes) {
        for (; forgotten_planes_ < planes; ++forgotten_planes_) outline_.forget_event_metadata(forgotten_planes_);
        const std::vector<xspace::Line>& lines = outline().lines;
        for (; forgotten_lines_ < lines.size() && lines[forgotten_lines_].plane < planes; ++forgotten_lines_) {
            surveys_[forgotten_lines_].forget_ids();
        }
    }

    void check_line(std::size_t line) const {
        if (line >= surveys_.size()) throw std::invalid_argument("there is no such line");
    }

    xspace::Surveyor surveyor(std::size_t line, std::optional<std::int64_t> start_ns) const {
        const xspace::Line& surveyed_line = outline().lines[line];
        const std::size_t entries = outline().planes[surveyed_line.plane].event_metadata.size();
        return xspace::Surveyor(source_, surveyed_line, flow_stats_[surveyed_line.plane], entries, max_ids(),
                                room_.bytes / xspace::table_flow_bytes, start_ns);
    }

    bool is_split(std::size_t line) const { return line < counters_.size() && counters_[line] != nullptr; }

    const xspace::CounterLine& split_line(std::size_t line) const {
        if (!is_split(line)) throw std::invalid_argument("the line was not split");
        return *counters_[line];
    }

    const xspace::CounterSeries& series_of(std::size_t line, std::size_t series) const {
        if (series >= split_line(line).series.size()) throw std::invalid_argument("there is no such series");
        return split_line(line).series[series];
    }

    // The survey of the events that are slices.
    const xspace::LineSurvey& of_slices(std::size_t line) const {
        return is_split(line) ? counters_[line]->rest : surveys_[line];
    }

    xspace::CounterRules counter_rules(std::size_t line) const {
        const std::size_t plane = outline().lines[line].plane;
        return xspace::CounterRules(source_, catalogue(), flow_stats_[plane], plane);
    }

    std::size_t max_ids() const { return room_.per_name == 0 ? room_.bytes : room_.bytes / room_.per_name; }

    const xspace::Catalogue& catalogue() const {
        if (!catalogue_) throw std::invalid_argument("seal comes first");
        return *catalogue_;
    }

    std::string text(wire::Range range) const { return utf8::repaired(wire::text(source_, range)); }
    nb::bytes bytes(wire::Range range) const { return to_bytes(wire::text(source_, range)); }
    std::vector<std::string> texts(const std::vector<wire::Range>& ranges) const {
        std::vector<std::string> result;
        result.reserve(ranges.size());
        for (const wire::Range& range : ranges) result.push_back(text(range));
        return result;
    }

    InColumn<std::uint8_t> buffer_;
    wire::Source source_;
    xspace::Room room_;
    xspace::OutlineReader outline_;
    std::vector<xspace::FlowStats> flow_stats_;  // by plane
    std::vector<xspace::LineSurvey> surveys_;
    std::vector<std::int64_t> starts_ns_;
    std::size_t forgotten_planes_ = 0, forgotten_lines_ = 0;
    std::unique_ptr<xspace::Catalogue> growing_;  // until it is complete
    std::unique_ptr<xspace::Catalogue> catalogue_;
    std::unique_ptr<xspace::HloStats> hlo_;  // as soon as there is a catalogue
    std::vector<std::unique_ptr<xspace::CounterLine>> counters_;  // by line, of those that were split
    std::atomic<std::size_t> counter_bytes_{0};
};

}  // namespace

void bind_xspace(nb::module_& m) {
    bind_exception<wire::Error>(m, "WireError", PyExc_ValueError, "WireError(what, byte offset): it is no XSpace.",
                                WhatAndOffset());
    bind_exception<wire::LimitReached>(m, "LimitReached", PyExc_ValueError,
                                       "LimitReached(what, byte offset): it takes more memory than it may.",
                                       WhatAndOffset());

    bind_xspace_infos(m);

    nb::class_<xspace::PlaneStats>(m, "XSpacePlaneStats",
                                   "The stats of a plane, as one message that is read piece by piece.")
        .def(
            "next",
            [](xspace::PlaneStats& stats, std::size_t max_bytes) {
                std::string piece;
                {
                    const Unlocked unlocked;
                    piece = stats.next(max_bytes);
                }
                return to_bytes(piece);
            },
            nb::arg("max_bytes"));

    nb::class_<xspace::Surveyor>(m, "XSpaceLineSurvey")
        .def("advance", &xspace::Surveyor::advance, nb::arg("stop"), nb::call_guard<Unlocked>(),
             "Reads on until `stop`, a byte offset. Returns whether there is more.")
        .def_prop_ro("position", &xspace::Surveyor::position);

    bind_xspace_events(m);

    nb::class_<XSpaceFile>(
        m, "XSpaceFile",
        "An XSpace: outline, survey of each line, seal, then the events of any line. Several threads may survey\n"
        "and read, each line by one at a time. Raises WireError and LimitReached.")
        .def(nb::init<InColumn<std::uint8_t>, std::size_t, std::size_t, std::size_t, std::size_t>(), nb::arg("buffer"),
             nb::arg("room"), nb::arg("per_plane"), nb::arg("per_line"), nb::arg("per_name"),
             "Keeps the buffer. `room`: the bytes that its tables may take, and how many of them a plane, a line and\n"
             "a name are counted as.")
        .def("read_outline", &XSpaceFile::read_outline, nb::arg("stop"),
             "Reads on until `stop`, a byte offset. Returns whether there is more.")
        .def("planes", &XSpaceFile::planes)
        .def("errors", &XSpaceFile::errors)
        .def("warnings", &XSpaceFile::warnings)
        .def("hostnames", &XSpaceFile::hostnames)
        .def("cut", &XSpaceFile::cut,
             "Returns what the file ends inside of, where that begins, and the plane that it cuts or -1. None: it\n"
             "is whole.")
        .def("line_ranges", &XSpaceFile::line_ranges, "Returns [begin, end) of each line's bytes.")
        .def("survey", &XSpaceFile::survey, nb::arg("line"), nb::keep_alive<0, 1>(),
             "Begins to look into a line; `surveyed` ends it.")
        .def("surveyed", &XSpaceFile::surveyed, nb::arg("line"), nb::arg("survey"),
             "Takes what a survey found, after its end. Returns the line's own timestamp.")
        .def("settle", &XSpaceFile::settle, nb::arg("line"), nb::arg("start_ns"), "Says where the line counts from.")
        .def("line", &XSpaceFile::line, nb::arg("line"), "Of a line that was split: of its events that are slices.")
        .def("activity", &XSpaceFile::activity, nb::arg("line"),
             "Returns shift, first bin, and the busy picoseconds of each bin, as `Activities.of` does.")
        .def("seal", &XSpaceFile::seal, nb::arg("surveyed"),
             "Reads the metadata of one more plane, if all of its lines are among the first ones, so many, which have\n"
             "been surveyed and settled; others may still be. Returns whether to call it again. To be called until it "
             "is\n"
             "False with the number of all lines.")
        .def("has_counters", &XSpaceFile::has_counters, nb::arg("line"), "Whether a line is to be split.")
        .def("split", &XSpaceFile::split, nb::arg("line"),
             "Finds the series of a line of counters, after `seal`. Its other events stay slices.")
        .def("counters", &XSpaceFile::counters, nb::arg("line"))
        .def("series_activity", &XSpaceFile::series_activity, nb::arg("line"), nb::arg("series"),
             "Returns as `activity` does when there are samples.")
        .def("events", &XSpaceFile::events, nb::arg("line"), nb::arg("track"), nb::keep_alive<0, 1>(),
             "Begins to read a line's slices; `track` is what its rows are said to be of.")
        .def("args_room", &XSpaceFile::args_room, nb::arg("line"),
             "How many bytes the arguments of a line's events take at most.")
        .def(
            "slices",
            [](const XSpaceFile& file, std::size_t line, std::uint64_t from_ns, std::uint64_t per_ns, bool rounds,
               const InColumn<std::int32_t>& names, const WritableColumn<std::int64_t>& start,
               const WritableColumn<std::int64_t>& duration, const WritableColumn<std::int32_t>& name,
               const WritableColumn<std::uint8_t>& flags, const WritableColumn<std::int64_t>& args_end,
               const WritableColumn<std::uint8_t>& args, const WritableColumn<std::int64_t>& key,
               std::vector<std::int64_t> correlation_ids, bool is_on_device,
               const WritableColumn<std::uint8_t>& flow_phase, const WritableColumn<std::int64_t>& flow_tick,
               const WritableColumn<std::int64_t>& flow_key, const WritableColumn<std::int64_t>& flow_slice) {
                return file.slices(line, from_ns, per_ns, rounds,
                                   {names, start, duration, name, flags, args_end, args, key, flow_phase, flow_tick,
                                    flow_key, flow_slice},
                                   {std::move(correlation_ids), is_on_device});
            },
            nb::arg("line"), nb::arg("from_ns"), nb::arg("per_ns"), nb::arg("rounds"), nb::arg("names"),
            nb::arg("start"), nb::arg("duration"), nb::arg("name"), nb::arg("flags"), nb::arg("args_end"),
            nb::arg("args"), nb::arg("key"), nb::arg("correlation_ids"), nb::arg("is_on_device"), nb::arg("flow_phase"),
            nb::arg("flow_tick"), nb::arg("flow_key"), nb::arg("flow_slice"), nb::keep_alive<0, 1>(),
            "Begins to read a line that was not split into columns, one row for each event and for each flow end; "
            "`args`\n"
            "has at least `args_room` bytes. Times are (ns - from_ns) * per_ns, modulo 2**64; `names` has the numbers "
            "of\n"
            "the file's names.")
        .def("samples", &XSpaceFile::samples, nb::arg("line"), nb::arg("series"), nb::arg("track"),
             nb::keep_alive<0, 1>(), "Begins to read the samples of a series.")
        .def("names", &XSpaceFile::names, "Returns text and category of each name.")
        .def("metadata_tables", &XSpaceFile::metadata_tables, nb::arg("plane_class"), nb::keep_alive<0, 1>(),
             "Begins to read the metadata of events. `plane_class`: planes of one class call their stats the same.")
        .def("forget_messages", &XSpaceFile::forget_messages,
             "Forgets where metadata lies that events use. To be called when all are looked at, those kept apart as "
             "well.")
        .def("apart", &XSpaceFile::apart, nb::arg("limit"),
             "Returns what of the metadata is kept apart, so many pieces at most, and how many more there are.")
        .def("plane_stats_bytes", &XSpaceFile::plane_stats_bytes, nb::arg("plane"),
             "Returns 0 for a plane without stats.")
        .def("plane_stats", &XSpaceFile::plane_stats, nb::arg("plane"), nb::keep_alive<0, 1>())
        .def_prop_ro("outline_position", &XSpaceFile::outline_position);
}

}  // namespace tilescope
