#include "prove/page_names.hpp"

#include <algorithm>
#include <vector>

#include "prove/failure.hpp"

namespace tilescope {

namespace {

constexpr unsigned kTileFlags = 2, kSlicesOfTile = 3, kName = 19, kSliceFlags = 21;
constexpr int64_t kLeafTile = 1, kReachesIn = 1;
constexpr std::size_t kSlicesAtOnce = 4096;

}  // namespace

std::optional<int64_t> unlisted_name(Bytes page, Span<const int64_t> listed) {
    const ProveContainer container(page, "TSPG");
    std::vector<int64_t> tile_flags, counts, name, flags;
    container.column(kTileFlags, container.tiles()).read(container.tiles(), tile_flags);
    container.column(kSlicesOfTile, container.tiles()).read(container.tiles(), counts);
    std::size_t n = 0;
    for (const int64_t count : counts) {
        if (count < 0 || count > UINT32_MAX) throw WrongRecord("a tile has no such number of slices");
        n += static_cast<std::size_t>(count);
    }
    ProveColumn names = container.column(kName, n), all_flags = container.column(kSliceFlags, n);
    std::vector<uint8_t> seen(listed.size());
    for (std::size_t tile = 0; tile < counts.size(); ++tile) {
        auto left = static_cast<std::size_t>(counts[tile]);
        while (left > 0) {
            const std::size_t count = std::min(left, kSlicesAtOnce);
            names.read(count, name);
            all_flags.read(count, flags);
            left -= count;
            if ((tile_flags[tile] & kLeafTile) == 0) continue;
            for (std::size_t k = 0; k < count; ++k) {
                if ((flags[k] & kReachesIn) != 0) continue;
                const int64_t* match = std::lower_bound(listed.begin(), listed.end(), name[k]);
                if (match == listed.end() || *match != name[k]) return name[k];
                seen[static_cast<std::size_t>(match - listed.begin())] = 1;
            }
        }
    }
    for (std::size_t k = 0; k < listed.size(); ++k) {
        if (seen[k] == 0 || (k > 0 && listed[k] == listed[k - 1])) return listed[k];
    }
    return std::nullopt;
}

}  // namespace tilescope
