#include "synth/names.hpp"

#include <array>

#include "synth/random.hpp"

namespace tilescope::synth {

namespace {

struct Kind {
    const char* name;
    const char* category;
    unsigned count;  // how many distinct operations of the kind
    bool computes;   // has flops
};

constexpr std::array<Kind, 12> kDeviceLeaves = {{
    {"fusion", "loop fusion", 280, true},
    {"convolution_fusion", "convolution fusion", 60, true},
    {"copy", "copy", 60, false},
    {"all-reduce", "all-reduce", 16, false},
    {"all-gather", "all-gather", 12, false},
    {"reduce-scatter", "reduce-scatter", 12, false},
    {"dynamic-update-slice", "data formatting", 30, false},
    {"transpose", "data formatting", 40, false},
    {"broadcast", "data formatting", 24, false},
    {"custom-call", "custom-call", 10, true},
    {"copy-done", "copy-done", 40, false},
    {"infeed", "infeed", 2, false},
}};
constexpr std::array<Kind, 3> kDeviceParents = {{
    {"while", "while", 6, false},
    {"conditional", "conditional", 3, false},
    {"call", "call", 8, false},
}};
constexpr std::array<Kind, 4> kAsync = {{
    {"async-copy", "copy-start", 24, false},
    {"all-gather-start", "all-gather", 12, false},
    {"all-reduce-start", "all-reduce", 8, false},
    {"collective-permute-start", "collective-permute", 8, false},
}};
constexpr std::array<const char*, 24> kHostLeaves = {"Allocate",
                                                     "Deallocate",
                                                     "BufferFromHostBuffer",
                                                     "ToLiteral",
                                                     "TransferToDevice",
                                                     "TransferFromDevice",
                                                     "EnqueueProgram",
                                                     "AwaitReady",
                                                     "ThunkExecutor::Execute",
                                                     "dot.7",
                                                     "broadcast_add_fusion",
                                                     "reduce-window.2",
                                                     "wrapped_tanh",
                                                     "ParseArguments",
                                                     "ConvertResults",
                                                     "$threading.py:327 wait",
                                                     "$queue.py:154 get",
                                                     "$_pytree.py:41 flatten",
                                                     "$loader.py:88 decode",
                                                     "$loader.py:101 augment",
                                                     "$loader.py:120 collate",
                                                     "$optimizer.py:212 update",
                                                     "$metrics.py:30 log",
                                                     "ThreadpoolListener::Record"};
constexpr std::array<const char*, 20> kHostParents = {"PjitFunction(train_step)",
                                                      "ExecuteHelper on host",
                                                      "PjRtExecutable::Execute",
                                                      "ParallelFor",
                                                      "train",
                                                      "$train.py:61 main",
                                                      "$train.py:84 epoch",
                                                      "$train.py:97 step",
                                                      "$loader.py:40 __next__",
                                                      "$loader.py:61 fetch",
                                                      "$model.py:133 forward",
                                                      "$model.py:171 loss",
                                                      "$layers.py:24 __call__",
                                                      "$layers.py:77 attention",
                                                      "$layers.py:115 mlp",
                                                      "$checkpoint.py:19 save",
                                                      "$checkpoint.py:55 serialise",
                                                      "$callbacks.py:12 on_step",
                                                      "TransferManager::Run",
                                                      "RunBackend"};
constexpr std::array<const char*, 5> kTypes = {"bf16", "f32", "s32", "f8e4m3fn", "u32"};
constexpr std::array<const char*, 4> kModules = {"attention/qkv", "attention/out", "mlp/up", "mlp/down"};

Operation hlo(const Kind& kind, unsigned number, Random& random) {
    Operation operation;
    operation.name = std::string(kind.name) + "." + std::to_string(number);
    operation.category = kind.category;
    operation.shape = std::string(kTypes[random.below(kTypes.size())]) + "[" + std::to_string(64u << random.below(6)) +
                      "," + std::to_string(128u << random.below(7)) + "]{1,0:T(8,128)}";
    operation.long_name = "%" + operation.name + " = " + operation.shape + " " + kind.name + "(%param." +
                          std::to_string(random.below(90)) + ", %bitcast." + std::to_string(random.below(900)) + ")";
    operation.scope = "jit(train_step)/layer_" + std::to_string(random.below(48)) + "/" +
                      kModules[random.below(kModules.size())] + "/" + kind.name;
    operation.flops = kind.computes ? random.below(std::uint64_t{1} << random.between(20, 40)) : 0;
    operation.bytes_accessed = random.below(std::uint64_t{1} << random.between(10, 30));
    return operation;
}

template <std::size_t N>
void append(std::vector<Operation>& operations, const std::array<Kind, N>& kinds, Random& random) {
    // In turns rather than kind by kind: low numbers are picked more often, and every kind is to have some of them.
    bool more = true;
    for (unsigned number = 0; more; ++number) {
        more = false;
        for (const Kind& kind : kinds) {
            if (number >= kind.count) continue;
            operations.push_back(hlo(kind, number, random));
            more = true;
        }
    }
}

}  // namespace

Vocabulary device_vocabulary(std::uint64_t seed) {
    Random random(noise(seed, 1));
    Vocabulary vocabulary{};
    append(vocabulary.operations, kDeviceLeaves, random);
    vocabulary.leaves = static_cast<std::uint32_t>(vocabulary.operations.size());
    append(vocabulary.operations, kDeviceParents, random);
    return vocabulary;
}

Vocabulary async_vocabulary(std::uint64_t seed) {
    Random random(noise(seed, 2));
    Vocabulary vocabulary{};
    append(vocabulary.operations, kAsync, random);
    vocabulary.leaves = static_cast<std::uint32_t>(vocabulary.operations.size());
    return vocabulary;
}

Vocabulary host_vocabulary() {
    Vocabulary vocabulary{};
    for (const char* name : kHostLeaves) vocabulary.operations.push_back({name, name, "host", "", "", 0, 0, "", ""});
    vocabulary.leaves = static_cast<std::uint32_t>(vocabulary.operations.size());
    for (const char* name : kHostParents) vocabulary.operations.push_back({name, name, "host", "", "", 0, 0, "", ""});
    return vocabulary;
}

}  // namespace tilescope::synth
