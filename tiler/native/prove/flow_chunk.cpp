#include "prove/flow_chunk.hpp"

#include <algorithm>
#include <string>

#include "prove/failure.hpp"

namespace tilescope {

namespace {

// As docs/page-format.md numbers them, in the order of a piece. That of starts holds how much later the tick is.
constexpr std::array<unsigned, ProveFlowChunk::kColumns> kIds = {96, 97, 98, 99, 100, 101, 102, 103};
constexpr std::size_t kPartnerTick = 5, kPartnerStart = 6;

}  // namespace

ProveFlowChunk::ProveFlowChunk(Bytes bytes, std::size_t track) {
    const ProveContainer chunk(bytes, "TSFL");
    if (chunk.block() != track) throw WrongRecord("they are those of track " + std::to_string(chunk.block()));
    left_ = chunk.tiles();
    if (left_ == 0) throw WrongRecord("there are none");
    for (std::size_t k = 0; k < kColumns; ++k) columns_[k] = chunk.column(kIds[k], left_);
}

void ProveFlowChunk::read(std::size_t most, Piece& out) {
    const std::size_t n = std::min(most, left_);
    for (std::size_t k = 0; k < kColumns; ++k) columns_[k].read(n, out[k]);
    for (std::size_t k = 0; k < n; ++k) {
        int64_t& start = out[kPartnerStart][k];
        start = static_cast<int64_t>(static_cast<uint64_t>(out[kPartnerTick][k]) - static_cast<uint64_t>(start));
    }
    left_ -= n;
}

}  // namespace tilescope
