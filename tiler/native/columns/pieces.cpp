#include "columns/pieces.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace tilescope {

namespace {

template <typename T>
void copy(Span<const T> from, Span<T> to) {
    std::copy(from.begin(), from.end(), to.begin());
}

// Modulo 2**64, as numpy has it: a file's base may be anything, but what comes out is a tick.
std::int64_t scaled(std::uint64_t ns, std::int64_t ps, bool picoseconds) {
    return static_cast<std::int64_t>(picoseconds ? ns * 1'000 + static_cast<std::uint64_t>(ps) : ns);
}

template <typename T, typename Column>
void check_optional(const std::optional<Column>& column, const T& rows) {
    if (column) same_size(rows, *column);
}

}  // namespace

void ChunkPart::check() const {
    same_size(phase, time_ns, duration_ns, name, flags, args_end);
    check_optional(time_ps, phase);
    check_optional(duration_ps, phase);
    check_optional(key, phase);
    check_optional(value, phase);
    if (start > stop || stop > phase.size()) throw std::invalid_argument("rows that are not there");
    std::int64_t before = start == 0 ? 0 : args_end[start - 1];
    if (before < 0) throw std::invalid_argument("ends of arguments are negative");
    for (std::size_t k = start; k < stop; ++k) {
        if (args_end[k] < before) throw std::invalid_argument("ends of arguments decrease");
        before = args_end[k];
    }
    if (static_cast<std::uint64_t>(before) > args.size()) throw std::invalid_argument("arguments that are not there");
}

void join_part(const ChunkPart& part, const TickAxis& axis, Span<const std::int32_t> names, const JoinedColumns& out,
               std::size_t first_row, std::size_t args_at) {
    part.check();
    const std::size_t n = part.rows();
    copy(part.phase.subspan(part.start, n), out.phase.subspan(first_row, n));
    copy(part.flags.subspan(part.start, n), out.flags.subspan(first_row, n));

    const Span<std::int64_t> start = out.start.subspan(first_row, n);
    const Span<std::int64_t> duration = out.duration.subspan(first_row, n);
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t row = part.start + k;
        const std::int64_t time_ps = part.time_ps ? (*part.time_ps)[row] : 0;
        const std::int64_t duration_ps = part.duration_ps ? (*part.duration_ps)[row] : 0;
        start[k] = scaled(static_cast<std::uint64_t>(part.time_ns[row]) - axis.from_ns, time_ps, axis.picoseconds);
        // Where picoseconds are dropped, ends are rounded down as starts are.
        duration[k] = axis.rounds
                          ? part.duration_ns[row] + (time_ps + duration_ps >= 1'000 ? 1 : 0)
                          : scaled(static_cast<std::uint64_t>(part.duration_ns[row]), duration_ps, axis.picoseconds);
    }

    if (names.empty()) throw std::invalid_argument("a name that is not there");
    const std::size_t nameless = names.size() - 1;  // the last one is that of no name
    const Span<std::int32_t> name = out.name.subspan(first_row, n);
    for (std::size_t k = 0; k < n; ++k) {
        const std::int32_t id = part.name[part.start + k];
        const std::size_t place = id == -1 ? nameless : static_cast<std::size_t>(id);
        if (id < -1 || (id != -1 && place >= nameless)) throw std::invalid_argument("a name that is not there");
        name[k] = names[place];
    }

    if (out.key) {
        const Span<std::int64_t> key = out.key->subspan(first_row, n);
        if (part.key) {
            copy(part.key->subspan(part.start, n), key);
        } else {
            std::fill(key.begin(), key.end(), -1);
        }
    }
    if (out.value) {
        const Span<double> value = out.value->subspan(first_row, n);
        if (part.value) {
            copy(part.value->subspan(part.start, n), value);
        } else {
            std::fill(value.begin(), value.end(), std::numeric_limits<double>::quiet_NaN());
        }
    }

    const Span<std::int64_t> args_end = out.args_end.subspan(first_row, n);
    const auto moved = static_cast<std::int64_t>(args_at) - static_cast<std::int64_t>(part.args_begin());
    for (std::size_t k = 0; k < n; ++k) args_end[k] = part.args_end[part.start + k] + moved;
    const Bytes args = part.args.subspan(part.args_begin(), part.args_bytes());
    const Span<std::uint8_t> place = out.args.subspan(args_at, args.size());
    if (!args.empty()) std::memcpy(place.data(), args.data(), args.size());
}

}  // namespace tilescope
