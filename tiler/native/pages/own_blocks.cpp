#include "pages/own_blocks.hpp"

#include "pages/bit_writer.hpp"
#include "pages/literal_block.hpp"
#include "pages/plane_coding.hpp"

namespace tilescope {

std::vector<OwnBlocks> blocks_without_matches(Bytes container, std::size_t max_rows) {
    std::vector<OwnBlocks> made;
    const std::vector<CodedRange> ranges = planes_without_matches(container, max_rows);
    for (std::size_t k = 0; k < ranges.size();) {
        const std::size_t first = ranges[k].first;
        std::size_t last = first;
        BitWriter out;
        for (; k < ranges.size() && (last == first || ranges[k].first == last); ++k) {
            const Bytes bytes = container.subspan(ranges[k].first, ranges[k].last - ranges[k].first);
            if (ranges[k].coding == Coding::as_it_is) write_stored(bytes, out);
            else write_literals(bytes, out);
            last = ranges[k].last;
        }
        end_with_byte(out);
        made.push_back({first, last, out.take()});
    }
    return made;
}

}  // namespace tilescope
