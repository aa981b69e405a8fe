#include "synth/chrome.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "synth/json_line.hpp"
#include "synth/names.hpp"
#include "synth/track.hpp"

namespace tilescope::synth {

namespace {

constexpr std::uint64_t kQuantumPs = 1'000;  // three decimals of a microsecond

class ChromeWriter {
  public:
    ChromeWriter(const Plan& plan, Output& output) : plan_(plan), score_(plan), output_(output) {}

    Totals write() {
        output_.write(
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"generator\":\"tilescope synth\"},\"traceEvents\":[\n");
        Totals totals(plan_.tracks().size());
        for (std::size_t k = 0; k < plan_.tracks().size(); ++k) {
            const PlannedTrack& track = plan_.tracks()[k];
            TrackEvents events(plan_, score_, track, kQuantumPs);
            for (PlannedEvent event{}; events.next(event);) {
                totals[k].add(event, track.role, Format::chrome);
                output_.count_event();
                line_.clear();
                write_event(k, track, event);
                output_.write(line_.text());
            }
        }
        metadata();  // last, as several profilers write it
        output_.write("\n]}\n");
        return totals;
    }

  private:
    void write_event(std::size_t k, const PlannedTrack& track, const PlannedEvent& event) {
        switch (track.role) {
        case Role::steps:
            begin("X", "step ") << event.step;
            place(k, track, event.start_ps).duration(event.duration_ps);
            line_ << ",\"args\":{\"group_id\":" << event.step << ",\"step_num\":" << event.step << "}}";
            break;
        case Role::modules:
            begin("X", "jit_train_step");
            place(k, track, event.start_ps).duration(event.duration_ps);
            line_ << ",\"args\":{\"run_id\":" << event.step * kModulesPerStep + event.name + 1 << "}}";
            if (event.flow != 0) flow("f", "\",\"bp\":\"e", k, track, event);
            break;
        case Role::operations: operation(k, track, event); break;
        case Role::async_operations: async(k, track, event); break;
        case Role::counter:
            begin("C", "HBM bandwidth");
            place(k, track, event.start_ps);
            line_ << ",\"args\":{\"percent\":";
            line_.thousandths(static_cast<std::uint64_t>(event.value)) << "}}";
            break;
        case Role::host_thread: host(k, track, event); break;
        }
    }

    void operation(std::size_t k, const PlannedTrack& track, const PlannedEvent& event) {
        const Operation& what = score_.device(track.index).operations[event.name];
        begin("X", what.name);
        place(k, track, event.start_ps).duration(event.duration_ps);
        line_ << ",\"cat\":\"" << what.category << "\",\"args\":{\"shape\":\"" << what.shape << "\",\"tf_op\":\""
              << what.scope << "\",\"flops\":" << what.flops << ",\"bytes_accessed\":" << what.bytes_accessed << "}}";
    }

    void async(std::size_t k, const PlannedTrack& track, const PlannedEvent& event) {
        const Operation& what = score_.async.operations[event.name];
        const std::uint64_t id = ++async_id_;
        begin("b", what.name);
        place(k, track, event.start_ps);
        line_ << ",\"cat\":\"async\",\"id\":" << id << ",\"args\":{\"bytes_accessed\":" << what.bytes_accessed << "}}";
        begin("e", what.name);
        place(k, track, event.start_ps + event.duration_ps);
        line_ << ",\"cat\":\"async\",\"id\":" << id << "}";
    }

    void host(std::size_t k, const PlannedTrack& track, const PlannedEvent& event) {
        const std::string& name = score_.host.operations[event.name].name;
        if (event.instant) {
            begin("i", name);
            place(k, track, event.start_ps);
            line_ << ",\"s\":\"t\"}";
            return;
        }
        begin("X", name);
        place(k, track, event.start_ps).duration(event.duration_ps);
        line_ << ",\"cat\":\"host\",\"args\":{\"group_id\":" << event.step << "}}";
        if (event.flow != 0) flow("s", "", k, track, event);
    }

    // Binds to the slice that starts at the same time.
    void flow(std::string_view phase, std::string_view more, std::size_t k, const PlannedTrack& track,
              const PlannedEvent& event) {
        begin(phase, "launch");
        place(k, track, event.start_ps);
        line_ << ",\"id\":" << event.flow << ",\"cat\":\"launch" << more << "\"}";
    }

    JsonLine& begin(std::string_view phase, std::string_view name) {
        return line_ << (std::exchange(first_, false) ? "" : ",\n") << "{\"ph\":\"" << phase << "\",\"name\":\""
                     << name;
    }

    ChromeWriter& place(std::size_t k, const PlannedTrack& track, std::uint64_t time_ps) {
        line_ << "\",\"pid\":" << std::uint64_t{track.process} + 1 << ",\"tid\":" << k + 1 << ",\"ts\":";
        line_.thousandths(kStartEpochNs + time_ps / 1'000);
        return *this;
    }

    void duration(std::uint64_t duration_ps) {
        line_ << ",\"dur\":";
        line_.thousandths(duration_ps / 1'000);
    }

    void metadata() {
        line_.clear();
        for (std::size_t k = 0; k < plan_.processes().size(); ++k) {
            begin("M", "process_name") << "\",\"pid\":" << k + 1 << ",\"args\":{\"name\":\""
                                       << plan_.processes()[k].name << "\"}}";
            begin("M", "process_sort_index") << "\",\"pid\":" << k + 1 << ",\"args\":{\"sort_index\":" << k << "}}";
        }
        for (std::size_t k = 0; k < plan_.tracks().size(); ++k) {
            const PlannedTrack& track = plan_.tracks()[k];
            const std::uint64_t pid = std::uint64_t{track.process} + 1;
            begin("M", "thread_name") << "\",\"pid\":" << pid << ",\"tid\":" << k + 1 << ",\"args\":{\"name\":\""
                                      << track.name << "\"}}";
            begin("M", "thread_sort_index")
                << "\",\"pid\":" << pid << ",\"tid\":" << k + 1 << ",\"args\":{\"sort_index\":" << k << "}}";
        }
        output_.write(line_.text());
    }

    const Plan& plan_;
    Score score_;
    Output& output_;
    JsonLine line_;
    bool first_ = true;
    std::uint64_t async_id_ = 0;
};

}  // namespace

Totals write_chrome(const Plan& plan, Output& output) { return ChromeWriter(plan, output).write(); }

}  // namespace tilescope::synth
