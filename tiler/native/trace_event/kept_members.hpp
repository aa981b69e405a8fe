// The members of the object that holds trace events, byte for byte as they stand in the file, as far as they have been read.
//
// Values may be larger than memory: whoever reads the file takes the pieces after each buffer of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

class KeptMembers {
  public:
    // A piece of a value. Those of a value follow one another.
    struct Piece {
        std::string name;  // decoded; of a first piece
        std::uint64_t object;  // which of the objects at the top it stands in
        bool first;
        bool last;  // the value is whole
        std::string bytes;
    };

    // Keeps so many members, and counts the others.
    explicit KeptMembers(std::size_t limit) : limit_(limit) {}

    void begin_object() { ++object_; }
    void begin(std::string_view raw_name);
    void add(std::string_view text);
    void end();

    // The object was an event after all.
    void drop_object() { dropped_.push_back(object_); }

    // To be taken after each buffer.
    std::vector<Piece> take_pieces();
    std::vector<std::uint64_t> take_dropped();

    std::uint64_t more() const { return more_; }  // beyond the limit
    std::uint64_t unnamed() const { return unnamed_; }  // whose name is too long

  private:
    // Longer names are none that somebody looks for.
    static constexpr std::size_t max_name_bytes = 512;

    std::size_t limit_;
    std::size_t count_ = 0;
    std::uint64_t object_ = 0;
    std::uint64_t more_ = 0;
    std::uint64_t unnamed_ = 0;
    bool keeps_ = false;  // the value that is being read
    bool any_byte_ = false;
    std::vector<Piece> pieces_;
    std::vector<std::uint64_t> dropped_;
};

}  // namespace tilescope
