// Binds the recorder of what native work does without Python's lock.
#include "bind/unlocked.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace nb = nanobind;

namespace tilescope {

UnlockedSpans unlocked_spans;

void Unlocked::note(std::int64_t end) const noexcept {
    try {
        unlocked_spans.add({PyThread_get_thread_ident(), begin_, end, monotonic_ns()});
    } catch (const std::exception&) {
        unlocked_spans.stop();  // no memory: what is recorded ends here
    }
}

namespace {

std::tuple<OutColumn<uint64_t>, OutColumn<int64_t>, OutColumn<int64_t>, OutColumn<int64_t>, size_t> take_spans() {
    unlocked_spans.stop();
    size_t dropped = 0;
    const std::vector<UnlockedSpan> spans = unlocked_spans.take(dropped);
    std::vector<uint64_t> thread;
    std::vector<int64_t> begin, end, taken;
    for (const UnlockedSpan& span : spans) {
        thread.push_back(span.thread);
        begin.push_back(span.begin);
        end.push_back(span.end);
        taken.push_back(span.taken);
    }
    return {to_numpy(std::move(thread)), to_numpy(std::move(begin)), to_numpy(std::move(end)),
            to_numpy(std::move(taken)), dropped};
}

}  // namespace

void bind_unlocked(nb::module_& m) {
    m.def(
        "start_unlocked_spans", [] { unlocked_spans.start(); },
        "Records from now on when native work does without Python's lock, and how long it waits to have it back.");
    m.def(
        "take_unlocked_spans", &take_spans,
        "Ends the recording. Returns the thread of each span, and the nanoseconds of `time.monotonic_ns` at which it\n"
        "gave the lock up, asked for it and had it back, by when it had; and how many more there were than are kept.");
}

}  // namespace tilescope
