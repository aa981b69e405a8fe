// The memory that a proof may take: the containers of it that may become large count what they take.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace tilescope {

// The proof would take more than it may. In Python it is a MemoryError, as is what the system refuses.
class ProveShort : public std::bad_alloc {
  public:
    const char* what() const noexcept override { return "the proof would take more memory than it may"; }
};

// Shared by all threads of a verification.
class ProveMemory {
  public:
    explicit ProveMemory(std::size_t limit) : limit_(limit) {}
    ProveMemory(const ProveMemory&) = delete;
    ProveMemory& operator=(const ProveMemory&) = delete;

    // Throws ProveShort, and has not taken it then.
    void take(std::size_t bytes) {
        const std::size_t taken = taken_.fetch_add(bytes) + bytes;
        if (taken <= limit_) return;
        taken_.fetch_sub(bytes);
        std::size_t most = wanted_.load();
        while (taken > most && !wanted_.compare_exchange_weak(most, taken)) {}
        throw ProveShort();
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

// Memory that is taken as long as this lives, for what no container of the proof holds.
class ProveCharge {
  public:
    ProveCharge(ProveMemory& memory, std::size_t bytes) : memory_(memory), bytes_(bytes) { memory_.take(bytes_); }
    ~ProveCharge() { memory_.give(bytes_); }
    ProveCharge(const ProveCharge&) = delete;
    ProveCharge& operator=(const ProveCharge&) = delete;

  private:
    ProveMemory& memory_;
    std::size_t bytes_;
};

template <typename T>
class ProveAllocator {
  public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;

    ProveAllocator(ProveMemory& memory) : memory_(&memory) {}  // as vectors are made of it
    template <typename U>
    ProveAllocator(const ProveAllocator<U>& other) : memory_(&other.memory()) {}

    T* allocate(std::size_t n) {
        memory_->take(n * sizeof(T));
        try {
            return std::allocator<T>().allocate(n);
        } catch (...) {
            memory_->give(n * sizeof(T));
            throw;
        }
    }
    void deallocate(T* at, std::size_t n) noexcept {
        std::allocator<T>().deallocate(at, n);
        memory_->give(n * sizeof(T));
    }
    ProveMemory& memory() const { return *memory_; }

    friend bool operator==(const ProveAllocator& a, const ProveAllocator& b) { return a.memory_ == b.memory_; }
    friend bool operator!=(const ProveAllocator& a, const ProveAllocator& b) { return a.memory_ != b.memory_; }

  private:
    ProveMemory* memory_;
};

// To be made with a ProveMemory.
template <typename T>
using ProveVector = std::vector<T, ProveAllocator<T>>;

}  // namespace tilescope
