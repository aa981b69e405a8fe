#include "files/map_guard.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <system_error>

#include "base/system.hpp"

namespace tilescope {

// Slots are used again, but never freed: the handler may be looking at any of them.
struct MapGuard::Slot {
    std::atomic<std::uintptr_t> begin{0};  // 0: free
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> broken{false};
    std::atomic<std::uintptr_t> zeros{0};  // first address of those that were put here, up to the end
    std::atomic<int> faults{0};  // in these
    Slot* next = nullptr;
};

namespace {

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler takes no locks");

std::mutex registering;
std::atomic<MapGuard::Slot*> slots{nullptr};
std::atomic<std::size_t> page_bytes{0};

// The system maps more than the page that is touched: what lies in one piece in its cache, which is up to so much, on such a
// boundary. Beside a thousand short lines that would be memory that nobody gives back.
constexpr std::size_t kMappedTogether = std::size_t{2} << 20;

// Zeros can be read: a fault in them is a write to a map that is only read, which comes back for ever, but for a few of threads
// that met the end of a file at the same time. After so many somebody else is asked.
constexpr int kMostFaults = 1000;

// A signal, and the handler that it had before ours.
struct Signal {
    int number;
    struct sigaction before;
};

std::array<Signal, 2> signals{{{SIGBUS, {}}, {SIGSEGV, {}}}};

// Puts zeros where the address lies, and up to the end of its map: when a file has shrunk nothing behind is there either,
// and one map instead of one for each page stays below what the kernel allows a process.
bool mend(std::uintptr_t address) {
    for (MapGuard::Slot* slot = slots.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
        const std::uintptr_t begin = slot->begin.load(std::memory_order_acquire);
        const std::uintptr_t end = slot->end.load(std::memory_order_acquire);
        if (begin == 0 || address < begin || address >= end) continue;
        const std::uintptr_t page = address - address % page_bytes.load();
        std::uintptr_t zeros = slot->zeros.load();
        if (page >= zeros && slot->faults.fetch_add(1) >= kMostFaults) return false;
        slot->broken.store(true);
        if (!system::replace_by_zeros(page, end - page)) return false;
        while (page < zeros && !slot->zeros.compare_exchange_weak(zeros, page)) {}
        return true;
    }
    return false;
}

void on_fault(int number, siginfo_t* info, void* context) {
    const int error = errno;
    const bool mended = info->si_code > 0 && mend(reinterpret_cast<std::uintptr_t>(info->si_addr));
    errno = error;
    if (mended) return;
    const struct sigaction& before = signals[number == signals[0].number ? 0 : 1].before;
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        sigaction(number, &before, nullptr);
        raise(number);  // comes when this handler returns
    }
}

// Somebody may have put another handler in the place of ours, such as Python's faulthandler: that one is asked after us.
void install() {
    for (Signal& signal : signals) {
        struct sigaction now{};
        if (sigaction(signal.number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
            now.sa_sigaction == on_fault)
            continue;
        struct sigaction ours{};
        ours.sa_sigaction = on_fault;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&ours.sa_mask);
        signal.before = now;
        if (sigaction(signal.number, &ours, nullptr) != 0)
            throw std::system_error(errno, std::generic_category(), "sigaction");
    }
}

}  // namespace

MapGuard::MapGuard(Bytes map) : map_(map) {
    const std::scoped_lock lock(registering);
    page_bytes.store(system::page_bytes());
    install();
    Slot* slot = slots.load();
    while (slot != nullptr && slot->begin.load() != 0) slot = slot->next;
    if (slot == nullptr) {
        slot = new Slot;
        slot->begin.store(1);  // taken, and no address lies in it
        slot->next = slots.load();
        slots.store(slot, std::memory_order_release);
    }
    slot_ = slot;
    const auto begin = reinterpret_cast<std::uintptr_t>(map.data());
    const std::uintptr_t end = begin + map.size();
    slot->broken.store(false);
    slot->zeros.store(UINTPTR_MAX);
    slot->faults.store(0);
    slot->end.store(end + (page_bytes.load() - end % page_bytes.load()) % page_bytes.load());
    slot->begin.store(begin, std::memory_order_release);
}

MapGuard::~MapGuard() {
    const std::scoped_lock lock(registering);
    slot_->end.store(0);
    slot_->begin.store(0);
}

bool MapGuard::broken() const { return slot_->broken.load(); }

void MapGuard::release(std::size_t begin, std::size_t end) const {
    end = std::min(end, map_.size());
    if (begin >= end) return;
    const std::size_t together = std::max(page_bytes.load(), kMappedTogether);
    begin -= begin % together;
    end = std::min(end + (together - end % together) % together, map_.size());
    system::drop_pages(map_.data() + begin, end - begin);
}

void MapGuard::allow(std::size_t begin, std::size_t end, bool is_allowed) const {
    end = std::min(end, map_.size());
    if (begin < end) system::allow_reading(map_.data() + begin, end - begin, is_allowed);
}

}  // namespace tilescope
