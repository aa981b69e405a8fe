#include "xspace/samples.hpp"

#include <algorithm>

namespace tilescope::xspace {

using wire::Cursor;

namespace {

constexpr const char* changed = "the file changed while it was read";

}  // namespace

SampleDecoder::SampleDecoder(const wire::Source& source, const Catalogue& catalogue, const CounterRules& rules,
                             const Line& line, const CounterLine& counters, std::size_t series, std::int64_t start_ns,
                             std::int32_t track)
    : source_(source),
      catalogue_(catalogue),
      rules_(rules),
      line_(line),
      counters_(counters),
      series_(series),
      start_ns_(start_ns),
      track_(track),
      places_(counters.series.at(series).places),
      samples_left_(counters.series.at(series).survey.events),
      position_(line.body.begin) {}

bool SampleDecoder::next(Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes) {
    const std::size_t rows = std::min(max_rows, static_cast<std::size_t>(samples_left_));
    chunk.reserve(rows);
    chunk.value.ensure(rows);
    while (chunk.size() < rows && chunk.args.size() < max_args_bytes) decode_sample(places_.next(), chunk);
    return chunk.size() != 0;
}

void SampleDecoder::decode_sample(std::size_t offset, Chunk& chunk) {
    Cursor cursor(source_, {offset, line_.body.end}, "line");
    if (!CounterRules::read(cursor, event_)) throw wire::Error(changed, offset);
    position_ = cursor.offset();
    const CounterSeries& series = counters_.series[series_];
    const EventSamples samples = rules_.samples(event_, counters_.series);
    if (!samples.present.test(series_) || event_.offset_ps < series.survey.first_ps ||
        event_.offset_ps > series.survey.last_start_ps)
        throw wire::Error(changed, offset);
    --samples_left_;
    const NanoPico start = NanoPico::from_ps(event_.offset_ps);
    chunk.track.push_unchecked(track_);
    chunk.phase.push_unchecked(static_cast<std::uint8_t>(Phase::counter));
    chunk.time_ns.push_unchecked(start_ns_ + start.ns);
    chunk.time_ps.push_unchecked(start.ps);
    chunk.duration_ns.push_unchecked(0);
    chunk.duration_ps.push_unchecked(0);
    chunk.name.push_unchecked(series.name_index);
    chunk.flags.push_unchecked(0);
    chunk.value.push_unchecked(samples.value.at(series_));
    if (samples.first == series_)
        chunk.append_args(source_, event_, catalogue_.number(line_.plane, event_.metadata_id));
    chunk.args_end.push_unchecked(static_cast<std::int64_t>(chunk.args.size()));
}

}  // namespace tilescope::xspace
