// Native work without Python's lock.
#pragma once

#include <Python.h>

#include <cstdint>

#include "base/unlocked_spans.hpp"

namespace tilescope {

// Spans of all threads that call this module.
extern UnlockedSpans unlocked_spans;

// Gives Python's lock up as long as this lives, and says how long that was where somebody records it.
class Unlocked {
  public:
    Unlocked() : begin_(unlocked_spans.is_on() ? monotonic_ns() : 0), state_(PyEval_SaveThread()) {}
    ~Unlocked() {
        const std::int64_t end = begin_ != 0 ? monotonic_ns() : 0;
        PyEval_RestoreThread(state_);
        if (begin_ != 0) note(end);
    }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

  private:
    void note(std::int64_t end) const noexcept;

    std::int64_t begin_;  // 0: nobody records
    PyThreadState* state_;
};

}  // namespace tilescope
