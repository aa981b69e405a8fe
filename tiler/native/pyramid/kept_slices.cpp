#include "pyramid/kept_slices.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace tilescope {

namespace {

// Pieces that are written at a time: about a megabyte.
constexpr size_t kPiecesAtOnce = 100;

void write_all(int file, Span<const char> data, int64_t at) {
    while (!data.empty()) {
        const ssize_t written = pwrite(file, data.data(), data.size(), at);
        if (written < 0) {
            if (errno == EINTR) continue;
            throw std::system_error(errno, std::generic_category(), "scratch file");
        }
        data = data.subspan(static_cast<size_t>(written));
        at += written;
    }
}

void read_all(int file, Span<char> data, int64_t at) {
    while (!data.empty()) {
        const ssize_t read = pread(file, data.data(), data.size(), at);
        if (read < 0 && errno == EINTR) continue;
        if (read <= 0) throw std::system_error(read < 0 ? errno : EIO, std::generic_category(), "scratch file");
        data = data.subspan(static_cast<size_t>(read));
        at += read;
    }
}

}  // namespace

KeptSlices::KeptSlices(int file, int64_t offset, const SliceColumns& columns)
    : n_(columns.size()), file_(file), offset_(offset) {
    std::vector<char> buffer;
    int64_t at = offset;
    const size_t pieces = (n_ + kPiece - 1) / kPiece;
    for (size_t piece = 0; piece < pieces; ++piece) {
        const size_t first = piece * kPiece;
        const size_t n = piece_size(piece);
        piece_start_.push_back(columns.start[first]);
        const auto append = [&](const auto& column) {
            const auto part = column.subspan(first, n);
            const char* bytes = reinterpret_cast<const char*>(part.data());
            buffer.insert(buffer.end(), bytes, bytes + n * sizeof(part[0]));
        };
        append(columns.start);
        append(columns.duration);
        append(columns.name);
        if ((piece + 1) % kPiecesAtOnce == 0 || piece + 1 == pieces) {
            write_all(file, buffer, at);
            at += static_cast<int64_t>(buffer.size());
            buffer.clear();
        }
    }
}

SliceCursor::SliceCursor(const KeptSlices& slices) : slices_(slices) {
    if (slices.n_ == 0) return;
    if (slices.in_file()) load(0);
    else window_ = slices.columns_;
    next_start_ = window_.start[0];
}

void SliceCursor::advance() {
    if (at_ == window_.size()) {
        const size_t next = window_first_ + window_.size();
        if (next >= slices_.n_) {
            next_start_ = INT64_MAX;
            return;
        }
        load(next / KeptSlices::kPiece);
    }
    next_start_ = window_.start[at_];
}

void SliceCursor::load(size_t piece) {
    const size_t n = slices_.piece_size(piece);
    buffer_.resize(n * KeptSlices::kBytesPerSlice);
    read_all(slices_.file_, buffer_, slices_.place(piece));
    const char* from = buffer_.data();
    const auto take = [&](auto& column) {  // bytes become values by a copy: they are none where they lie
        column.resize(n);
        std::memcpy(column.data(), from, n * sizeof(column[0]));
        from += n * sizeof(column[0]);
    };
    take(start_);
    take(duration_);
    take(name_);
    window_ = {start_, duration_, name_};
    window_first_ = piece * KeptSlices::kPiece;
    at_ = 0;
}

Span<const int64_t> SliceCursor::look_ahead(size_t piece) {
    if (piece != ahead_piece_) {
        ahead_.resize(slices_.piece_size(piece));
        read_all(slices_.file_, {reinterpret_cast<char*>(ahead_.data()), ahead_.size() * sizeof(int64_t)},
                 slices_.place(piece));
        ahead_piece_ = piece;
    }
    return ahead_;
}

size_t SliceCursor::count_before(int64_t stop) {
    if (next_start_ >= stop) return 0;
    // From the next slice on, in steps that double: what is asked for is near.
    size_t step = 1;
    size_t first = at_;
    while (first + step < window_.size() && window_.start[first + step] < stop) {
        first += step;
        step *= 2;
    }
    const int64_t* begin = window_.start.begin();
    const int64_t* end = begin + std::min(window_.size(), first + step);
    const size_t found = static_cast<size_t>(std::lower_bound(begin + first, end, stop) - begin);
    if (found < window_.size() || !slices_.in_file()) return found - at_;
    const auto& starts = slices_.piece_start_;
    const size_t piece = static_cast<size_t>(std::lower_bound(starts.begin(), starts.end(), stop) - starts.begin());
    // The last piece that begins before `stop`: it is this one or a later one.
    const size_t last = std::max(piece, window_first_ / KeptSlices::kPiece + 1) - 1;
    if (last == window_first_ / KeptSlices::kPiece) return found - at_;
    const Span<const int64_t> ahead = look_ahead(last);
    const size_t within = static_cast<size_t>(std::lower_bound(ahead.begin(), ahead.end(), stop) - ahead.begin());
    return last * KeptSlices::kPiece + within - (window_first_ + at_);
}

}  // namespace tilescope
