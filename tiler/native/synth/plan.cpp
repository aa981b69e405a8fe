#include "synth/plan.hpp"

#include <algorithm>
#include <array>

#include "synth/random.hpp"

namespace tilescope::synth {

namespace {

constexpr std::uint64_t kOperationsPerStep = 1'500;   // of all devices together
constexpr std::uint64_t kRealisticOperationsPerStep = 12'000;  // of each device: its whole program
constexpr std::uint64_t kOperationPs = 10'000'000;    // 10 us from one operation to the next, on average
constexpr std::uint64_t kCheckpointEvery = 64;        // steps; a long pause follows
constexpr std::uint64_t kMaxSteps = 200'000;

struct DeviceTrack {
    Role role;
    const char* name;
};

// In the order in which a device gets them when tracks are few.
constexpr std::array<DeviceTrack, 5> kDeviceTracks = {{
    {Role::operations, "XLA Ops"},
    {Role::steps, "Steps"},
    {Role::modules, "XLA Modules"},
    {Role::async_operations, "Async XLA Ops"},
    {Role::counter, "_counters_"},
}};

// Events are dealt out in these proportions, after what every step has.
std::uint64_t weight(Role role) {
    switch (role) {
    case Role::operations: return 20;
    case Role::async_operations: return 4;
    case Role::counter: return 2;
    case Role::host_thread: return 6;
    case Role::steps:
    case Role::modules: return 0;
    }
    return 0;
}

}  // namespace

Plan::Plan(const Request& request) : request_(request) {
    if (kineto()) {
        lay_out_kineto();
        deal_out_kineto();
        return;
    }
    lay_out();
    modules_ = count(Role::modules);
    threads_ = count(Role::host_thread);
    flows_ = modules_ > 0 && threads_ > 0;

    std::uint64_t weights = 0;
    for (const PlannedTrack& track : tracks_) weights += weight(track.role);
    const std::uint64_t operations = weights == 0 ? 0 : scale(request_.events, weight(Role::operations), weights);
    const std::uint64_t per_step =
        realistic() ? kRealisticOperationsPerStep * std::max<std::uint64_t>(1, count(Role::operations))
                    : kOperationsPerStep;
    std::uint64_t steps = std::clamp<std::uint64_t>(operations / per_step, 1, kMaxSteps);
    while (steps > 1 && fixed_cost(steps) > request_.events / 4) steps /= 2;

    if (fixed_cost(steps) > request_.events) flows_ = false;
    deal_out(steps);
    if (flows_ && !launches_fit(steps)) {
        flows_ = false;
        deal_out(steps);
    }
    place_steps(steps);
}

void Plan::lay_out() {
    const std::uint64_t threads = request_.tracks < 2 ? 0 : std::max<std::uint64_t>(1, request_.tracks / 4);
    const std::uint64_t on_devices = request_.tracks - threads;
    for (std::uint64_t k = 0; k < on_devices; ++k) {
        const std::uint64_t device = k / kDeviceTracks.size();
        const DeviceTrack& kind = kDeviceTracks[k % kDeviceTracks.size()];
        if (k % kDeviceTracks.size() == 0) processes_.push_back({"/device:TPU:" + std::to_string(device), {}});
        processes_.back().tracks.push_back(tracks_.size());
        const auto process = static_cast<std::uint32_t>(processes_.size() - 1);
        tracks_.push_back({kind.role, process, kind.name, device, 0});
    }
    if (threads == 0) return;
    processes_.push_back({"/host:CPU", {}});
    for (std::uint64_t k = 0; k < threads; ++k) {
        processes_.back().tracks.push_back(tracks_.size());
        const auto process = static_cast<std::uint32_t>(processes_.size() - 1);
        const std::string name = k == 0 ? "python" : "tf_XLAPjRtCpuClient/" + std::to_string(k);
        tracks_.push_back({Role::host_thread, process, name, k, 0});
    }
}

std::uint64_t Plan::count(Role role) const {
    return static_cast<std::uint64_t>(std::count_if(tracks_.begin(), tracks_.end(),
                                                    [role](const PlannedTrack& track) { return track.role == role; }));
}

// Events that the steps and modules take, with both ends of their flows where the format writes those as events.
std::uint64_t Plan::fixed_cost(std::uint64_t steps) const {
    const std::uint64_t per_module = flows_ && format() == Format::chrome ? 3 : 1;
    return steps * (count(Role::steps) + modules_ * kModulesPerStep * per_module);
}

void Plan::deal_out(std::uint64_t steps) {
    const std::uint64_t fixed = fixed_cost(steps);
    const std::uint64_t free = request_.events - std::min(fixed, request_.events);
    std::uint64_t for_fixed = request_.events - free;  // less than `fixed` in a trace of very few events
    std::uint64_t weights = 0;
    for (const PlannedTrack& track : tracks_) weights += weight(track.role);

    std::uint64_t before = 0;  // weight of the tracks that were served
    std::uint64_t spare = 0;   // an async slice is two events, so that one may be left over
    for (PlannedTrack& track : tracks_) {
        const std::uint64_t own = weight(track.role);
        if (own == 0) {
            const std::uint64_t wanted = steps * (track.role == Role::modules ? kModulesPerStep : 1);
            track.entries = std::min(wanted, for_fixed);
            for_fixed -= track.entries;
            continue;
        }
        track.entries = scale(free, before + own, weights) - scale(free, before, weights);
        before += own;
        if (track.role == Role::async_operations && format() == Format::chrome) {
            spare += track.entries % 2;
            track.entries /= 2;
        }
    }
    // The first track always is one of operations.
    tracks_.front().entries += spare;
}

std::uint64_t Plan::launches_per_step(std::uint64_t thread) const {
    return kModulesPerStep * (modules_ / threads_ + (thread < modules_ % threads_ ? 1 : 0));
}

bool Plan::launches_fit(std::uint64_t steps) const {
    return std::all_of(tracks_.begin(), tracks_.end(), [this, steps](const PlannedTrack& track) {
        return track.role != Role::host_thread || track.entries >= steps * launches_per_step(track.index);
    });
}

void Plan::place_steps(std::uint64_t steps) {
    std::uint64_t most = 1;
    for (const PlannedTrack& track : tracks_) most = std::max(most, track.entries);
    const std::uint64_t typical_ps = (most / steps + 1) * kOperationPs;
    std::uint64_t now_ps = kFirstStepPs;
    steps_.reserve(steps);
    for (std::uint64_t k = 0; k < steps; ++k) {
        const std::uint64_t length_ps = typical_ps / 100 * (85 + noise(seed(), 3, k) % 40);
        steps_.push_back({now_ps, now_ps + length_ps});
        const std::uint64_t idle_percent =
            k % kCheckpointEvery == kCheckpointEvery - 1 ? 500 : 2 + noise(seed(), 4, k) % 9;
        now_ps += length_ps + typical_ps / 100 * idle_percent;
    }
}

Flow Plan::flow_of_module(std::uint64_t device, std::uint64_t step, std::uint64_t module) const {
    const std::uint64_t id = 1 + (step * modules_ + device) * kModulesPerStep + module;
    return {device % threads_, device / threads_ * kModulesPerStep + module, id};
}

std::uint64_t Plan::flow_of_launch(std::uint64_t thread, std::uint64_t step, std::uint64_t slot) const {
    if (!flows_ || slot >= launches_per_step(thread)) return 0;
    const std::uint64_t device = slot / kModulesPerStep * threads_ + thread;
    return flow_of_module(device, step, slot % kModulesPerStep).id;
}

std::uint64_t Plan::entries_in_step(const PlannedTrack& track, std::uint64_t step) const {
    const std::uint64_t launches =
        kineto() && track.role == Role::host_thread ? kernel_launches_per_step(track.index) : 0;
    return launches + share(track.entries - launches * steps(), steps(), step);
}

}  // namespace tilescope::synth
