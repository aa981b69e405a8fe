// A chunk of flow ends, read piece by piece: one slice may have millions of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "prove/container.hpp"

namespace tilescope {

class ProveFlowChunk {
  public:
    // Ordinal, incoming, tick; of the partner: track, ordinal, tick, start, name.
    static constexpr std::size_t kColumns = 8;
    using Piece = std::array<std::vector<int64_t>, kColumns>;

    // The bytes stay the caller's. Throws WrongRecord unless it is a chunk of this track.
    ProveFlowChunk(Bytes bytes, std::size_t track);

    std::size_t left() const { return left_; }
    // The next ends, so many at most. Throws WrongRecord.
    void read(std::size_t most, Piece& out);

  private:
    std::array<ProveColumn, kColumns> columns_;
    std::size_t left_;
};

}  // namespace tilescope
