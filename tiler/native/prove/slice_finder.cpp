#include "prove/slice_finder.hpp"

#include "prove/failure.hpp"

namespace tilescope {

void ProveSliceFinder::find(std::size_t leaf, Span<const int64_t> ordinals, const std::string& what, Found& out) {
    if (!has_content_ || leaf != leaf_) {
        has_content_ = false;
        std::size_t& not_read = not_read_.at(tree_.level[leaf]);
        if (leaf < not_read) pages_.release();
        pages_.read(leaf, content_);
        not_read = leaf + 1;
        has_content_ = true;
        leaf_ = leaf;
        position_ = 0;
    }
    const ProveSliceSeries& slices = content_.slices;
    for (const int64_t ordinal : ordinals) {
        if (position_ < slices.size() && slices[position_].ordinal > ordinal) position_ = 0;
        while (position_ < slices.size() && slices[position_].ordinal < ordinal) ++position_;
        if (position_ == slices.size() || slices[position_].ordinal != ordinal)
            throw WrongTile(leaf, "it lacks an event that has " + what);
        const ProveSlice& slice = slices[position_];
        out[0].push_back(slice.start);
        out[1].push_back(slice.duration);
        out[2].push_back(slice.name);
        out[3].push_back(slice.flags & ~kProveReachesIn);
    }
}

}  // namespace tilescope
