#include "synth/track.hpp"

#include <algorithm>

#include "synth/random.hpp"

namespace tilescope::synth {

namespace {

constexpr std::size_t kProgramNodes = 2'048;
// More than a device runs in a step, so that the whole program runs once, and each of its names occurs.
constexpr std::size_t kRealisticNodes = 24'576;
constexpr std::uint64_t kStages = 4;
constexpr std::uint64_t kMemoryPercent = 36;  // of the leaves on PyTorch's threads that launch nothing
constexpr std::int64_t kHighestLevel = 100'000;  // thousandths

ProgramShape shape(const Vocabulary& vocabulary, unsigned max_depth, unsigned nest_percent) {
    return {kProgramNodes, max_depth, nest_percent, vocabulary.leaves, vocabulary.parents(), false};
}

ProgramShape whole_program(const Vocabulary& vocabulary) {
    return {kRealisticNodes, 3, 3, vocabulary.leaves, vocabulary.parents(), true};
}

std::vector<Vocabulary> device_vocabularies(const Plan& plan) {
    if (plan.kineto()) return {kernel_vocabulary(plan.seed())};
    if (!plan.realistic()) return {device_vocabulary(plan.seed())};
    std::vector<Vocabulary> stages;
    stages.reserve(kStages);
    for (std::uint64_t k = 0; k < kStages; ++k) stages.push_back(stage_vocabulary(plan.seed(), k));
    return stages;
}

std::vector<Program> device_programs(const Plan& plan, const std::vector<Vocabulary>& vocabularies) {
    if (plan.kineto()) return {Program(shape(vocabularies.front(), 1, 0), noise(plan.seed(), 10))};
    if (!plan.realistic()) return {Program(shape(vocabularies.front(), 3, 3), noise(plan.seed(), 10))};
    std::vector<Program> programs;
    programs.reserve(vocabularies.size());
    for (std::uint64_t k = 0; k < vocabularies.size(); ++k) {
        programs.emplace_back(whole_program(vocabularies[k]), noise(plan.seed(), 10, k));
    }
    return programs;
}

}  // namespace

Score::Score(const Plan& plan)
    : devices(device_vocabularies(plan)),
      async(async_vocabulary(plan.seed())),
      host(plan.kineto() ? torch_vocabulary(plan.seed()) : host_vocabulary()),
      device_programs(synth::device_programs(plan, devices)),
      async_program(shape(async, 1, 0), noise(plan.seed(), 11)),
      host_program(shape(host, 12, 26), noise(plan.seed(), 12)) {}

const Program& Score::program(const PlannedTrack& track) const {
    if (track.role == Role::host_thread) return host_program;
    if (track.role == Role::async_operations) return async_program;
    return device_programs[track.index % device_programs.size()];
}

TrackEvents::TrackEvents(const Plan& plan, const Score& score, const PlannedTrack& track, std::uint64_t quantum_ps)
    : plan_(plan), score_(score), track_(track), quantum_ps_(quantum_ps) {
    while (step_ < plan_.steps() && !enter_step()) ++step_;
}

// False when the track has nothing to do in this step.
bool TrackEvents::enter_step() {
    in_step_ = plan_.entries_in_step(track_, step_);
    place_ = 0;
    if (in_step_ == 0) return false;
    window_ = window();
    const std::uint64_t nodes = score_.program(track_).size();
    repetitions_ = (in_step_ + nodes - 1) / nodes;
    repetition_ = 0;
    enter_repetition();
    return true;
}

void TrackEvents::enter_repetition() {
    const std::uint64_t length_ps = window_.end_ps - window_.begin_ps;
    node_ = 0;
    in_repetition_ = share(in_step_, repetitions_, repetition_);
    repetition_window_ = {window_.begin_ps + scale(length_ps, repetition_, repetitions_),
                          window_.begin_ps + scale(length_ps, repetition_ + 1, repetitions_)};
}

// Devices start a little after the host and not all at once; worker threads come and go during a step.
Window TrackEvents::window() const {
    const Window& step = plan_.step(step_);
    const std::uint64_t permille = (step.end_ps - step.begin_ps) / 1'000;
    const std::uint64_t draw = noise(plan_.seed() + track_.index, 20, step_);
    if (track_.role == Role::steps) return step;
    // Threads run ahead of their streams.
    if (plan_.kineto()) {
        if (track_.role == Role::host_thread)
            return {step.begin_ps + permille * (draw % 10), step.begin_ps + permille * 600};
        return {step.begin_ps + permille * 300, step.end_ps};
    }
    if (track_.role == Role::host_thread) {
        const std::uint64_t late = plan_.flows() ? draw % 10 : draw % 300;
        return {step.begin_ps + permille * late, step.end_ps - permille * (draw / 1'024 % 400)};
    }
    return {step.begin_ps + permille * (60 + draw % 40), step.end_ps - permille * (10 + draw / 1'024 % 80)};
}

bool TrackEvents::next(PlannedEvent& event) {
    if (step_ >= plan_.steps()) return false;
    event = PlannedEvent{};
    event.step = step_;
    switch (track_.role) {
    case Role::steps:
        event.start_ps = window_.begin_ps;
        event.duration_ps = window_.end_ps - window_.begin_ps;
        break;
    case Role::modules: {
        const std::uint64_t length_ps = window_.end_ps - window_.begin_ps;
        event.name = static_cast<std::uint32_t>(place_);
        event.start_ps = window_.begin_ps + scale(length_ps, place_, in_step_);
        event.duration_ps = length_ps / in_step_;
        if (plan_.flows()) {
            event.flow_side = FlowSide::in;
            event.flow = plan_.flow_of_module(track_.index, step_, place_).id;
        }
        break;
    }
    case Role::counter: sample(event); break;
    case Role::operations:
    case Role::async_operations:
    case Role::host_thread: from_program(event); break;
    }
    const std::uint64_t end_ps = (event.start_ps + event.duration_ps) / quantum_ps_ * quantum_ps_;
    event.start_ps = event.start_ps / quantum_ps_ * quantum_ps_;
    event.duration_ps = end_ps - event.start_ps;

    if (++place_ == in_step_) {
        do ++step_;
        while (step_ < plan_.steps() && !enter_step());
    }
    return true;
}

void TrackEvents::from_program(PlannedEvent& event) {
    if (node_ == in_repetition_) {
        ++repetition_;
        enter_repetition();
    }
    const Program& program = score_.program(track_);
    const ProgramNode& node = program.node(node_++);
    const std::uint64_t length_ps = repetition_window_.end_ps - repetition_window_.begin_ps;
    const std::uint32_t reach = program.reach(in_repetition_);
    const std::uint64_t begin_ps = repetition_window_.begin_ps + scale(length_ps, node.start, reach);
    const std::uint64_t end_ps = repetition_window_.begin_ps + scale(length_ps, std::min(node.end, reach), reach);
    const std::uint64_t draw = noise(plan_.seed() ^ (track_.index << 40), step_, place_);
    event.name = node.name;
    event.start_ps = begin_ps;
    event.duration_ps = end_ps - begin_ps;
    // No two executions take the same time. Only leaves vary, so that children stay inside their parents.
    if (node.leaf) event.duration_ps -= scale(event.duration_ps, draw % 128, 1'024);
    // Asynchronous operations overlap.
    if (track_.role == Role::async_operations) event.duration_ps += event.duration_ps * (draw / 128 % 4);
    if (track_.role == Role::host_thread) on_host(event, node.leaf, node.start == node.end, draw);
    if (plan_.kineto() && track_.role == Role::operations) {
        event.flow = plan_.flow_of_kernel(track_.index, step_, place_);
        event.flow_side = FlowSide::in;
    }
}

void TrackEvents::on_host(PlannedEvent& event, bool leaf, bool empty, std::uint64_t draw) const {
    if (!plan_.kineto()) {
        event.flow = plan_.flow_of_launch(track_.index, step_, place_);
        event.instant = event.flow == 0 && leaf && empty;
    } else {
        // Launches are spread evenly over the events of the step.
        const std::uint64_t launches = plan_.kernel_launches_per_step(track_.index);
        const std::uint64_t before = scale(launches, place_, in_step_);
        event.launch = scale(launches, place_ + 1, in_step_) > before;
        if (event.launch) event.flow = plan_.flow_of_kernel_launch(track_.index, step_, before);
        event.instant = !event.launch && leaf && draw / 512 % 100 < kMemoryPercent;
        if (event.instant) event.duration_ps = 0;
    }
    event.flow_side = event.flow == 0 ? FlowSide::none : FlowSide::out;
}

void TrackEvents::sample(PlannedEvent& event) {
    const std::uint64_t draw = noise(plan_.seed() ^ (track_.index << 40), step_, place_);
    const std::uint64_t length_ps = window_.end_ps - window_.begin_ps;
    event.start_ps = window_.begin_ps + scale(length_ps, place_, in_step_);
    level_ += static_cast<std::int64_t>(draw % 8'001) - 4'000;
    level_ = std::clamp<std::int64_t>(level_, 0, kHighestLevel);
    event.value = level_;
}

}  // namespace tilescope::synth
