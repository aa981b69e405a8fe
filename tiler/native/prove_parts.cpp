#include "prove_parts.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "prove_failure.hpp"

namespace tilescope {

void merge_parts(ProveParts& parts) {
    if (parts.empty()) return;
    if (!std::is_sorted(parts.begin(), parts.end())) std::sort(parts.begin(), parts.end());
    std::size_t last = 0;
    for (std::size_t k = 1; k < parts.size(); ++k) {
        ProvePart& sum = parts[last];
        const ProvePart& part = parts[k];
        if (sum.bin == part.bin && sum.lane == part.lane) {
            sum.busy = sum_at_most(sum.busy, part.busy);
            sum.count += part.count;
            sum.longest = std::max(sum.longest, part.longest);
        } else {
            parts[++last] = part;
        }
    }
    parts.resize(last + 1);
}

ProveBin sum_of(const ProvePart* first, const ProvePart* last) {
    const ProvePart* best = first;
    ProveBin sum{first->row(), first->bin, 0, 0, 0, 0, 0};
    for (const ProvePart* part = first; part != last; ++part) {
        sum.busy = sum_at_most(sum.busy, part->busy);
        sum.count += part->count;
        sum.longest = std::max(sum.longest, part->longest);
        if (part->busy > best->busy || (part->busy == best->busy && part->count > best->count)) best = part;
    }
    sum.name = best->name();
    sum.share = sum.busy > 0 ? share_of(best->busy, sum.busy) : share_of(best->count, sum.count);
    return sum;
}

int64_t share_of(int64_t part, int64_t total) {
    if (part <= int64_t{1} << 54) return 255 * part / std::max<int64_t>(total, 1);
    return static_cast<int64_t>(static_cast<__int128>(255) * part / total);
}

void compare_bins(std::size_t tile, const std::vector<ProveBin>& expected, const std::vector<ProveBin>& found) {
    for (std::size_t k = 0; k < std::max(expected.size(), found.size()); ++k) {
        const bool has_expected = k < expected.size(), has_found = k < found.size();
        const auto key = [](const ProveBin& bin) { return std::make_pair(bin.row, bin.bin & 255); };
        if (!has_found || (has_expected && key(expected[k]) < key(found[k]))) {
            const ProveBin& bin = expected[k];
            throw WrongTile(tile, "row " + std::to_string(bin.row) + ", bin " + std::to_string(bin.bin & 255) + ": is missing");
        }
        const ProveBin& is = found[k];
        const auto where = [&] { return "row " + std::to_string(is.row) + ", bin " + std::to_string(is.bin) + ": "; };
        if (!has_expected || key(is) < key(expected[k])) {
            throw WrongTile(tile, where() + "should not be there: no slice of its row is in it");
        }
        const ProveBin& should = expected[k];
        const auto compare = [&](const char* what, int64_t a, int64_t b) {
            if (a != b) throw WrongTile(tile, where() + what + " is " + std::to_string(a) + ", from the events it is " + std::to_string(b));
        };
        compare("count", is.count, should.count);
        compare("busy", is.busy, should.busy);
        compare("name", is.name, should.name);
        compare("share", is.share, should.share);
        compare("longest", is.longest, should.longest);
    }
}

}  // namespace tilescope
