// Checks of a track's leaves: every event once where it starts, and repeated wherever it reaches, the same each time.
#pragma once

#include "prove/explain.hpp"
#include "prove/hash.hpp"
#include "prove/memory.hpp"
#include "prove/page.hpp"

namespace tilescope {

// Counts that ingest made of a track.
struct ProveTrack {
    enum class Kind : uint8_t { kNone, kSlices, kCounter };  // kNone: not looked at here
    Kind kind = Kind::kNone;
    int64_t rows = 0;
};

class ProveLeaves {
  public:
    ProveLeaves(const ProveTree& tree, int64_t rows, int64_t names, int64_t end, const ProveExplain& explain,
                ProveMemory& memory)
        : tree_(tree),
          names_(names),
          end_(end),
          explain_(explain),
          row_end_(static_cast<std::size_t>(rows), kUnused, memory) {}

    // The next leaf in time. Throws WrongTile.
    void leaf(std::size_t tile, const ProveSliceSeries& slices);

    // To be called after the last leaf. Throws WrongTile.
    void finish() const;

    int64_t events() const { return next_ordinal_; }
    unsigned __int128 busy() const { return busy_; }
    uint64_t fingerprint() const { return fingerprint_; }
    std::size_t rows_used() const { return rows_used_; }

  private:
    static constexpr int64_t kUnused = -1;

    void check(std::size_t tile, const ProveSlice& slice) const;
    void check_start(std::size_t tile, const ProveSlice& slice);
    void check_reaching(std::size_t tile, const ProveSequence& reaching) const;

    const ProveTree& tree_;
    int64_t names_, end_;
    const ProveExplain& explain_;
    ProveVector<int64_t> row_end_;  // where the last slice of each row ends
    std::size_t rows_used_ = 0;
    int64_t next_ordinal_ = 0;
    int64_t last_start_ = -1, last_duration_ = 0;
    unsigned __int128 busy_ = 0;
    uint64_t fingerprint_ = 0;
    std::size_t last_leaf_ = 0;
    ProveSequence leaving_;  // what reaches beyond the last leaf
    int64_t first_leaving_ = 0;  // its first event
};

}  // namespace tilescope
