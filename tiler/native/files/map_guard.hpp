// Mapped files that may shrink, or fail to be read, while somebody reads them, and copies of which only a part is there.
//
// The kernel answers a read of a page that is not there any more with SIGBUS, and of one that is hidden with SIGSEGV, which end
// the process. For a guarded map the page, and all behind it, become zeros instead, and the map is marked as broken: whoever
// reads it asks after each step.
#pragma once

#include <cstddef>

#include "base/bytes.hpp"

namespace tilescope {

class MapGuard {
  public:
    // Guards the whole of a map that is only read, as long as this lives. Keep it mapped until then.
    explicit MapGuard(Bytes map);
    ~MapGuard();
    MapGuard(const MapGuard&) = delete;
    MapGuard& operator=(const MapGuard&) = delete;

    // True if pages of it were read that are not there, or hidden, and are zeros since.
    bool broken() const;

    // Gives the pages of [begin, end) of the map back to the system, and those around it that it maps with them. They are read
    // again when touched again.
    void release(std::size_t begin, std::size_t end) const;

    // Hides what lies in [begin, end) of the map, or shows it again: bounds of pages, or the end of the map. What is hidden is
    // not to be read, since nothing is there.
    void hide(std::size_t begin, std::size_t end) const { allow(begin, end, false); }
    void show(std::size_t begin, std::size_t end) const { allow(begin, end, true); }

    struct Slot;  // what the signal handler sees

  private:
    void allow(std::size_t begin, std::size_t end, bool is_allowed) const;

    Bytes map_;
    Slot* slot_;
};

}  // namespace tilescope
