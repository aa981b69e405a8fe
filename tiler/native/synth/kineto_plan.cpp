// The plan of PyTorch's traces: threads that launch kernels, streams of GPUs that run them, and a span for each step.
#include <algorithm>

#include "synth/plan.hpp"
#include "synth/random.hpp"

namespace tilescope::synth {

namespace {

constexpr std::uint64_t kKernelsPerStep = 500;  // on one stream
// A kernel, the call that launches it, and both ends of their flow: about a seventh of all events are kernels.
constexpr std::uint64_t kEventsPerKernel = 4;
constexpr std::uint64_t kKernelShare = 7;
constexpr std::uint64_t kMostSteps = 200'000;

}  // namespace

void Plan::lay_out_kineto() {
    const std::uint64_t spans = request_.tracks > 2 ? 1 : 0;
    threads_ = std::max<std::uint64_t>(1, request_.tracks / 4);
    kernels_.streams = request_.tracks - spans - threads_;
    processes_.push_back({"python", {}});
    for (std::uint64_t k = 0; k < threads_; ++k) {
        processes_.back().tracks.push_back(tracks_.size());
        std::string name = "thread " + std::to_string(4'001 + k);
        name += k == 0 ? " (python)" : " (pt_autograd_" + std::to_string(4'001 + k) + ")";
        tracks_.push_back({Role::host_thread, 0, name, k, 0});
    }
    for (std::uint64_t k = 0; k < kernels_.streams; ++k) {
        const std::uint64_t device = k / kStreamsPerDevice;
        if (k % kStreamsPerDevice == 0) processes_.push_back({"GPU " + std::to_string(device), {}});
        processes_.back().tracks.push_back(tracks_.size());
        const auto process = static_cast<std::uint32_t>(processes_.size() - 1);
        const std::string name = "stream " + std::to_string(kFirstStream + k % kStreamsPerDevice);
        tracks_.push_back({Role::operations, process, name, k, 0});
    }
    if (spans == 0) return;
    processes_.push_back({"Spans", {tracks_.size()}});
    tracks_.push_back({Role::steps, static_cast<std::uint32_t>(processes_.size() - 1), "PyTorch Profiler", 0, 0});
}

void Plan::deal_out_kineto() {
    const std::uint64_t kernels = request_.events / kKernelShare;
    const std::uint64_t steps = std::clamp<std::uint64_t>(
        kernels / std::max<std::uint64_t>(1, kernels_.streams * kKernelsPerStep), 1, kMostSteps);
    kernels_.per_step = kernels_.streams == 0 ? 0 : kernels / (kernels_.streams * steps);
    flows_ = kernels_.per_step > 0;
    std::uint64_t rest = request_.events - kernels_.streams * kernels_.per_step * steps * kEventsPerKernel;
    for (PlannedTrack& track : tracks_) {
        if (track.role != Role::steps) continue;
        track.entries = std::min(steps, rest);
        rest -= track.entries;
    }
    for (PlannedTrack& track : tracks_) {
        if (track.role == Role::operations) track.entries = kernels_.per_step * steps;
        if (track.role != Role::host_thread) continue;
        track.entries = kernel_launches_per_step(track.index) * steps + share(rest, threads_, track.index);
    }
    place_steps(steps);
}

// Streams belong to threads by turns: thread t launches what runs on streams t, t + threads, t + 2 threads, ...
std::uint64_t Plan::kernel_launches_per_step(std::uint64_t thread) const {
    const std::uint64_t more = thread < kernels_.streams % threads_ ? 1 : 0;
    return (kernels_.streams / threads_ + more) * kernels_.per_step;
}

std::uint64_t Plan::flow_of_kernel(std::uint64_t stream, std::uint64_t step, std::uint64_t place) const {
    return 1 + (step * kernels_.streams + stream) * kernels_.per_step + place;
}

std::uint64_t Plan::flow_of_kernel_launch(std::uint64_t thread, std::uint64_t step, std::uint64_t place) const {
    const std::uint64_t streams = kernel_launches_per_step(thread) / kernels_.per_step;
    return flow_of_kernel(thread + place % streams * threads_, step, place / streams);
}

}  // namespace tilescope::synth
