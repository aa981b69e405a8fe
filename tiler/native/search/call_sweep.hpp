// The slices of a track in the order of their starts, put below the slices that they lie in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "search/call_tree.hpp"
#include "search/search_page.hpp"

namespace tilescope {

// The part of a track that is counted in one sweep.
struct CallPiece {
    int64_t track;
    int32_t root;                       // the node around it, or none
    int64_t first, stop;                // ticks
    Span<const int64_t> starts, stops;  // windows, which ascend and do not touch
    // Ordinals, ascending: these slices do not count, and neither do the ticks in which one of them started last, which
    // no other slice gets.
    Span<const int64_t> left_out;
};

// The parent of a slice is the one in the row above it that runs when it starts: rows are the first that are free. A tick
// is that of the slice which started last of those that run.
class CallSweep {
  public:
    CallSweep(CallTree& tree, const CallPiece& piece) : tree_(tree), piece_(piece) {}

    // Adds leaves of a page that follow one another, and those before. Throws DamagedContainer and TooManyNodes.
    void add(SearchPage& page, Span<const SearchedLeaf> leaves);

    // Lets all that runs end. It is called once, behind the last leaf.
    void finish() { advance(INT64_MAX); }

  private:
    // A slice in a row below these lies in a longer chain than a tree may have nodes.
    static constexpr int64_t kMostRows = CallTree::kMostNodes;
    static constexpr int32_t kNoRow = -1;

    // The last slice of a row. Those that run are a list by their starts.
    struct Row {
        int64_t end = INT64_MIN;
        int32_t node = CallNodes::kNoNode;
        int32_t earlier = kNoRow, later = kNoRow;
        bool is_below_place = false;  // and its node one of those below open places
        bool is_listed = false;
        bool is_left_out = false;
    };

    void add_slice(SearchPage& page, std::size_t k);
    struct Parent {
        int32_t node;
        bool is_below_place;
    };
    Parent parent_of(SearchPage& page, std::size_t k, int64_t start, std::size_t row);
    CallNodes& nodes(bool is_below_place) { return is_below_place ? tree_.below_places() : tree_.nodes(); }
    void advance(int64_t tick);
    void give(const Row& row, int64_t from, int64_t to);
    bool starts_in_window(int64_t start);
    void take_from_list(std::size_t row);
    void put_last(std::size_t row);

    CallTree& tree_;
    CallPiece piece_;
    std::vector<Row> rows_;
    int32_t last_ = kNoRow;  // the row of the slice that started last of those that run
    int64_t now_ = INT64_MIN;
    std::size_t given_window_ = 0, start_window_ = 0;
};

}  // namespace tilescope
