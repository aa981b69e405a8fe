#include "pages/own_blocks.hpp"

#include "pages/bit_writer.hpp"
#include "pages/literal_block.hpp"
#include "pages/plane_coding.hpp"

namespace tilescope {

namespace {

// Bytes beside blocks of ours that are no longer than this become a block of ours, too, as heads of containers do: isal
// takes longer to make codes for it than to use them, and three times as long as we (2026-11-26).
constexpr std::size_t kShort = 1024;

class OwnBlocksWriter {
  public:
    explicit OwnBlocksWriter(Bytes container) : container_(container) {}

    void add(const CodedRange& range) {
        go_on_at(range.first);
        const Bytes bytes = container_.subspan(range.first, range.last - range.first);
        if (range.coding == Coding::as_it_is) write_stored(bytes, out_);
        else write_literals(bytes, out_);
        last_ = range.last;
    }

    std::vector<OwnBlocks> finish() {
        go_on_at(container_.size());
        end_blocks();
        return std::move(made_);
    }

  private:
    // Puts the bytes before that place in blocks, or leaves them to others.
    void go_on_at(std::size_t place) {
        if (place - last_ <= kShort) {
            write_literals(container_.subspan(last_, place - last_), out_);
        } else {
            end_blocks();
            first_ = place;
        }
        last_ = place;
    }

    void end_blocks() {
        if (first_ == last_) return;
        end_with_byte(out_);
        made_.push_back({first_, last_, out_.take()});
    }

    Bytes container_;
    std::vector<OwnBlocks> made_;
    BitWriter out_;
    std::size_t first_ = 0, last_ = 0;  // what the blocks stand for that have no end yet
};

}  // namespace

std::vector<OwnBlocks> blocks_without_matches(Bytes container, std::size_t max_rows) {
    OwnBlocksWriter writer(container);
    for (const CodedRange& range : planes_without_matches(container, max_rows)) writer.add(range);
    return writer.finish();
}

}  // namespace tilescope
