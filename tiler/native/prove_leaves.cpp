#include "prove_leaves.hpp"

#include <algorithm>
#include <string>

#include "prove_failure.hpp"

namespace tilescope {

namespace {

constexpr int64_t kKnownFlags = 63;  // as in docs/page-format.md, from `reaches_in` to `no_duration`

[[noreturn]] void fail(std::size_t tile, const ProveSlice& slice, const char* what) {
    throw WrongTile(tile, "event " + std::to_string(slice.ordinal) + ": " + what);
}

}  // namespace

void ProveLeaves::leaf(std::size_t tile, const std::vector<ProveSlice>& slices) {
    int64_t starting = 0;
    for (const ProveSlice& slice : slices) {
        check(tile, slice);
        if ((slice.flags & kProveReachesIn) == 0) ++starting;
    }
    if (starting != tree_.events[tile]) {
        throw WrongTile(tile, std::to_string(starting) + " events start in it, the shape record says " + std::to_string(tree_.events[tile]));
    }
    check_reaching(tile, slices);
    leaving_.clear();
    const int64_t stop = tree_.stop(tile);
    for (const ProveSlice& slice : slices) {
        if ((slice.flags & kProveReachesIn) == 0) check_start(tile, slice);
        if (slice.end() > stop) leaving_.push_back(slice);
    }
    last_leaf_ = tile;
}

void ProveLeaves::check(std::size_t tile, const ProveSlice& slice) const {
    if ((slice.flags & ~kKnownFlags) != 0) fail(tile, slice, "unknown flags");
    if (slice.start < 0 || slice.start > end_ || slice.duration < 0 || slice.duration > end_ - slice.start) fail(tile, slice, "it is not within the run");
    if (slice.row < 0 || slice.row >= static_cast<int64_t>(row_end_.size())) fail(tile, slice, "its row is not there");
    if (slice.name < -1 || slice.name >= names_) fail(tile, slice, "its name is not there");
    const bool early = slice.start < tree_.start(tile);
    if (early != ((slice.flags & kProveReachesIn) != 0)) fail(tile, slice, "its mark for reaching in is wrong");
    if ((early && slice.end() <= tree_.start(tile)) || slice.start >= tree_.stop(tile)) fail(tile, slice, "it does not lie in the tile");
}

// Ordinals are consecutive, the order is canonical, and the slices of a row do not overlap.
void ProveLeaves::check_start(std::size_t tile, const ProveSlice& slice) {
    if (slice.ordinal != next_ordinal_) {
        throw WrongTile(tile, "event " + std::to_string(slice.ordinal) + " stands where event " + std::to_string(next_ordinal_) + " should");
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
}

// What reaches out of a leaf is exactly what reaches into the next one, which begins where the leaf ends.
void ProveLeaves::check_reaching(std::size_t tile, const std::vector<ProveSlice>& slices) const {
    if (!leaving_.empty() && tree_.stop(last_leaf_) != tree_.start(tile)) finish();
    const auto reaching = static_cast<std::size_t>(
        std::count_if(slices.begin(), slices.end(), [](const ProveSlice& slice) { return (slice.flags & kProveReachesIn) != 0; }));
    if (reaching != leaving_.size()) {
        throw WrongTile(tile, std::to_string(reaching) + " slices reach into it, " + std::to_string(leaving_.size()) +
                                  " reach out of the tile before it");
    }
    std::size_t k = 0;
    for (const ProveSlice& slice : slices) {
        if ((slice.flags & kProveReachesIn) == 0) continue;
        const ProveSlice& before = leaving_[k++];
        const auto compare = [&](const char* what, int64_t found, int64_t expected) {
            if (found == expected) return;
            throw WrongTile(tile, "event " + std::to_string(slice.ordinal) + " reaches in with " + what + " " + std::to_string(found) +
                                      ", in the tile before it " + std::to_string(expected));
        };
        compare("ordinal", slice.ordinal, before.ordinal);
        compare("start", slice.start, before.start);
        compare("duration", slice.duration, before.duration);
        compare("row", slice.row, before.row);
        compare("name", slice.name, before.name);
        compare("flags", slice.flags & ~kProveReachesIn, before.flags & ~kProveReachesIn);
    }
}

void ProveLeaves::finish() const {
    if (leaving_.empty()) return;
    throw WrongTile(last_leaf_, "event " + std::to_string(leaving_[0].ordinal) + " reaches beyond it, where no tile is");
}

}  // namespace tilescope
