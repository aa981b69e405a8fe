// Trees and pages that Python reads, which the bindings of the proof share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "prove/memory.hpp"
#include "prove/page.hpp"
#include "prove/tree.hpp"

namespace tilescope {

namespace nb = nanobind;

template <typename T, typename From>
std::vector<T> copy_of(const InColumn<From>& column) {
    std::vector<T> values(column.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<T>(span_of(column)[k]);
    return values;
}

class BoundTree {
  public:
    BoundTree(std::size_t block, const InColumn<uint8_t>& level, const InColumn<int64_t>& index,
              const InColumn<uint8_t>& slot, const InColumn<uint8_t>& flags, const InColumn<int64_t>& events,
              const InColumn<int64_t>& page_first) {
        same_size(level, index, slot, flags, events);
        for (const uint8_t of_tile : span_of(level)) {
            if (of_tile >= kProveLevels) throw std::invalid_argument("no such tile");
        }
        for (const uint8_t of_tile : span_of(slot)) {
            if (of_tile >= kProveSlots) throw std::invalid_argument("no such tile");
        }
        tree_ = {copy_of<uint8_t>(level),
                 copy_of<int64_t>(index),
                 copy_of<uint8_t>(slot),
                 copy_of<uint8_t>(flags),
                 copy_of<int64_t>(events),
                 copy_of<std::size_t>(page_first),
                 block};
    }
    const ProveTree& tree() const { return tree_; }

  private:
    ProveTree tree_;
};

// A page as Python gave it, and the memory that it takes.
struct FetchedPage {
    FetchedPage(nb::object page_bytes, nb::object residual_bytes, ProveMemory& memory, std::size_t size)
        : page(std::move(page_bytes)), residual(std::move(residual_bytes)), charge(memory, size) {}
    FetchedPage(const FetchedPage&) = delete;
    FetchedPage& operator=(const FetchedPage&) = delete;
    ~FetchedPage() {
        nb::gil_scoped_acquire acquire;
        page.reset();
        residual.reset();
    }

    nb::object page, residual;
    ProveCharge charge;
};

inline Bytes bytes_in(const nb::object& object) { return bytes_of(view_of(nb::borrow<nb::bytes>(object))); }

// Gives a page and its residual, by the number of the page.
using Fetch = nb::typed<nb::callable, std::pair<nb::bytes, std::optional<nb::bytes>>(std::size_t)>;

// Calls Python for pages. Both are to outlive what is made.
inline ProvePages::Fetch fetch_by(const Fetch& fetch, ProveMemory& memory) {
    return [&fetch, &memory](std::size_t page) {
        nb::gil_scoped_acquire acquire;
        const auto parts = nb::cast<nb::tuple>(fetch(page));
        const nb::object first = parts[0], second = parts[1];
        ProvePageBytes out;
        out.page = bytes_in(first);
        out.has_residual = !second.is_none();
        if (out.has_residual) out.residual = bytes_in(second);
        out.owner = std::make_shared<FetchedPage>(first, second, memory, out.page.size() + out.residual.size());
        return out;
    };
}

}  // namespace tilescope
