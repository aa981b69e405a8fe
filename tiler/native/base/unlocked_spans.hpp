// Times for which threads did without a lock, and waited to have it back: kept while somebody records them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tilescope {

// Nanoseconds of the clock that never goes back, which is also Python's `time.monotonic_ns`.
std::int64_t monotonic_ns();

// A thread gave the lock up at `begin`, asked for it at `end` and had it at `taken`.
struct UnlockedSpan {
    std::uint64_t thread;
    std::int64_t begin, end, taken;
};

// Spans of all threads, in the order in which they ended. Shared by threads.
class UnlockedSpans {
  public:
    // More than so many are counted only: they would take 32 MB.
    static constexpr std::size_t most = std::size_t{1} << 20;

    // Forgets what was kept.
    void start();
    void stop() { is_on_.store(false); }
    bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
    // Nothing while nobody records.
    void add(const UnlockedSpan& span);
    // Returns the spans, which are forgotten here, and how many were not kept.
    std::vector<UnlockedSpan> take(std::size_t& dropped);

  private:
    std::atomic<bool> is_on_{false};
    std::mutex adding_;
    std::vector<UnlockedSpan> spans_;
    std::size_t dropped_ = 0;
};

}  // namespace tilescope
