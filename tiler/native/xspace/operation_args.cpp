#include "xspace/operation_args.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "base/byte_planes.hpp"

namespace tilescope::xspace {

namespace {

using wire::Cursor;
using wire::varint_field;

constexpr std::uint8_t kStatsTag = 4 << 3 | 2;  // of an XEvent
constexpr std::uint8_t kUnsignedTag = 3 << 3, kIntegerTag = 4 << 3;
constexpr std::size_t kMaxStat = 2 + 1 + 10 + 1 + 10;
constexpr std::size_t kLeastStat = 2 + 1 + 1 + 1 + 1;
constexpr std::size_t kMaxPlace = 0xffff;
constexpr std::int64_t kNanosecond = 1000;  // in picoseconds: events often have whole ones, and the rest is small then
constexpr unsigned kPlaceBytes = 2, kRestBytes = 2;

// One of the stats that are taken out: how it is written.
struct StatOf {
    std::int64_t id = -1;
    std::uint8_t tag = 0;  // of its value; 0: none was seen
};

// A stat as encoders write it: the shortest varints, the id first.
class StatBytes {
  public:
    StatBytes(const StatOf& of, std::uint64_t value) {
        bytes_[0] = kStatsTag;
        size_ = 2;
        push(varint_field(1));
        varint(static_cast<std::uint64_t>(of.id));
        push(of.tag);
        varint(value);
        bytes_[1] = static_cast<std::uint8_t>(size_ - 2);
    }

    const std::uint8_t* data() const { return bytes_.data(); }
    std::size_t size() const { return size_; }

    // Whether the source has it there.
    bool is_at(const wire::Source& source, std::size_t place) const {
        return place <= source.size() && size_ <= source.size() - place &&
               std::memcmp(source.data() + place, bytes_.data(), size_) == 0;
    }

  private:
    void push(std::uint32_t byte) { bytes_[size_++] = static_cast<std::uint8_t>(byte); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) push(static_cast<std::uint32_t>(value & 0x7f) | 0x80);
        push(static_cast<std::uint32_t>(value));
    }

    std::array<std::uint8_t, kMaxStat> bytes_{};
    std::size_t size_ = 0;
};

// What was found of a stat in the arguments of an event.
struct Found {
    bool any = false;
    std::size_t place = 0, size = 0;
    std::uint64_t value = 0;
};

// Looks for the first stat of each of two ids that has an integer in a tag of its own. Throws wire::Error.
void find(const wire::Source& args, std::array<StatOf, 2>& stats, std::array<Found, 2>& found) {
    Cursor cursor(args, {0, args.size()}, "event");
    if (cursor.at_end()) return;
    cursor.varint();
    while (!cursor.at_end()) {
        const std::size_t place = cursor.offset();
        const std::uint32_t tag = cursor.tag();
        if (tag != kStatsTag) {
            cursor.skip(tag);
            continue;
        }
        Cursor stat = cursor.message("stat");
        if (stat.at_end() || stat.tag() != varint_field(1)) continue;
        const std::int64_t id = stat.signed_varint();
        const std::size_t which = id == stats[0].id ? 0 : 1;
        if (id != stats[which].id || id < 0 || found[which].any || stat.at_end()) continue;
        const std::uint32_t of_value = stat.tag();
        if (of_value != kUnsignedTag && of_value != kIntegerTag) continue;
        if (stats[which].tag == 0) stats[which].tag = static_cast<std::uint8_t>(of_value);
        const std::uint64_t value = stat.varint();
        const StatBytes bytes(stats[which], value);
        if (place < kMaxPlace && bytes.size() == cursor.offset() - place && bytes.is_at(args, place))
            found[which] = {true, place, bytes.size(), value};
    }
}

// How a stat begins, to be compared at once: all bytes before its value, but for its length.
class StatHead {
  public:
    StatHead() = default;
    // Of an id below 128, else of none.
    explicit StatHead(const StatOf& of) {
        if (of.tag == 0 || of.id < 0 || of.id >= 0x80) return;
        bytes_ = kStatsTag | std::uint64_t{varint_field(1)} << 16 | static_cast<std::uint64_t>(of.id) << 24 |
                 std::uint64_t{of.tag} << 32;
    }

    // Whether the stat lies at a place, as encoders write it. Longer ids and values are read with more care.
    bool is_at(const wire::Source& args, const std::uint8_t* file_end, std::size_t place, Found& found) const {
        if (place >= kMaxPlace || place > args.size()) return false;
        const std::uint8_t* const at = args.data() + place;
        std::uint64_t head = 0;
        if (file_end - at < static_cast<std::ptrdiff_t>(sizeof(head))) return false;
        std::memcpy(&head, at, sizeof(head));  // little-endian hosts only, as containers are
        const std::size_t size = 2 + (head >> 8 & 0xff);
        if ((head & kMask) != bytes_ || size > args.size() - place || size > kMaxQuick) return false;
        const std::uint8_t* const stop = at + size;
        if (wire::quick_varint(at + kBeforeValue, stop, file_end, found.value) != stop) return false;
        if (stop[-1] == 0 && size != kLeastStat) return false;  // longer than it has to be
        found.any = true;
        found.place = place;
        found.size = size;
        return true;
    }

  private:
    static constexpr std::uint64_t kMask = 0xffffff00ffU;
    static constexpr std::size_t kBeforeValue = 5, kMaxQuick = kBeforeValue + 8;

    std::uint64_t bytes_ = ~std::uint64_t{0};  // no stat begins like that
};

// Where the stats of an event are found, if they lie as those of the one before do.
class Layout {
  public:
    // Whether both do.
    bool read(const wire::Source& args, const std::uint8_t* all_end, std::array<Found, 2>& found) const {
        if (!is_known_) return false;
        const std::size_t second = 1 - first_;
        if (!heads_[first_].is_at(args, all_end, number_size(args) + before_, found[first_]) ||
            !heads_[second].is_at(args, all_end, found[first_].place + found[first_].size + between_, found[second])) {
            found = {};
            return false;
        }
        return true;
    }

    void learn(const wire::Source& args, const std::array<StatOf, 2>& stats, const std::array<Found, 2>& found) {
        if (!found[0].any || !found[1].any) return;
        heads_ = {StatHead(stats[0]), StatHead(stats[1])};
        first_ = found[0].place < found[1].place ? 0 : 1;
        before_ = found[first_].place - number_size(args);
        between_ = found[1 - first_].place - found[first_].place - found[first_].size;
        is_known_ = true;
    }

  private:
    static std::size_t number_size(const wire::Source& args) {
        std::size_t size = 0;
        while (size < args.size() && args[size] >= 0x80) ++size;
        return size + 1;
    }

    bool is_known_ = false;
    std::size_t first_ = 0, before_ = 0, between_ = 0;
    std::array<StatHead, 2> heads_;
};

std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t code) { return static_cast<std::int64_t>((code >> 1) ^ (~(code & 1) + 1)); }

// A column: all lowest bytes, then all the next ones.
void write(std::string& out, Span<const std::uint64_t> values, unsigned bytes) {
    const std::size_t at = out.size();
    out.resize(at + bytes * values.size());
    write_planes(values, bytes, out.data() + at);
}

void write_number(std::string& out, std::uint64_t value) { write(out, {&value, 1}, sizeof value); }

unsigned bytes_of(const std::vector<std::uint64_t>& values) {
    std::uint64_t all = 0;
    for (const std::uint64_t value : values) all |= value;
    unsigned bytes = 0;
    for (; all != 0; all >>= 8) ++bytes;
    return bytes;
}

// Reads what `write` wrote.
class Taken {
  public:
    explicit Taken(const wire::Source& source) : rest_(source) {}

    std::uint64_t number(std::size_t bytes) {
        std::uint64_t found = 0;
        const wire::Source part = next(bytes);
        for (std::size_t k = 0; k < bytes; ++k) found |= std::uint64_t{part[k]} << (8 * k);
        return found;
    }

    std::vector<std::uint64_t> column(std::size_t count, std::size_t bytes) {
        std::vector<std::uint64_t> found(count);
        for (std::size_t plane = 0; plane < bytes; ++plane) {
            const wire::Source part = next(count);
            for (std::size_t k = 0; k < count; ++k) found[k] |= std::uint64_t{part[k]} << (8 * plane);
        }
        return found;
    }

    bool at_end() const { return rest_.empty(); }

  private:
    wire::Source next(std::size_t bytes) {
        if (bytes > rest_.size()) throw std::invalid_argument("what was taken out of arguments is cut short");
        const wire::Source found = rest_.first(bytes);
        rest_ = rest_.subspan(bytes);
        return found;
    }

    wire::Source rest_;
};

std::size_t checked(std::int64_t begin, std::int64_t end, std::size_t size) {
    if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > size)
        throw std::invalid_argument("arguments lie beyond the data");
    return static_cast<std::size_t>(end - begin);
}

// Writes bytes one behind the other where there is room. Most pieces are short: they are copied in one step, with what lies
// behind them.
class Writer {
  public:
    explicit Writer(Span<std::uint8_t> room) : begin_(room.begin()), at_(room.begin()), end_(room.end()) {}

    // `all_end`: where the bytes end among which these lie. Throws std::invalid_argument where there is no room.
    void append(const wire::Source& from, const std::uint8_t* all_end) {
        const auto room = static_cast<std::size_t>(end_ - at_), size = from.size();
        if (size > room) throw std::invalid_argument("arguments lie beyond the data");
        if (size <= kShort && room >= kShort && all_end - from.begin() >= static_cast<std::ptrdiff_t>(kShort))
            std::memcpy(at_, from.data(), kShort);
        else if (size != 0) std::memcpy(at_, from.data(), size);
        at_ += size;
    }

    std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

  private:
    static constexpr std::size_t kShort = 32;

    std::uint8_t *begin_, *at_, *end_;
};

void append(std::vector<std::uint8_t>& out, const wire::Source& from) {
    out.insert(out.end(), from.begin(), from.end());
}

}  // namespace

ThinArgs thin_args(Span<const std::int64_t> args_end, std::int64_t begin, const wire::Source& args,
                   Span<const std::int64_t> duration, std::int64_t duration_id, std::int64_t begin_id) {
    if (duration.size() != args_end.size()) throw std::invalid_argument("columns of different lengths");
    std::array<StatOf, 2> stats{StatOf{duration_id, 0}, StatOf{begin_id, 0}};
    const std::size_t count = args_end.size();
    std::array<std::vector<std::uint64_t>, 2> places;
    std::vector<std::uint64_t> steps(count),
        rests(count);  // from one begin to the next: whole nanoseconds, and what is left
    for (std::vector<std::uint64_t>& of : places) of.resize(count);
    ThinArgs thin;
    thin.left.ends.resize(count);
    thin.left.args.resize(args_end.empty() ? 0 : checked(begin, args_end.back(), args.size()));
    Writer left(thin.left.args);
    std::uint64_t first = 0, before = 0;
    bool any = false;
    Layout layout;
    for (std::size_t k = 0; k < args_end.size(); ++k) {
        const std::size_t size = checked(begin, args_end[k], args.size());
        const wire::Source of = args.subspan(static_cast<std::size_t>(begin), size);
        begin = args_end[k];
        std::array<Found, 2> found;
        if (!layout.read(of, args.end(), found)) {
            try {
                find(of, stats, found);
                layout.learn(of, stats, found);
            } catch (const wire::Error&) {
                found = {};
            }
        }
        found[0].any = found[0].any && static_cast<std::int64_t>(found[0].value) == duration[k];
        std::int64_t step = 0;
        if (found[1].any) {
            if (!any) first = before = found[1].value;
            any = true;
            step = static_cast<std::int64_t>(found[1].value - before);
            before = found[1].value;
        }
        std::int64_t whole = step / kNanosecond, rest = step % kNanosecond;
        if (rest < 0) {
            rest += kNanosecond;
            --whole;
        }
        steps[k] = zigzag(whole);
        rests[k] = static_cast<std::uint64_t>(rest);
        const bool in_order = found[0].place <= found[1].place;
        std::size_t at = 0;
        for (const std::size_t which : {in_order ? 0u : 1u, in_order ? 1u : 0u}) {
            if (!found[which].any) continue;
            left.append(of.subspan(at, found[which].place - at), args.end());
            at = found[which].place + found[which].size;
        }
        left.append(of.subspan(at), args.end());
        thin.left.ends[k] = static_cast<std::int64_t>(left.size());
        for (std::size_t which = 0; which < 2; ++which)
            places[which][k] = found[which].any ? found[which].place + 1 : 0;
    }
    thin.left.args.resize(left.size());
    for (const StatOf& stat : stats) {
        thin.taken.push_back(static_cast<char>(stat.tag));
        write_number(thin.taken, static_cast<std::uint64_t>(stat.id));
    }
    write_number(thin.taken, first);
    const unsigned width = bytes_of(steps);
    thin.taken.push_back(static_cast<char>(width));
    for (const std::vector<std::uint64_t>& of : places) write(thin.taken, of, kPlaceBytes);
    write(thin.taken, rests, kRestBytes);
    write(thin.taken, steps, width);
    return thin;
}

ArgsColumn whole_args(Span<const std::int64_t> left_end, const wire::Source& left, const wire::Source& taken,
                      Span<const std::int64_t> duration) {
    const std::size_t count = left_end.size();
    if (duration.size() != count) throw std::invalid_argument("columns of different lengths");
    Taken reader(taken);
    std::array<StatOf, 2> stats;
    for (StatOf& stat : stats) {
        stat.tag = static_cast<std::uint8_t>(reader.number(1));
        stat.id = static_cast<std::int64_t>(reader.number(sizeof stat.id));
    }
    std::uint64_t before = reader.number(sizeof before);
    const auto width = static_cast<std::size_t>(reader.number(1));
    if (width > sizeof(std::uint64_t)) throw std::invalid_argument("numbers of arguments are too wide");
    std::array<std::vector<std::uint64_t>, 2> places;
    for (std::vector<std::uint64_t>& of : places) of = reader.column(count, kPlaceBytes);
    const std::vector<std::uint64_t> rests = reader.column(count, kRestBytes), steps = reader.column(count, width);
    if (!reader.at_end()) throw std::invalid_argument("what was taken out of arguments is longer than it may be");
    ArgsColumn whole;
    whole.ends.reserve(count);
    whole.args.reserve(left.size() + count * (StatBytes(stats[0], 0).size() + StatBytes(stats[1], 0).size() + 8));
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
            const StatBytes bytes(stats[which], values[which]);
            append(whole.args, {bytes.data(), bytes.size()});
        }
        append(whole.args, rest);
        whole.ends.push_back(static_cast<std::int64_t>(whole.args.size()));
    }
    return whole;
}

}  // namespace tilescope::xspace
