// Exceptions of a proof that finds a store wrong.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilescope {

// Something is wrong with a tile, given by its position in the shape record of its block.
class WrongTile : public std::runtime_error {
  public:
    WrongTile(std::size_t position, const std::string& what) : std::runtime_error(what), position_(position) {}
    std::size_t position() const { return position_; }

  private:
    std::size_t position_;
};

// Something is wrong with a track as a whole, given by its slot (or, of several blocks, its number).
class WrongTrack : public std::runtime_error {
  public:
    WrongTrack(std::size_t track, const std::string& what) : std::runtime_error(what), track_(track) {}
    std::size_t track() const { return track_; }

  private:
    std::size_t track_;
};

// A tile, given by its position, would take more memory to prove than there is.
class ShortTile : public std::runtime_error {
  public:
    explicit ShortTile(std::size_t position)
        : std::runtime_error("the proof would take more memory than it may"), position_(position) {}
    std::size_t position() const { return position_; }

  private:
    std::size_t position_;
};

// A record cannot be decoded.
class WrongRecord : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace tilescope
