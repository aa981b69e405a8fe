// Sums of the operations of a track in steps, by category: what the time of each step is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Operations in the order of their starts, with what they are and how long they take on the device. Some, at the places
// `numbered`, which ascend, have a number; below 0: none. Events last from `start` for `ticks`.
struct SteppedOperations {
    Span<const std::int64_t> kind, parent, duration;  // -1: no parent
    Span<const std::int64_t> start, ticks;
    Span<const std::int64_t> numbered, numbers;
};

class StepSums {
  public:
    // Steps are windows [start, stop) that last, ascend and share no time. No more than `most` sums and `most` pieces of
    // operations with numbers are held. Throws std::invalid_argument.
    StepSums(std::vector<std::int64_t> starts, std::vector<std::int64_t> stops, std::size_t most);

    // More kinds by their metadata: `text_of` has the number of its text, of other metadata it is 0. Each text is a
    // category. Throws std::invalid_argument.
    void add_kinds(Span<const std::int64_t> metadata, Span<const std::int32_t> text_of);

    // The next operations. Each takes its duration from the category of the one that it lies in; of one that the end of a
    // step cuts each step has the part that it has of the event. Throws std::invalid_argument for kinds that there are not,
    // for times below 0 and starts that descend.
    void add(const SteppedOperations& operations);

    // True if there was more than is held, or more time than 62 bits hold.
    bool is_too_much() const { return too_much_; }

    // The texts of the categories.
    const std::vector<std::int32_t>& texts() const { return texts_; }

    // Sums that are not 0: by step, then by category.
    struct Sums {
        std::vector<std::int64_t> step, category, own;
    };
    Sums sums() const;

    // Columns of the operations with a number: step, category, number, and how long they take; pieces of each in order.
    std::vector<std::int64_t> listed_step, listed_category, listed_number, listed_duration;

  private:
    // Calls `take` with the parts that steps have of an operation that lasts from `start` to `end`, from step `step`
    // on.
    template <typename Take>
    void each_part(std::size_t step, std::int64_t start, std::int64_t end, std::int64_t duration, Take take) const;
    void add_numbered(const SteppedOperations& operations, std::size_t first);

    std::vector<std::int64_t> starts_, stops_;
    std::size_t most_;
    std::size_t width_ = 0;
    std::vector<std::int32_t> texts_, category_of_text_;
    std::vector<std::int32_t> category_of_kind_;
    std::vector<std::uint64_t> sums_;  // by step, `width_` each; below 0 as two's complement
    std::size_t first_step_ = 0;  // the first step that ends after what was added
    std::int64_t last_start_ = INT64_MIN;
    std::uint64_t taken_ = 0;
    bool too_much_ = false;
};

}  // namespace tilescope
