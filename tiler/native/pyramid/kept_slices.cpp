#include "pyramid/kept_slices.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

#include "base/bit_length.hpp"

namespace tilescope {

namespace {

// Pieces that are written at a time: about a megabyte.
constexpr size_t kPiecesAtOnce = 100;

void write_all(int file, Span<const char> data, int64_t offset) {
    while (!data.empty()) {
        const ssize_t written = pwrite(file, data.data(), data.size(), offset);
        if (written < 0) {
            if (errno == EINTR) continue;
            throw std::system_error(errno, std::generic_category(), "scratch file");
        }
        data = data.subspan(static_cast<size_t>(written));
        offset += written;
    }
}

void read_all(int file, Span<char> data, int64_t offset) {
    while (!data.empty()) {
        const ssize_t read = pread(file, data.data(), data.size(), offset);
        if (read < 0 && errno == EINTR) continue;
        if (read <= 0) throw std::system_error(read < 0 ? errno : EIO, std::generic_category(), "scratch file");
        data = data.subspan(static_cast<size_t>(read));
        offset += read;
    }
}

template <typename Value>
using Bits = std::make_unsigned_t<Value>;
template <typename Value>
using HalfBits = std::conditional_t<sizeof(Value) == 8, uint32_t, uint16_t>;

// Appends the values less `least`, each as a `Stored`.
template <typename Stored, typename Value>
void put_as(Span<const Value> column, Value least, std::vector<char>& out) {
    const size_t begin = out.size();
    out.resize(begin + column.size() * sizeof(Stored));
    char* to = out.data() + begin;
    for (const Value value : column) {
        const Stored stored = static_cast<Stored>(static_cast<Bits<Value>>(value) - static_cast<Bits<Value>>(least));
        std::memcpy(to, &stored, sizeof(Stored));
        to += sizeof(Stored);
    }
}

// Appends the values less `least` in as few bytes as all of them fit into; returns how many. Values that are less, in
// columns that nobody has checked yet, come back as they were too: differences of unsigned values are exact.
template <typename Value>
uint8_t put(Span<const Value> column, Value least, std::vector<char>& out) {
    Bits<Value> all = 0;
    for (const Value value : column) all |= static_cast<Bits<Value>>(value) - static_cast<Bits<Value>>(least);
    if (all > std::numeric_limits<HalfBits<Value>>::max()) {
        put_as<Bits<Value>>(column, least, out);
        return sizeof(Value);
    }
    put_as<HalfBits<Value>>(column, least, out);
    return sizeof(HalfBits<Value>);
}

uint64_t bits_of(Span<const int64_t> durations) {
    uint64_t bits = 0;
    for (const int64_t duration : durations) bits |= static_cast<uint64_t>(duration);
    return bits;
}

template <typename Stored, typename Value>
void take_as(const char* from, Value least, std::vector<Value>& column) {
    for (Value& value : column) {
        Stored stored;  // bytes become values by a copy: they are none where they lie
        std::memcpy(&stored, from, sizeof(Stored));
        value = static_cast<Value>(static_cast<Bits<Value>>(least) + stored);
        from += sizeof(Stored);
    }
}

// Fills the column with values that take `bytes` each; returns what is behind them.
template <typename Value>
const char* take(const char* from, uint8_t bytes, Value least, std::vector<Value>& column) {
    if (bytes == sizeof(Value)) take_as<Bits<Value>>(from, least, column);
    else take_as<HalfBits<Value>>(from, least, column);
    return from + column.size() * bytes;
}

}  // namespace

void KeptSlices::Piece::mark(Span<const int64_t> starts) {
    const auto behind_first = [&starts](size_t slice) {
        return static_cast<uint64_t>(starts[slice]) - static_cast<uint64_t>(starts[0]);
    };
    uint64_t all = 0;
    for (size_t slice = kMarked; slice < starts.size(); slice += kMarked) all |= behind_first(slice);
    mark_shift = static_cast<uint8_t>(std::max(bit_length(all), 16) - 16);
    for (size_t slice = kMarked; slice < starts.size(); slice += kMarked)
        marks[slice / kMarked - 1] = static_cast<uint16_t>(behind_first(slice) >> mark_shift);
}

KeptSlices::KeptSlices(int file, int64_t offset, const SliceColumns& columns) : n_(columns.size()), file_(file) {
    std::vector<char> buffer;
    int64_t position = offset;
    const size_t pieces = (n_ + kPiece - 1) / kPiece;
    pieces_.reserve(pieces);
    for (size_t number = 0; number < pieces; ++number) {
        const size_t first = number * kPiece;
        const size_t n = piece_size(number);
        const auto name = columns.name.subspan(first, n);
        Piece piece{columns.start[first],
                    position + static_cast<int64_t>(buffer.size()),
                    bits_of(columns.duration.subspan(first, n)),
                    *std::min_element(name.begin(), name.end()),
                    0,
                    0,
                    0,
                    0,
                    {}};
        piece.mark(columns.start.subspan(first, n));
        piece.start_bytes = put(columns.start.subspan(first, n), piece.start, buffer);
        piece.duration_bytes = put(columns.duration.subspan(first, n), int64_t{0}, buffer);
        piece.name_bytes = put(name, piece.name, buffer);
        pieces_.push_back(piece);
        if ((number + 1) % kPiecesAtOnce == 0 || number + 1 == pieces) {
            write_all(file, buffer, position);
            position += static_cast<int64_t>(buffer.size());
            buffer.clear();
        }
    }
}

bool KeptSlices::ends_by(size_t piece, int64_t time) const {
    const size_t next = piece * kPiece + piece_size(piece);
    if (next == n_) return false;
    const int64_t later = in_file() ? pieces_[piece + 1].start : columns_.start[next];
    if (later < 0 || later > time) return false;
    const uint64_t durations =
        in_file() ? pieces_[piece].durations : bits_of(columns_.duration.subspan(piece * kPiece, piece_size(piece)));
    return durations <= static_cast<uint64_t>(time - later);
}

SliceCursor::SliceCursor(const KeptSlices& slices) : slices_(slices) {
    if (slices.n_ == 0) return;
    if (slices.in_file()) load(0);
    else window_ = slices.columns_;
    next_start_ = window_.start[0];
}

void SliceCursor::refuse(const SliceColumns& slices) {
    for (size_t k = 0; k < slices.size(); ++k) {
        const int64_t start = slices.start[k];
        if (start >= 0 && (slices.duration[k] < 0 || slices.duration[k] >= kTimeLimit - start))
            throw std::invalid_argument("slices end beyond 2**61");
    }
    throw std::invalid_argument("events are not in time order");
}

// The slices of a visit take few cache lines in each of hundreds of columns: no processor sees by itself that they will be
// wanted.
void SliceCursor::look_forward_to(size_t slices) const {
    const size_t end = std::min(window_.size(), next_ + slices + 16);
    for (size_t k = next_; k < end; k += 8) {
        __builtin_prefetch(&window_.start[k]);
        __builtin_prefetch(&window_.duration[k]);
        if (k % 16 < 8) __builtin_prefetch(&window_.name[k]);
    }
}

void SliceCursor::advance() {
    if (next_ == window_.size()) {
        const size_t next = window_first_ + window_.size();
        if (next >= slices_.n_) {
            next_start_ = INT64_MAX;
            return;
        }
        load(next / KeptSlices::kPiece);
    }
    next_start_ = window_.start[next_];
}

void SliceCursor::load(size_t number) {
    const KeptSlices::Piece& piece = slices_.pieces_[number];
    const size_t n = slices_.piece_size(number);
    buffer_.resize(n * piece.bytes_per_slice());
    read_all(slices_.file_, buffer_, piece.place);
    start_.resize(n);
    duration_.resize(n);
    name_.resize(n);
    const char* from = take(buffer_.data(), piece.start_bytes, piece.start, start_);
    from = take(from, piece.duration_bytes, int64_t{0}, duration_);
    take(from, piece.name_bytes, piece.name, name_);
    window_ = {start_, duration_, name_};
    window_first_ = number * KeptSlices::kPiece;
    next_ = 0;
}

SliceColumns SliceCursor::piece_before(size_t number, size_t stop) {
    const size_t first = number * KeptSlices::kPiece;
    const size_t n = std::min(slices_.piece_size(number), stop - first);
    if (slices_.in_file()) load(number);
    const size_t begin = first - window_first_;
    return {window_.start.subspan(begin, n), window_.duration.subspan(begin, n), window_.name.subspan(begin, n)};
}

void SliceCursor::go_to(size_t slice) {
    if (slice < slices_.n_ && slices_.in_file()) load(slice / KeptSlices::kPiece);
    next_ = std::min(slice - window_first_, window_.size());
    next_start_ = slice < slices_.n_ ? window_.start[next_] : INT64_MAX;
}

Span<const int64_t> SliceCursor::look_ahead(size_t number) {
    if (number != ahead_piece_) {
        const KeptSlices::Piece& piece = slices_.pieces_[number];
        ahead_.resize(slices_.piece_size(number));
        buffer_.resize(ahead_.size() * piece.start_bytes);
        read_all(slices_.file_, buffer_, piece.place);
        take(buffer_.data(), piece.start_bytes, piece.start, ahead_);
        ahead_piece_ = number;
    }
    return ahead_;
}

size_t SliceCursor::count_in_window(int64_t stop) const {
    // From the next slice on, in steps that double: what is asked for is near.
    size_t step = 1;
    size_t first = next_;
    while (first + step < window_.size() && window_.start[first + step] < stop) {
        first += step;
        step *= 2;
    }
    const int64_t* begin = window_.start.begin();
    const int64_t* end = begin + std::min(window_.size(), first + step);
    return static_cast<size_t>(std::lower_bound(begin + first, end, stop) - begin) - next_;
}

size_t SliceCursor::last_piece_before(int64_t stop) const {
    const auto& pieces = slices_.pieces_;
    const auto begins_before = [](const KeptSlices::Piece& piece, int64_t time) { return piece.start < time; };
    const size_t piece =
        static_cast<size_t>(std::lower_bound(pieces.begin(), pieces.end(), stop, begins_before) - pieces.begin());
    return std::max(piece, window_first_ / KeptSlices::kPiece + 1) - 1;
}

size_t SliceCursor::count_before(int64_t stop) {
    if (next_start_ >= stop) return 0;
    const size_t in_window = count_in_window(stop);
    if (next_ + in_window < window_.size() || !slices_.in_file()) return in_window;
    const size_t last = last_piece_before(stop);
    if (last == window_first_ / KeptSlices::kPiece) return in_window;
    const Span<const int64_t> ahead = look_ahead(last);
    const size_t within = static_cast<size_t>(std::lower_bound(ahead.begin(), ahead.end(), stop) - ahead.begin());
    return last * KeptSlices::kPiece + within - (window_first_ + next_);
}

std::pair<size_t, size_t> SliceCursor::bounds_before(int64_t stop) const {
    if (next_start_ >= stop) return {0, 0};
    const size_t in_window = count_in_window(stop);
    if (next_ + in_window < window_.size() || !slices_.in_file()) return {in_window, in_window};
    const size_t last = last_piece_before(stop);
    if (last == window_first_ / KeptSlices::kPiece) return {in_window, in_window};
    const KeptSlices::Piece& piece = slices_.pieces_[last];
    const uint64_t time = (static_cast<uint64_t>(stop) - static_cast<uint64_t>(piece.start) - 1) >> piece.mark_shift;
    size_t least = 1;
    size_t most = slices_.piece_size(last);
    for (size_t mark = 0; (mark + 1) * KeptSlices::kMarked < slices_.piece_size(last); ++mark) {
        const size_t before = (mark + 1) * KeptSlices::kMarked;
        if (piece.marks[mark] < time) least = before + 1;
        if (piece.marks[mark] > time) {
            most = before;
            break;
        }
    }
    const size_t first = last * KeptSlices::kPiece - (window_first_ + next_);
    return {first + least, first + most};
}

}  // namespace tilescope
