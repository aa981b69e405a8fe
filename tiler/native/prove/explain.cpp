#include "prove/explain.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "prove/failure.hpp"
#include "prove/ladder.hpp"

namespace tilescope {

namespace {

[[noreturn]] void fail(std::size_t tile, const std::string& what) { throw WrongTile(tile, what); }

// Sums of a row of a tile as they are stored: events that start in it, and busy ticks.
struct RowSum {
    int64_t row, count;
    uint64_t busy;
};

using RowSums = ProveVector<RowSum>;

void merge(RowSums& sums) {
    std::sort(sums.begin(), sums.end(), [](const RowSum& a, const RowSum& b) { return a.row < b.row; });
    std::size_t size = 0;
    for (const RowSum& sum : sums) {
        if (size > 0 && sums[size - 1].row == sum.row) {
            sums[size - 1].count += sum.count;
            sums[size - 1].busy += sum.busy;
        } else {
            sums[size++] = sum;
        }
    }
    sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(size), sums.end());
}

void add_tile(const ProveTree& tree, std::size_t tile, const ProveTile& content, RowSums& sums) {
    const int64_t start = tree.start(tile), stop = tree.stop(tile);
    content.slices.each([&](const ProveSlice& slice) {
        const ProveClip part = clip(slice, start, stop);
        sums.push_back({slice.row, slice.start >= start ? 1 : 0, static_cast<uint64_t>(part.stop - part.first)});
    });
    content.bins.each(
        [&](const ProveBin& bin) { sums.push_back({bin.row, bin.count, static_cast<uint64_t>(bin.busy)}); });
    merge(sums);
}

}  // namespace

std::vector<std::size_t> ProveExplain::leaves_of(std::size_t tile) const {
    std::vector<std::size_t> leaves;
    for (std::size_t k = 0; k < tree_.size(); ++k) {
        if (tree_.slot[k] == tree_.slot[tile] && tree_.is_leaf(k) && tree_.start(k) >= tree_.start(tile) &&
            tree_.stop(k) <= tree_.stop(tile)) {
            leaves.push_back(k);
        }
    }
    std::sort(leaves.begin(), leaves.end(),
              [&](std::size_t a, std::size_t b) { return tree_.start(a) < tree_.start(b); });
    return leaves;
}

void ProveExplain::reaching(std::size_t before, std::size_t leaf) const {
    ProvePages pages(tree_, fetch_), pages_before(tree_, fetch_);
    ProveTile stored, expected;
    pages.read(leaf, stored);
    pages_before.read(before, expected);
    const int64_t stop = tree_.stop(before);
    const auto reaches = [](const ProveSlice& slice) { return (slice.flags & kProveReachesIn) != 0; };
    std::size_t reaching = 0, leaving = 0;
    stored.slices.each([&](const ProveSlice& slice) { reaching += reaches(slice) ? 1 : 0; });
    expected.slices.each([&](const ProveSlice& slice) { leaving += slice.end() > stop ? 1 : 0; });
    if (reaching != leaving) {
        fail(leaf, std::to_string(reaching) + " slices reach into it, " + std::to_string(leaving) +
                       " reach out of the tile before it");
    }
    std::size_t k = 0;
    stored.slices.each([&](const ProveSlice& is) {
        if (!reaches(is)) return;
        while (expected.slices[k].end() <= stop) ++k;
        const ProveSlice& should = expected.slices[k++];
        const auto compare = [&](const char* what, int64_t a, int64_t b) {
            if (a == b) return;
            fail(leaf, "event " + std::to_string(is.ordinal) + " reaches in with " + what + " " + std::to_string(a) +
                           ", in the tile before it " + std::to_string(b));
        };
        compare("ordinal", is.ordinal, should.ordinal);
        compare("start", is.start, should.start);
        compare("duration", is.duration, should.duration);
        compare("row", is.row, should.row);
        compare("name", is.name, should.name);
        compare("flags", is.flags & ~kProveReachesIn, should.flags & ~kProveReachesIn);
    });
    fail(leaf, "what reaches into it was altered while it was read");
}

void ProveExplain::individuals(std::size_t tile) const {
    ProvePages pages(tree_, fetch_), leaf_pages(tree_, fetch_);
    ProveTile stored, leaf;
    pages.read(tile, stored);
    const int level = tree_.level[tile];
    const int64_t start = tree_.start(tile);
    const auto leaves = leaves_of(tile);
    std::size_t expected = 0;
    const auto go_through = [&](const auto& visit) {
        leaf_pages.release();
        for (const std::size_t leaf_tile : leaves) {
            leaf_pages.read(leaf_tile, leaf);
            leaf.slices.each([&](const ProveSlice& slice) {
                if (slice.duration >> (2 * level + 1) == 0) return;
                if (slice.start >= tree_.start(leaf_tile) || leaf_tile == leaves[0]) visit(slice);
            });
        }
    };
    go_through([&](const ProveSlice&) { ++expected; });
    if (stored.slices.size() != expected) {
        fail(tile, std::to_string(stored.slices.size()) + " single slices, from the events there are " +
                       std::to_string(expected));
    }
    std::size_t k = 0;
    go_through([&](const ProveSlice& should) {
        const ProveSlice& is = stored.slices[k++];
        const auto compare = [&](const char* what, int64_t a, int64_t b) {
            if (a == b) return;
            fail(tile, "single slice " + std::to_string(is.ordinal) + ": " + what + " is " + std::to_string(a) +
                           ", from the events it is " + std::to_string(b));
        };
        compare("ordinal", is.ordinal, should.ordinal);
        compare("start", is.start, should.start);
        compare("duration", is.duration, should.duration);
        compare("row", is.row, should.row);
        compare("name", is.name, should.name);
        compare("flags", is.flags, (should.flags & ~kProveReachesIn) | (should.start < start ? kProveReachesIn : 0));
    });
    fail(tile, "its single slices were altered while they were read");
}

void ProveExplain::bins(std::size_t tile, const ProveRows& rows) const {
    const int level = tree_.level[tile];
    LadderScratch scratch(memory_);
    ProveLadder ladder(level, -1, {}, rows, memory_);
    ladder.keep(level);
    ProvePages pages(tree_, fetch_);
    ProveTile content;
    for (const std::size_t leaf : leaves_of(tile)) {
        pages.read(leaf, content);
        ladder.leaf(tree_.level[leaf], tree_.start(leaf), tree_.stop(leaf), content.slices, scratch);
    }
    ladder.complete_until(tree_.stop(tile));
    pages.read(tile, content);
    compare_bins(tile, ladder.kept(), content.bins, rows);
    fail(tile, "its bins are not those of the events below it");
}

void ProveExplain::row_sums(std::size_t tile) const {
    RowSums sums(memory_), below(memory_), of_child(memory_);
    ProvePages pages(tree_, fetch_);
    ProveTile content;
    pages.read(tile, content);
    add_tile(tree_, tile, content, sums);
    for (std::size_t k = 0; k < tree_.size(); ++k) {
        if (tree_.slot[k] != tree_.slot[tile] || tree_.level[k] + 1 != tree_.level[tile] ||
            tree_.index[k] >> 2 != tree_.index[tile])
            continue;
        pages.read(k, content);
        of_child.clear();
        add_tile(tree_, k, content, of_child);
        below.insert(below.end(), of_child.begin(), of_child.end());
    }
    merge(below);
    for (std::size_t k = 0; k < std::max(sums.size(), below.size()); ++k) {
        const RowSum is = k < sums.size() ? sums[k] : RowSum{INT64_MAX, 0, 0};
        const RowSum should = k < below.size() ? below[k] : RowSum{INT64_MAX, 0, 0};
        if (is.row == should.row && is.count == should.count && is.busy == should.busy) continue;
        const int64_t row = std::min(is.row, should.row);
        const auto text = [&](const RowSum& sum) {
            return std::to_string(sum.row == row ? sum.count : 0) + " events and " +
                   std::to_string(sum.row == row ? sum.busy : 0) + " busy ticks";
        };
        fail(tile, "row " + std::to_string(row) + ": " + text(is) + ", in the tiles below it " + text(should));
    }
    fail(tile, "the sums of its rows were altered while they were read");
}

}  // namespace tilescope
