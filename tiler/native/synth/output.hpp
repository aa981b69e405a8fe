// The output of a synthetic trace: pieces of about a mebibyte, handed on in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tilescope::synth {

// Takes the bytes and the number of events that have been written so far.
using Sink = std::function<void(std::string_view, std::uint64_t)>;

class Output {
  public:
    explicit Output(Sink sink) : sink_(std::move(sink)) { buffer_.reserve(kPieceBytes + kMarginBytes); }

    void write(std::string_view bytes) {
        buffer_.append(bytes);
        if (buffer_.size() >= kPieceBytes) flush();
    }

    void count_event() { ++events_; }

    void flush() {
        if (!buffer_.empty()) sink_(buffer_, events_);
        buffer_.clear();
    }

  private:
    static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    static constexpr std::size_t kMarginBytes = std::size_t{1} << 16;

    Sink sink_;
    std::string buffer_;
    std::uint64_t events_ = 0;
};

}  // namespace tilescope::synth
