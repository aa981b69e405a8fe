// The flow tiles of a track, held against its flow ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prove/flow_chunk.hpp"
#include "prove/memory.hpp"

namespace tilescope {

// Tiles of one level as a chunk has them: columns by tile, by bin, by edge, one tile after the other.
struct ProveFlowColumns {
    std::vector<int64_t> index, n_bins, n_edges;
    std::vector<int64_t> bin, out, into;
    std::vector<int64_t> edge_bin, edge_incoming, edge_partner, edge_count;
};

class ProveFlowTiles {
  public:
    struct Wrong {
        int level = 0;
        int64_t index = 0;
        std::string what;  // empty: nothing
    };

    // `tracks`: how many there are that a partner may be on. `ends`: how many flow ends the track has.
    ProveFlowTiles(int root_level, std::size_t tracks, std::size_t ends, ProveMemory& memory);

    // All ends of a chunk. Throws WrongRecord.
    void add(ProveFlowChunk& chunk);
    // Ends of launches that no flow of the file tells. Throws WrongRecord.
    void add_launches(Span<const int64_t> incoming, Span<const int64_t> tick, Span<const int64_t> partner);
    // Tiles in the order (level, index), when all ends were added.
    Wrong check(int level, const ProveFlowColumns& tiles);
    // After the last: what is missing.
    Wrong finish();

  private:
    struct End {
        int64_t tick;
        bool is_launch;
        uint32_t edge;  // twice the partner's track, and 1 if it arrives
    };
    struct Edge {
        int64_t count, bin, edge;
        bool operator<(const Edge& other) const;  // stronger
    };

    void add(int64_t incoming, int64_t tick, int64_t partner, bool is_launch);
    bool has_tiles_below(std::size_t first, std::size_t stop) const;
    void sort();
    // Goes to the next tile that there should be; false: to the end.
    bool next();
    std::string_view wrong_tile(int level, const ProveFlowColumns& tiles, std::size_t tile, std::size_t first_bin,
                                std::size_t first_edge);
    std::size_t stop_of(std::size_t first, int level) const;
    int64_t index_of(std::size_t end, int level) const { return ends_[end].tick >> (2 * level + 8); }

    int root_;
    ProveVector<End> ends_;
    bool sorted_ = false;
    ProveVector<int64_t> counts_;  // by edge; 0 between bins
    int level_ = 0;                // of the tile that is to come
    std::size_t first_ = 0, stop_ = 0;  // its ends
    std::size_t parent_stop_ = 0;       // those of its parent, of which there are many
    int last_level_ = -1;               // of the tile that was checked last
    int64_t last_index_ = -1;
};

}  // namespace tilescope
