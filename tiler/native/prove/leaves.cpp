#include "prove/leaves.hpp"

#include <string>

#include "prove/failure.hpp"

namespace tilescope {

namespace {

constexpr int64_t kKnownFlags = 63;  // as in docs/page-format.md, from `reaches_in` to `no_duration`

[[noreturn]] void fail(std::size_t tile, const ProveSlice& slice, const char* what) {
    throw WrongTile(tile, "event " + std::to_string(slice.ordinal) + ": " + what);
}

}  // namespace

void ProveLeaves::leaf(std::size_t tile, const ProveSliceSeries& slices) {
    int64_t starting = 0;
    ProveSequence reaching;
    slices.each([&](const ProveSlice& slice) {
        check(tile, slice);
        if ((slice.flags & kProveReachesIn) == 0) {
            ++starting;
        } else {
            reaching.add(slice);
        }
    });
    if (starting != tree_.events[tile]) {
        throw WrongTile(tile, std::to_string(starting) + " events start in it, the shape record says " +
                                  std::to_string(tree_.events[tile]));
    }
    check_reaching(tile, reaching);
    leaving_ = {};
    const int64_t stop = tree_.stop(tile);
    slices.each([&](const ProveSlice& slice) {
        if ((slice.flags & kProveReachesIn) == 0) check_start(tile, slice);
        if (slice.end() <= stop) return;
        if (leaving_.size == 0) first_leaving_ = slice.ordinal;
        leaving_.add(slice);
    });
    last_leaf_ = tile;
}

void ProveLeaves::check(std::size_t tile, const ProveSlice& slice) const {
    if ((slice.flags & ~kKnownFlags) != 0) fail(tile, slice, "unknown flags");
    if (slice.start < 0 || slice.start > end_ || slice.duration < 0 || slice.duration > end_ - slice.start)
        fail(tile, slice, "it is not within the run");
    if (slice.row < 0 || slice.row >= static_cast<int64_t>(row_end_.size())) fail(tile, slice, "its row is not there");
    if (slice.name < -1 || slice.name >= names_) fail(tile, slice, "its name is not there");
    const bool early = slice.start < tree_.start(tile);
    if (early != ((slice.flags & kProveReachesIn) != 0)) fail(tile, slice, "its mark for reaching in is wrong");
    if ((early && slice.end() <= tree_.start(tile)) || slice.start >= tree_.stop(tile))
        fail(tile, slice, "it does not lie in the tile");
}

// Ordinals are consecutive, the order is canonical, and the slices of a row do not overlap.
void ProveLeaves::check_start(std::size_t tile, const ProveSlice& slice) {
    if (slice.ordinal != next_ordinal_) {
        throw WrongTile(tile, "event " + std::to_string(slice.ordinal) + " stands where event " +
                                  std::to_string(next_ordinal_) + " should");
    }
    ++next_ordinal_;
    if (slice.start < last_start_ || (slice.start == last_start_ && slice.duration > last_duration_)) {
        fail(tile, slice, "it stands before an event that is to come first");
    }
    last_start_ = slice.start;
    last_duration_ = slice.duration;
    int64_t& row_end = row_end_[static_cast<std::size_t>(slice.row)];
    if (row_end == kUnused) ++rows_used_;
    if (slice.start < row_end) fail(tile, slice, "it overlaps the slice before it in its row");
    row_end = slice.end();
    busy_ += static_cast<uint64_t>(slice.duration);
    fingerprint_ += hash_of(slice);
}

// Checks that the slices that reach out of a leaf are exactly those that reach into the next one, which begins where
// the leaf ends.
void ProveLeaves::check_reaching(std::size_t tile, const ProveSequence& reaching) const {
    if (leaving_.size > 0 && tree_.stop(last_leaf_) != tree_.start(tile)) finish();
    if (leaving_ == reaching) return;
    if (leaving_.size == 0) {
        throw WrongTile(tile,
                        std::to_string(reaching.size) + " slices reach into it, 0 reach out of the tile before it");
    }
    explain_.reaching(last_leaf_, tile);
}

void ProveLeaves::finish() const {
    if (leaving_.size == 0) return;
    throw WrongTile(last_leaf_, "event " + std::to_string(first_leaving_) + " reaches beyond it, where no tile is");
}

}  // namespace tilescope
