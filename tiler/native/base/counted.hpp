// Memory that is counted: containers that may become large take it from a budget, which refuses what is beyond.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace tilescope {

// The work would take more than it may. In Python it is a MemoryError, as is what the system refuses.
class ShortOfBudget : public std::bad_alloc {
  public:
    const char* what() const noexcept override { return "this would take more memory than it may"; }
};

// Shared by threads.
class MemoryBudget {
  public:
    explicit MemoryBudget(std::size_t limit) : limit_(limit) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    // Throws ShortOfBudget, and has not taken it then.
    void take(std::size_t bytes) {
        const std::size_t taken = taken_.fetch_add(bytes) + bytes;
        if (taken <= limit_) return;
        taken_.fetch_sub(bytes);
        std::size_t most = wanted_.load();
        while (taken > most && !wanted_.compare_exchange_weak(most, taken)) {}
        throw ShortOfBudget();
    }
    void give(std::size_t bytes) noexcept { taken_.fetch_sub(bytes); }

    std::size_t limit() const { return limit_; }
    std::size_t taken() const { return taken_.load(); }
    // The most that was asked for and not given since the last call.
    std::size_t refused() { return wanted_.exchange(0); }

  private:
    std::size_t limit_;
    std::atomic<std::size_t> taken_{0}, wanted_{0};
};

// Memory that is taken as long as this lives, for what no container holds. Without a budget nothing is counted.
class BudgetCharge {
  public:
    explicit BudgetCharge(MemoryBudget* budget) : budget_(budget) {}
    BudgetCharge(MemoryBudget& budget, std::size_t bytes) : budget_(&budget) { add(bytes); }
    ~BudgetCharge() {
        if (budget_ != nullptr) budget_->give(bytes_);
    }
    BudgetCharge(const BudgetCharge&) = delete;
    BudgetCharge& operator=(const BudgetCharge&) = delete;

    void add(std::size_t bytes) {
        if (budget_ == nullptr) return;
        budget_->take(bytes);
        bytes_ += bytes;
    }

  private:
    MemoryBudget* budget_;
    std::size_t bytes_ = 0;
};

template <typename T>
class CountedAllocator {
  public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;

    CountedAllocator(MemoryBudget& budget) : budget_(&budget) {}  // as vectors are made of it
    CountedAllocator(MemoryBudget* budget) : budget_(budget) {}   // none: nothing is counted
    template <typename U>
    CountedAllocator(const CountedAllocator<U>& other) : budget_(other.budget()) {}

    T* allocate(std::size_t n) {
        if (budget_ != nullptr) budget_->take(n * sizeof(T));
        try {
            return std::allocator<T>().allocate(n);
        } catch (...) {
            if (budget_ != nullptr) budget_->give(n * sizeof(T));
            throw;
        }
    }
    void deallocate(T* memory, std::size_t n) noexcept {
        std::allocator<T>().deallocate(memory, n);
        if (budget_ != nullptr) budget_->give(n * sizeof(T));
    }
    MemoryBudget* budget() const { return budget_; }

    friend bool operator==(const CountedAllocator& a, const CountedAllocator& b) { return a.budget_ == b.budget_; }
    friend bool operator!=(const CountedAllocator& a, const CountedAllocator& b) { return a.budget_ != b.budget_; }

  private:
    MemoryBudget* budget_;
};

// To be made with a MemoryBudget, or none.
template <typename T>
using CountedVector = std::vector<T, CountedAllocator<T>>;

}  // namespace tilescope
