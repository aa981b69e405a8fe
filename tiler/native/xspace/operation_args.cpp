#include "xspace/operation_args.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "columns/args_chunk.hpp"
#include "columns/length_classes.hpp"

namespace tilescope::xspace {

namespace {

constexpr unsigned kPlaceBytes = 2, kRestBytes = 2;

constexpr std::size_t kTakenHead = 2 * (1 + 8) + 8 + 1;  // before the columns of what was taken out

constexpr std::size_t kShort = 32;  // bytes that are copied in one step

constexpr PlacedStat kNone;

std::int64_t unzigzag(std::uint64_t code) { return static_cast<std::int64_t>((code >> 1) ^ (~(code & 1) + 1)); }

// One of the stats that were taken out: how it is written.
struct TakenStat {
    std::int64_t id = -1;
    std::uint8_t tag = 0;

    StatBytes bytes(std::uint64_t value) const { return {id, tag, value}; }
};

// Reads what was written of them.
class Taken {
  public:
    explicit Taken(const wire::Source& source) : rest_(source) {}

    std::uint64_t number(std::size_t bytes) {
        std::uint64_t value = 0;
        const wire::Source part = next(bytes);
        for (std::size_t k = 0; k < bytes; ++k) value |= std::uint64_t{part[k]} << (8 * k);
        return value;
    }

    std::vector<std::uint64_t> column(std::size_t count, std::size_t bytes) {
        std::vector<std::uint64_t> values(count);
        for (std::size_t plane = 0; plane < bytes; ++plane) {
            const wire::Source part = next(count);
            for (std::size_t k = 0; k < count; ++k) values[k] |= std::uint64_t{part[k]} << (8 * plane);
        }
        return values;
    }

    bool at_end() const { return rest_.empty(); }

  private:
    wire::Source next(std::size_t bytes) {
        if (bytes > rest_.size()) throw std::invalid_argument("what was taken out of arguments is cut short");
        const wire::Source part = rest_.first(bytes);
        rest_ = rest_.subspan(bytes);
        return part;
    }

    wire::Source rest_;
};

std::size_t checked(std::int64_t begin, std::int64_t end, std::size_t size) {
    if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > size)
        throw std::invalid_argument("arguments lie beyond the data");
    return static_cast<std::size_t>(end - begin);
}

void append(std::vector<std::uint8_t>& out, const wire::Source& from) {
    out.insert(out.end(), from.begin(), from.end());
}

}  // namespace

OperationChunks::OperationChunks(const TimeIds& ids, std::size_t most_events, std::size_t most_bytes)
    : ids_(ids),
      most_events_(most_events),
      most_bytes_(most_bytes),
      rests_(most_events),
      steps_(most_events),
      ends_(most_events),
      left_(most_bytes + kShort) {
    if (most_events == 0) throw std::invalid_argument("chunks without events");
    for (std::vector<std::uint16_t>& column : places_) column.resize(most_events);
}

void OperationChunks::add(const wire::Source& args, const std::uint8_t* all_end, const PlacedTimes& times,
                          std::int64_t duration) {
    if (count_ == most_events_ || (count_ != 0 && bytes_ + args.size() > most_bytes_)) end();
    bytes_ += args.size();
    if (left_.size() < bytes_ + kShort) left_.resize(bytes_ + kShort);
    const PlacedStat *of_duration = &kNone, *of_begin = &kNone;
    if (static_cast<std::int64_t>(times.duration.value) == duration && is_of_tag(times.duration, 0))
        of_duration = &times.duration;
    steps_[count_] = 0;
    rests_[count_] = 0;
    if (is_of_tag(times.begin, 1)) {
        of_begin = &times.begin;
        step_to(times.begin.value);
    }
    const bool in_order = of_duration->place <= of_begin->place;
    const PlacedStat& first = in_order ? *of_duration : *of_begin;
    const PlacedStat& second = in_order ? *of_begin : *of_duration;
    const std::size_t first_end = std::size_t{first.place} + first.size;
    const std::size_t second_end = std::size_t{second.place} + second.size;
    copy(args.begin(), first.place, all_end);
    if (second.place != first_end) copy(args.begin() + first_end, second.place - first_end, all_end);
    if (second_end != args.size()) copy(args.begin() + second_end, args.size() - second_end, all_end);
    ends_[count_] = static_cast<std::int64_t>(left_size_);
    places_[0][count_] = static_cast<std::uint16_t>(of_duration->size == 0 ? 0 : of_duration->place + 1);
    places_[1][count_] = static_cast<std::uint16_t>(of_begin->size == 0 ? 0 : of_begin->place + 1);
    ++count_;
}

// True if there is a stat whose value is written as those of the events before.
bool OperationChunks::is_of_tag(const PlacedStat& stat, std::size_t which) {
    if (stat.size == 0) return false;
    if (tags_[which] == 0) tags_[which] = stat.tag;
    return tags_[which] == stat.tag;
}

// There is room for what is copied, and for kShort bytes behind it: most pieces are short, and copied in one step with what
// lies behind them.
void OperationChunks::copy(const std::uint8_t* from, std::size_t size, const std::uint8_t* all_end) {
    std::uint8_t* const to = left_.data() + left_size_;
    if (size <= kShort && all_end - from >= static_cast<std::ptrdiff_t>(kShort)) std::memcpy(to, from, kShort);
    else std::memcpy(to, from, size);
    left_size_ += size;
}

void OperationChunks::end() {
    if (count_ == 0) return;
    OperationChunk& chunk = ended_.emplace_back();
    chunk.first = first_;
    chunk.count = count_;
    write(chunk);
    first_ += count_;
    count_ = bytes_ = left_size_ = 0;
    tags_ = {};
    first_begin_ = 0;
    has_begins_ = false;
}

std::vector<OperationChunk> OperationChunks::take() {
    end();
    first_ = 0;
    return std::exchange(ended_, {});
}

void OperationChunks::write(OperationChunk& chunk) const {
    const Span<const std::int64_t> ends = Span<const std::int64_t>(ends_).first(count_);
    const Span<const std::uint64_t> steps = Span<const std::uint64_t>(steps_).first(count_);
    std::uint64_t all_steps = 0;
    for (const std::uint64_t step : steps) all_steps |= step;
    const unsigned step_bytes = ChunkWriter::bytes_of(all_steps);
    const std::size_t taken = kTakenHead + count_ * (2 * kPlaceBytes + kRestBytes + step_bytes);
    constexpr std::size_t most_head = 6 + 8 + 2;  // with lengths, which have rarely more than two bytes
    ChunkWriter out(most_head + count_ * 2 + taken + left_size_);
    out.head(ChunkOrder::thin, ends, 0);
    chunk.checksum_at = out.size();
    out.number(0, sizeof(std::uint32_t));
    out.number(taken, sizeof(std::uint32_t));
    out.number(tags_[0], 1);
    out.number(static_cast<std::uint64_t>(ids_.duration), sizeof ids_.duration);
    out.number(tags_[1], 1);
    out.number(static_cast<std::uint64_t>(ids_.begin), sizeof ids_.begin);
    out.number(first_begin_, sizeof first_begin_);
    out.number(step_bytes, 1);
    for (const std::vector<std::uint16_t>& column : places_)
        out.column(Span<const std::uint16_t>(column).first(count_), kPlaceBytes);
    out.column(Span<const std::uint16_t>(rests_).first(count_), kRestBytes);
    out.column(steps, step_bytes);
    write_by_length(ends, 0, left_, out.room(left_size_));
    chunk.bytes = out.take();
}

ArgsColumn whole_args(Span<const std::int64_t> left_end, const wire::Source& left, const wire::Source& taken,
                      Span<const std::int64_t> duration) {
    const std::size_t count = left_end.size();
    if (duration.size() != count) throw std::invalid_argument("columns of different lengths");
    Taken reader(taken);
    std::array<TakenStat, 2> stats;
    for (TakenStat& stat : stats) {
        stat.tag = static_cast<std::uint8_t>(reader.number(1));
        stat.id = static_cast<std::int64_t>(reader.number(sizeof stat.id));
    }
    std::uint64_t before = reader.number(sizeof before);
    const auto width = static_cast<std::size_t>(reader.number(1));
    if (width > sizeof(std::uint64_t)) throw std::invalid_argument("numbers of arguments are too wide");
    std::array<std::vector<std::uint64_t>, 2> places;
    for (std::vector<std::uint64_t>& column : places) column = reader.column(count, kPlaceBytes);
    const std::vector<std::uint64_t> rests = reader.column(count, kRestBytes), steps = reader.column(count, width);
    if (!reader.at_end()) throw std::invalid_argument("what was taken out of arguments is longer than it may be");
    ArgsColumn whole;
    whole.ends.reserve(count);
    whole.args.reserve(left.size() + count * (stats[0].bytes(0).size() + stats[1].bytes(0).size() + 8));
    std::int64_t begin = 0;
    for (std::size_t k = 0; k < count; ++k) {
        wire::Source rest = left.subspan(static_cast<std::size_t>(begin), checked(begin, left_end[k], left.size()));
        begin = left_end[k];
        const std::size_t first = whole.args.size();
        if (places[1][k] != 0) before += static_cast<std::uint64_t>(unzigzag(steps[k])) * kNanosecond + rests[k];
        const std::array<std::uint64_t, 2> values{static_cast<std::uint64_t>(duration[k]), before};
        const bool in_order = places[0][k] <= places[1][k];
        for (const std::size_t which : {in_order ? 0u : 1u, in_order ? 1u : 0u}) {
            if (places[which][k] == 0) continue;
            const std::size_t place = places[which][k] - 1, made = whole.args.size() - first;
            if (place < made || place - made > rest.size())
                throw std::invalid_argument("an argument lies beyond its event");
            append(whole.args, rest.first(place - made));
            rest = rest.subspan(place - made);
            const StatBytes bytes = stats[which].bytes(values[which]);
            append(whole.args, {bytes.data(), bytes.size()});
        }
        append(whole.args, rest);
        whole.ends.push_back(static_cast<std::int64_t>(whole.args.size()));
    }
    return whole;
}

}  // namespace tilescope::xspace
