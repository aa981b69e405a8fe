#include "pyramid/leaf_spans.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

// `room`: for how many spans there is to be room, which is asked for with the first.
void append(Spans& spans, int64_t start, int64_t stop, std::size_t room) {
    if (spans.stop.empty()) {
        spans.start.reserve(room);
        spans.stop.reserve(room);
    }
    if (!spans.stop.empty() && spans.stop.back() == start) {
        spans.stop.back() = stop;
    } else {
        spans.start.push_back(start);
        spans.stop.push_back(stop);
    }
}

// Returns where the parts of the tile end whose first part is at `first`.
std::size_t end_of_tile(Span<const LeafPart> parts, std::size_t first) {
    std::size_t end = first;
    for (int64_t now = 0; end < parts.size() && parts[end].tile == parts[first].tile; now = parts[end++].stop) {
        if (parts[end].first < now || parts[end].stop < parts[end].first) {
            throw std::invalid_argument("parts of a tile are not in order");
        }
    }
    return end;
}

// The parts of a leaf, and its page.
struct Leaf {
    std::size_t page;
    Span<const LeafPart> parts;
};

}  // namespace

void LeafSpans::add(const ContainerReader& page, const std::vector<LeafPart>& parts,
                    std::optional<Span<const int32_t>> names) {
    LeafPage leaves(page);
    if (names) leaves.rename(*names);
    const Span<const LeafPart> all(parts);
    for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
        next = end_of_tile(all, first);
        add_leaf(leaves, all.subspan(first, next - first));
    }
}

void LeafSpans::add(const std::vector<ContainerReader>& pages, const std::vector<LeafPart>& parts,
                    const std::vector<std::size_t>& parts_of_page) {
    if (parts_of_page.size() != pages.size()) throw std::invalid_argument("no number of parts of a page");
    std::vector<Leaf> order;
    Span<const LeafPart> left(parts);
    for (std::size_t page = 0; page < pages.size(); ++page) {
        if (parts_of_page[page] > left.size()) throw std::invalid_argument("no such parts");
        const Span<const LeafPart> own = left.subspan(0, parts_of_page[page]);
        left = left.subspan(own.size(), left.size() - own.size());
        for (std::size_t first = 0, next = 0; first < own.size(); first = next) {
            next = end_of_tile(own, first);
            order.push_back({page, own.subspan(first, next - first)});
        }
    }
    std::sort(order.begin(), order.end(),
              [](const Leaf& a, const Leaf& b) { return a.parts[0].first < b.parts[0].first; });
    std::vector<LeafPage> leaves;
    leaves.reserve(pages.size());
    for (page_ = 0; page_ < pages.size(); ++page_) leaves.emplace_back(pages[page_]);
    room_ = 0;
    for (const Leaf& leaf : order) {
        page_ = leaf.page;
        room_ += leaves[leaf.page].rows(leaf.parts[0]).count;
    }
    for (const Leaf& leaf : order) {
        page_ = leaf.page;
        add_leaf(leaves[leaf.page], leaf.parts);
    }
}

void LeafSpans::add_leaf(LeafPage& leaves, Span<const LeafPart> parts) {
    const SliceColumns slices = leaves.slices(parts[0]);
    // By kind: up to where its slices so far reach, which began no later than those that follow; and the part there.
    std::array<int64_t, kKinds> reach{};
    std::array<std::size_t, kKinds> part{};
    for (std::size_t k = 0; k < slices.size(); ++k) {
        const auto name = static_cast<std::size_t>(slices.name[k] + int64_t{1});
        if (name >= kinds_.size()) throw DamagedContainer("column name of a page is damaged");
        const uint8_t kind = kinds_[name];
        const int64_t start = std::max(slices.start[k], reach.at(kind));
        const int64_t stop = slices.end(k);
        if (kind == 0 || start >= stop) continue;
        reach.at(kind) = stop;
        std::size_t& reached = part.at(kind);
        while (reached < parts.size() && parts[reached].stop <= start) ++reached;
        for (std::size_t p = reached; p < parts.size() && parts[p].first < stop; ++p) {
            if (parts[p].first == parts[p].stop) continue;
            append(spans_.at(kind), std::max(start, parts[p].first), std::min(stop, parts[p].stop), room_);
        }
    }
}

std::vector<Spans> LeafSpans::take() {
    std::vector<Spans> taken(kKinds);
    std::swap(taken, spans_);
    return taken;
}

}  // namespace tilescope
