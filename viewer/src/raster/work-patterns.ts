/** Kinds of work by names, in the order of the search. By `make types` from tiler/facts/work. */

import type { Meaning } from "./meaning";

/** Names of a kind: one pattern that minds letters' case, one that does not; null where there is none. */
export type WorkPattern = readonly [meaning: Meaning, exact: RegExp | null, folded: RegExp | null];

export const KERNEL_FUNCTIONS: readonly WorkPattern[] = [
  ["compute", /^triton_[a-z]+_fused|(?:^|::)checkForNaN$|(?:^|::)(?:computeSendRecv|computeCount|computeCumsum|inplaceSendRecvRankCumSum|memsetExpertIds)/, /(?:^|[^a-z])(?:block|warp|cta|cluster|thread)_?all_?reduce|(?:gemm|matmul)[^:]*(?:all_?reduce|reduce_?scatter|all_?gather|all_?to_?all)|(?:all_?reduce|reduce_?scatter|all_?gather|all_?to_?all)[^:]*(?:gemm|matmul)/i],
  ["collective", /[a-z]N(?:ccl|CCL)|(?:^|::)oneRankReduce$|(?:^|::|[^A-Za-z])(?:[ehltmvx]ccl|ixccl|bkcl|cncl)(?:[A-Z_:]|$)|(?:^|::|[^A-Za-z])(?:gloo(?:::|:|_)|uc[pctsx]_|uc[xc]::|P?MPIX?_[A-Z]|MPI[RD]I?_)|(?:^|::)(?:deep_ep|ep|hybrid_ep|uccl)::|(?:^|::)(?:intra|inter)node(?:_ll)?::|(?:^|::)mori::|(?:^|::)Ep(?:Dispatch|Combine)|(?:^|::)pplx::|(?:moeA2A|[a-z]A2A[A-Z]|allToAllMetadata)|(?:^|::)c10d::|(?:^|::)multimem_|(?:^|::)(?:put|wait)_signal_kernel|exchangeSplitAndOffset|(?:^|::)(?:turbomind::comm|mooncake)::|(?:^|[^A-Za-z]|[Ss]hot)all_?(?:reduce|gather|to_?all|2all)|(?:^|[^A-Z])All_?(?:[Rr]educe|[Gg]ather|[Tt]o_?[Aa]ll|2[Aa]ll)|(?:^|[^A-Za-z])all(?:Reduce|Gather|ToAll|2All)|(?:^|[^A-Z])ALL_?(?:REDUCE|GATHER|TO_?ALL)|(?:^|[^A-Za-z])reduce_?scatter|[a-z]?Reduce_?[Ss]catter|(?:^|[^A-Z])REDUCE_?SCATTER|(?:^|[^A-Za-z0-9])a2a_/, /(?:(?:^|[^a-z])[nr]ccl)|(?:^|[^a-z])msccl|(?:nv|roc|roc_|i)shmem|(?:^|::|_)(?:barrier|sync|alltoall|broadcast|fcollect|reducescatter|rdxn|wait_until|put|get|signal)(?:_[a-z]+)?_on_stream|(?:^|[^a-z])(?:one)?ccl(?:::|_)|monolithic_kernel_|reduce_(?:single_)?local_(?:in|outof)place_kernel|reduce_read_write_kernel|(?:^|_)local_reduce_kernel_[0-9]|(?:intra|inter)_?node_?(?:ll_?|v[0-9]+_?)?(?:dispatch|combine|notify)|low_latency_(?:dispatch|combine)|(?:^|::)(?:cached_)?notify_(?:dispatch|combine)|lamport|_rsag|(?:^|::|_)push_(?:one|two)shot|ipc_tp[0-9]+_remote_push|cross_device_(?:reduce|store|load|sync|barrier|gather)|(?:^|::)(?:ag|ar|rs)(?:_ll)?_gfx[0-9]+|quick_?reduce|userbuffers|multi_?gpu_?barrier|(?:collective_?permute)/i],
  ["compute", /(?:^|::)(?:at|at_cuda_detail|c10|fbgemm_gpu)::|^split_embedding_|(?:^|::)(?:cunn_|vectorized_|unrolled_)|(?:^|::)(?:bounds_check_indices|linearize_index)_kernel|(?:^|::)(?:tensorflow|Eigen|stream_executor)::|(?:^|::)(?:EigenMetaKernel|BiasNHWC)|(?:^|::)(?:cub|thrust|hipcub|rocprim|cooperative_groups)::/, /gemm|gemv|matmul|split_?k_?reduce|^nvjet_|(?:^|::)cutlass|(?:^|::)ck(?:_tile)?::|^cijk_|cublas|(?:^|::)epilogue::impl|(?:^|::)(?:scal|axpy|dot)_kernel|cudnn|miopen|xmma|winograd|[dw]grad|fprop|conv(?:olution|olve|2d|3d|_)|nchw|nhwc|fft|(?:^|::)cask|igemm|im[23]d?2col|batch_?norm|bn_(?:fw|bw)|flash_?(?:fwd|bwd|attn|attention|infer::(?:batch|single|merge))|fmha|attention|attn|softmax|(?:^|[^a-z])(?:mha|mla|gqa)_|(?:moe|expert|topk|top_k|router?)[a-z0-9_]*(?:sort|align|permute|gate|gating|softmax|finalize|quant|sum|fused|silu)|(?:grouped|fused)_?(?:topk|moe)|moe_(?:dispatch|combine)_(?:sort|align|permute)|(?:layer|rms|group|instance|l2)_?norm|elementwise|element_wise|activation|silu|gelu|relu|sigmoid|tanh|embedding|dropout|rotary|rope|adamw?_|_adam|multi_tensor|cross_?entropy|loss|cast_|quantiz|transpose|pool(?:ing|ed)?|cumsum|argmax|sampling|kv_?cache|reshape_and_cache|^triton_|(?:^|_)(?:loop|input|output|wrapped|fusion|fused|transpose|reduce)_(?:[a-z0-9_]+_)?fusion|^fusion(?:_[0-9]+)?$|^wrapped_|^command_buffer|^(?:redzone_checker|RepeatBufferKernel)|_kernel_[0-9]+$|curand|magma|cusolver|cusparse|csrmv|xgboost|^memset|__amd_rocclr_(?:copy|fill)|spin_kernel|(?:^|::)device_(?:fill|copy)/i],
];

export const XLA_OPERATIONS: readonly WorkPattern[] = [
  ["collective", /^(?:(?:ragged-)?(?:all-(?:reduce|gather|to-all)|reduce-scatter|collective-(?:permute|broadcast))|async-collective|cross-replica-sum|(?:send|recv)(?:-done)?\b)/, null],
  ["copy", /^(?:(?:infeed|outfeed)\b|(?:copy|(?:dynamic-(?:update-)?)?slice)-(?:start|done)\b|async-(?:copy|slice)|host (?:send|recv))/, null],
  ["compute", /^(?:while|conditional|call)\b/, null],
];

export const GPU_COPIES: readonly WorkPattern[] = [
  ["copy", null, /^(?:(?:hip)?memcpy|copy(?:host|device)to)/i],
];

export const ASCEND_TASKS: readonly WorkPattern[] = [
  ["collective", null, /MoeDistribute(?:Dispatch|Combine)|^(?:aiv_?)?(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?allv?)(?:Aiv|Aicpu)?(?:Kernel|_|$)/i],
  ["copy", /^(?:MEMCPY|SDMA|PCIE_DMA)_[A-Z0-9_]+$/, null],
  ["other", /^(?:(?:REDUCE|NOTIFY|EVENT|RDMA|STREAM)_[A-Z0-9_]+|hcom_.*)$/, null],
];

export const ASCEND_TYPES: readonly WorkPattern[] = [
  ["compute", /^(?:(?:KERNEL_)?(?:AI_?CORE|AI_VECTOR_CORE|AIVEC|AI_?CPU|MIX_AI[CV])|AIV_SQE|FFTS_PLUS|DSA_SQE|DVPP|(?:VPC|JPEG[DE])_SQE)$/, null],
  ["collective", /^(?:HCCL(?:_AI_CPU)?|COMMUNICATION)$/, null],
  ["copy", /^(?:MEMCPY|SDMA|PCIE_DMA)_[A-Z0-9_]+$/, null],
  ["other", /^(?:(?:REDUCE|NOTIFY|EVENT|RDMA|ROCCE|STREAM|MODEL)_[A-Z0-9_]+|PLACE_HOLDER_SQE?|WRITE_(?:VALUE_SQE|BACK)|(?:CDQM|C_CORE|HOST_CPU|VQ6|TOF)_SQE)$/, null],
];

export const HOST_FUNCTIONS: readonly WorkPattern[] = [
  ["collective", /^(?:gloo:|mpi:|MPI_)/, null],
  ["launch", /^(?:cu|cuda|hip|musa)(?:Ext)?(?:Graph|Module|Cooperative)?Launch|^(?:AscendCL@)?acl(?:rtLaunch|opExecute)|ExecuteThunks|LoadedExecutable(?:::|_)Execute|tpu::System::Execute|PjitFunction|ExecutorState::Process/, null],
  ["memory", /^(?:cuda|hip|musa)(?:Malloc|Free)(?:$|[^H])|^cuMem(?:Alloc|Free|Map|Unmap|Create|Release)|^aclrt(?:Malloc|Free)|\bempty_cache\b|emptyCache|EmptyCache/, null],
  ["launch", /^(?:cu|cuda|hip|musa)\w*Synchronize|^(?:AscendCL@)?aclrtSynchronize|\baten::(?:item|_local_scalar_dense|nonzero)$|Buffer::Await|\bblock_until_ready\b|\b__array__\b|BlockHostUntil|\bsynchronize\b|(?:^|[^u]|[^c]u)MemcpyD(?:to|2)H|\bToLiteral|AwaitReady|_value_and_dtype\b/, null],
  ["input", /InfeedEnqueue|InfeedQueue\/enqueue|TransferToInfeed/, null],
  ["copy", /OutfeedDequeue|WriteHistograms|SummaryWriter|[Oo]utfeed/, null],
  ["input", /DataLoader|\b_next_data\b|utils\/data\/|torchvision\/(?:datasets|transforms|io)|^Iterator::|IteratorGetNext|TFRecord|\bnext_batch\b|\bget_next\b|\bgrain\b|ArrayRecord|^PIL\/|\b(?:read|load|get|fetch)_batch\b|webdataset|nvidia\/dali|[Ii]nput_?[Pp]ipeline|\bcollate|\bminddata\b|GetNext\b|\bQueueDequeue|prefetch_to_device|^(?:\$?\S+?[:(]\d+\)?:? )?(?:input|batch|load_data|read_data|data_loading)$/, /(?:\bdata_?(?:loader|sets?|source|iter|pipe|feed)\b|[a-z]dataset\b|\bdatasets?\/)/i],
];
