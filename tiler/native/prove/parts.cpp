#include "prove/parts.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "prove/failure.hpp"

namespace tilescope {

namespace {

// Fewer parts are sorted as they are.
constexpr std::size_t kWorthBuckets = 64;

// More parts are sorted where they are: buckets take as much memory again.
constexpr std::size_t kMostBuckets = 1 << 20;

bool by_lane(const ProvePart& a, const ProvePart& b) { return a.lane < b.lane; }

bool by_bin(const ProvePart& a, const ProvePart& b) { return a.bin < b.bin; }

// Brings parts into the order of their bins. False: they lie in more bins than there are parts, and stay as they are.
bool put_in_bins(ProveParts& parts) {
    const auto [least, greatest] = std::minmax_element(parts.begin(), parts.end(), by_bin);
    const int64_t first_bin = least->bin;
    const auto bins = static_cast<uint64_t>(greatest->bin - first_bin) + 1;
    if (bins == 1) return true;
    if (parts.size() < kWorthBuckets || parts.size() > kMostBuckets || bins > parts.size()) return false;
    std::vector<std::size_t> ends(bins + 1, 0);
    const auto bin_of = [&](const ProvePart& part) { return static_cast<std::size_t>(part.bin - first_bin); };
    for (const ProvePart& part : parts) ++ends[bin_of(part) + 1];
    for (std::size_t bin = 0; bin < bins; ++bin) ends[bin + 1] += ends[bin];
    ProveParts sorted(parts.size(), ProvePart{}, parts.get_allocator());
    for (const ProvePart& part : parts) sorted[ends[bin_of(part)]++] = part;
    parts.swap(sorted);
    return true;
}

void add_to(ProvePart& sum, const ProvePart& part) {
    sum.busy = sum_at_most(sum.busy, part.busy);
    sum.count += part.count;
    sum.longest = std::max(sum.longest, part.longest);
}

void sort_parts(ProveParts& parts) {
    if (std::is_sorted(parts.begin(), parts.end())) return;
    if (!put_in_bins(parts)) {
        std::sort(parts.begin(), parts.end());
        return;
    }
    for (auto first = parts.begin(); first != parts.end();) {
        const auto last =
            std::find_if(first, parts.end(), [&](const ProvePart& part) { return part.bin != first->bin; });
        if (!std::is_sorted(first, last, by_lane)) std::sort(first, last, by_lane);
        first = last;
    }
}

}  // namespace

void merge_parts(ProveParts& parts) {
    if (parts.empty()) return;
    sort_parts(parts);
    std::size_t last = 0;
    for (std::size_t k = 1; k < parts.size(); ++k) {
        ProvePart& sum = parts[last];
        const ProvePart& part = parts[k];
        if (sum.bin == part.bin && sum.lane == part.lane) {
            add_to(sum, part);
        } else {
            parts[++last] = part;
        }
    }
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(last) + 1, parts.end());
}

void merge_parts_of_names(ProveParts& parts, std::vector<std::size_t>& places) {
    if (!std::is_sorted(parts.begin(), parts.end(), by_bin) && !put_in_bins(parts))
        std::sort(parts.begin(), parts.end(), by_bin);
    std::size_t size = 0, of_bin = 0;  // sums so far, and the first of the bin at hand
    for (const ProvePart& part : parts) {
        if (size > 0 && parts[size - 1].bin != part.bin) of_bin = size;
        std::size_t& place = places.at(part.lane);
        if (place >= of_bin && place < size && parts[place].lane == part.lane) {
            add_to(parts[place], part);
        } else {
            place = size;
            parts[size++] = part;
        }
    }
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(size), parts.end());
}

ProveBin sum_of(Span<const ProvePart> parts) {
    const ProvePart* best = &parts.front();
    ProveBin sum{best->row(), best->bin, 0, 0, 0, 0, 0};
    for (const ProvePart& part : parts) {
        sum.busy = sum_at_most(sum.busy, part.busy);
        sum.count += part.count;
        sum.longest = std::max(sum.longest, part.longest);
        if (part.busy > best->busy || (part.busy == best->busy && part.count > best->count)) best = &part;
    }
    sum.name = best->name();
    sum.share = sum.busy > 0 ? share_of(best->busy, sum.busy) : share_of(best->count, sum.count);
    return sum;
}

int64_t share_of(int64_t part, int64_t total) {
    const int64_t whole = std::max<int64_t>(total, 1);
    if (part <= int64_t{1} << 54) return 255 * part / whole;
    return static_cast<int64_t>(static_cast<__int128>(255) * part / whole);
}

void compare_bins(std::size_t tile, const ProveVector<ProveBin>& expected, const ProveBinSeries& stored,
                  const ProveRows& rows) {
    const auto key = [](const ProveBin& bin) { return std::make_pair(bin.row, bin.bin & 255); };
    std::size_t k = 0;
    const auto missing = [&] {
        throw WrongTile(tile, "row " + std::to_string(expected[k].row) + ", bin " +
                                  std::to_string(expected[k].bin & 255) + ": is missing");
    };
    stored.each([&](const ProveBin& is) {
        if (!rows.has(is.row)) return;
        if (k < expected.size() && key(expected[k]) < key(is)) missing();
        const auto where = [&] { return "row " + std::to_string(is.row) + ", bin " + std::to_string(is.bin) + ": "; };
        if (k == expected.size() || key(is) < key(expected[k])) {
            throw WrongTile(tile, where() + "should not be there: no slice of its row is in it");
        }
        const ProveBin& should = expected[k++];
        const auto compare = [&](const char* what, int64_t a, int64_t b) {
            if (a != b)
                throw WrongTile(
                    tile, where() + what + " is " + std::to_string(a) + ", from the events it is " + std::to_string(b));
        };
        compare("count", is.count, should.count);
        compare("busy", is.busy, should.busy);
        compare("name", is.name, should.name);
        compare("share", is.share, should.share);
        compare("longest", is.longest, should.longest);
    });
    if (k < expected.size()) missing();
}

}  // namespace tilescope
