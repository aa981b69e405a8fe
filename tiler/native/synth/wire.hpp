// Writes protobuf wire format into a growing buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tilescope::synth {

class Wire {
  public:
    void clear() { size_ = 0; }
    std::string_view bytes() const { return {data_.data(), size_}; }

    void varint(std::uint64_t value) {
        reserve(10);
        while (value >= 0x80) {
            data_[size_++] = static_cast<char>(value | 0x80);
            value >>= 7;
        }
        data_[size_++] = static_cast<char>(value);
    }

    void uint_field(unsigned field, std::uint64_t value) {
        varint(field << 3);
        varint(value);
    }

    void double_field(unsigned field, double value) {
        varint(field << 3 | 1);
        reserve(sizeof value);
        std::memcpy(data_.data() + size_, &value, sizeof value);  // little-endian, as all machines that we build for
        size_ += sizeof value;
    }

    void bytes_field(unsigned field, std::string_view value) {
        header(field, value.size());
        reserve(value.size());
        std::memcpy(data_.data() + size_, value.data(), value.size());
        size_ += value.size();
    }

    // The start of a length-delimited field whose content follows by other means.
    void header(unsigned field, std::uint64_t length) {
        varint(field << 3 | 2);
        varint(length);
    }

    // A submessage whose content is written between `open` and `close`.
    std::size_t open(unsigned field) {
        varint(field << 3 | 2);
        reserve(1);
        return ++size_;
    }

    void close(std::size_t mark) {
        const std::size_t length = size_ - mark;
        std::size_t length_bytes = 1;
        for (std::size_t rest = length; rest >= 0x80; rest >>= 7) ++length_bytes;
        reserve(length_bytes);
        if (length_bytes > 1) std::memmove(data_.data() + mark + length_bytes - 1, data_.data() + mark, length);
        size_ = mark - 1;
        varint(length);
        size_ += length;
    }

  private:
    void reserve(std::size_t more) {
        if (size_ + more > data_.size()) data_.resize(2 * (size_ + more) + 256);
    }

    std::vector<char> data_;
    std::size_t size_ = 0;
};

}  // namespace tilescope::synth
