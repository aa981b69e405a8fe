// The names of large programs: of XLA with whole expressions, of PyTorch with C++ templates.
#include <array>

#include "synth/names.hpp"
#include "synth/random.hpp"

namespace tilescope::synth {

namespace {

constexpr unsigned kStageLeaves = 9'900;
constexpr unsigned kStageParents = 100;
constexpr unsigned kKernels = 240;
constexpr unsigned kOperators = 140;
constexpr unsigned kOperatorParents = 90;

struct Opcode {
    const char* name;
    const char* category;
    const char* attributes;
    unsigned share;  // of a hundred
    unsigned operands;
    bool computes;
};

constexpr std::array<Opcode, 9> kLeaves = {{
    {"fusion", "loop fusion", ", kind=kLoop, calls=%fused_computation.", 52, 4, true},
    {"convolution_fusion", "convolution fusion", ", kind=kOutput, calls=%fused_convolution.", 14, 3, true},
    {"copy", "copy", ", cross_program_prefetch_index=", 8, 1, false},
    {"all-reduce", "all-reduce", ", replica_groups={{0,1,2,3}}, use_global_device_ids=true, channel_id=", 4, 2, false},
    {"all-gather", "all-gather", ", dimensions={0}, replica_groups={{0,1,2,3}}, channel_id=", 4, 1, false},
    {"reduce-scatter", "reduce-scatter", ", dimensions={0}, replica_groups={{0,1,2,3}}, channel_id=", 4, 1, false},
    {"dynamic-update-slice", "data formatting", ", control-predecessors=%copy.", 5, 3, false},
    {"transpose", "data formatting", ", dimensions={1,0}, channel=", 5, 1, false},
    {"copy-done", "copy-done", ", is_host_transfer=false, channel_id=", 4, 1, false},
}};
constexpr Opcode kLoop = {"while", "while", ", condition=%region_1.7, body=%region_0.", 100, 2, false};
constexpr std::array<const char*, 5> kTypes = {"bf16", "f32", "s32", "f8e4m3fn", "u32"};
constexpr std::array<const char*, 6> kModules = {"attention/qkv", "attention/softmax", "attention/out",
                                                 "mlp/up",        "mlp/down",          "norm/scale"};

std::string shape(Random& random) {
    return std::string(kTypes[random.below(kTypes.size())]) + "[" + std::to_string(8u << random.below(5)) + "," +
           std::to_string(64u << random.below(6)) + "," + std::to_string(128u << random.below(7)) +
           "]{2,1,0:T(8,128)(2,1)}";
}

const Opcode& leaf_kind(Random& random) {
    std::uint64_t draw = random.below(100);
    for (const Opcode& kind : kLeaves) {
        if (draw < kind.share) return kind;
        draw -= kind.share;
    }
    return kLeaves.front();
}

Operation expression(const Opcode& kind, std::uint64_t number, Random& random) {
    Operation operation;
    operation.name = std::string(kind.name) + "." + std::to_string(number);
    operation.category = kind.category;
    operation.shape = shape(random);
    operation.scope = "jit(train_step)/jvp(Transformer)/layer_" + std::to_string(random.below(96)) + "/" +
                      kModules[random.below(kModules.size())] + "/" + kind.name;
    operation.long_name = "%" + operation.name + " = " + operation.shape + " " + kind.name + "(";
    for (unsigned k = 0; k < kind.operands; ++k) {
        operation.long_name += (k == 0 ? "" : ", ") + shape(random) + " %" +
                               (random.chance(40) ? "param." : "get-tuple-element.") +
                               std::to_string(random.below(40'000));
    }
    operation.long_name += std::string(")") + kind.attributes + std::to_string(number);
    operation.flops = kind.computes ? random.below(std::uint64_t{1} << random.between(20, 40)) : 0;
    operation.bytes_accessed = random.below(std::uint64_t{1} << random.between(10, 30));
    operation.source = "/home/user/train/model/layers.py:" + std::to_string(20 + number % 400);
    operation.source_stack = operation.source +
                             ":12\n/home/user/train/model/transformer.py:" + std::to_string(60 + number % 90) +
                             ":8\n/home/user/train/main.py:131:4\n";
    return operation;
}

constexpr std::array<const char*, 6> kKernelNames = {
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, ",
    "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float>>(",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float>, unsigned "
    "int, ",
    "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x",
    "void cutlass::Kernel<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*) #",
};
constexpr std::array<const char*, 20> kOperatorNames = {
    "aten::linear", "aten::addmm",   "aten::mm",        "aten::add_",       "aten::empty_strided",
    "aten::copy_",  "aten::view",    "aten::transpose", "aten::as_strided", "aten::native_layer_norm",
    "aten::gelu",   "aten::softmax", "aten::dropout",   "aten::bmm",        "aten::expand",
    "aten::div",    "aten::zero_",   "aten::fill_",     "aten::resize_",    "aten::split_with_sizes"};

}  // namespace

Vocabulary stage_vocabulary(std::uint64_t seed, std::uint64_t stage) {
    Random random(noise(seed, 5, stage));
    Vocabulary vocabulary{};
    vocabulary.leaves = kStageLeaves;
    const std::uint64_t first = stage * (kStageLeaves + kStageParents);
    for (unsigned k = 0; k < kStageLeaves; ++k) {
        vocabulary.operations.push_back(expression(leaf_kind(random), first + k, random));
    }
    for (unsigned k = kStageLeaves; k < kStageLeaves + kStageParents; ++k) {
        vocabulary.operations.push_back(expression(kLoop, first + k, random));
    }
    return vocabulary;
}

Vocabulary kernel_vocabulary(std::uint64_t seed) {
    Random random(noise(seed, 6));
    Vocabulary vocabulary{};
    vocabulary.leaves = kKernels;
    for (unsigned k = 0; k < kKernels; ++k) {
        Operation operation;
        if (random.chance(12)) {
            operation.name = random.chance(50) ? "Memcpy DtoD (Device -> Device)" : "Memset (Device)";
            operation.category =
                operation.name.front() == 'M' && operation.name[3] == 'c' ? "gpu_memcpy" : "gpu_memset";
        } else {
            operation.name = kKernelNames[random.below(kKernelNames.size())] + std::to_string(k);
            operation.category = "kernel";
        }
        operation.bytes_accessed = random.below(std::uint64_t{1} << random.between(10, 30));
        vocabulary.operations.push_back(operation);
    }
    return vocabulary;
}

Vocabulary torch_vocabulary(std::uint64_t seed) {
    Random random(noise(seed, 7));
    Vocabulary vocabulary{};
    vocabulary.leaves = kOperators;
    for (unsigned k = 0; k < kOperators + kOperatorParents; ++k) {
        std::string name = kOperatorNames[random.below(kOperatorNames.size())];
        if (k >= kOperators) {
            name = random.chance(50) ? "autograd::engine::evaluate_function: Backward" + std::to_string(k)
                                     : "nn.Module: TransformerLayer_" + std::to_string(k);
        } else if (k >= kOperatorNames.size()) {
            name += "_" + std::to_string(k);
        }
        vocabulary.operations.push_back({name, name, "cpu_op", "", "", 0, 0, "", ""});
    }
    return vocabulary;
}

}  // namespace tilescope::synth
