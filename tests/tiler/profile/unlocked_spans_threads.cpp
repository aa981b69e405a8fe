// Threads that add spans while others start, stop and take the recording: for ThreadSanitizer, without Python.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/unlocked_spans.hpp"

int main() {
    constexpr std::uint64_t adders = 4;
    constexpr std::int64_t each = 20000;
    tilescope::UnlockedSpans spans;
    spans.start();
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < adders; ++thread) {
        threads.emplace_back([&spans, thread] {
            for (std::int64_t k = 0; k < each; ++k) {
                if (spans.is_on()) spans.add({thread, k, k, tilescope::monotonic_ns()});
            }
        });
    }
    std::size_t taken = 0, dropped = 0;
    for (int k = 0; k < 50; ++k) taken += spans.take(dropped).size();
    for (std::thread& thread : threads) thread.join();
    taken += spans.take(dropped).size();
    spans.stop();
    spans.add({0, 0, 0, 0});
    const std::size_t late = spans.take(dropped).size();
    std::printf("%zu %zu %zu\n", taken, dropped, late);
    return 0;
}
