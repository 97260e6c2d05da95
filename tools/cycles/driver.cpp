// Calls one micro-kernel or packer of the registry once, or kai_gemm_run, on a chosen shape, so that kai_cycles.py can
// trace that call.
//
//     cycles_driver --list                 the names that `./kai.sh cycles` measures: all but portable micro-kernels
//     cycles_driver NAME [key=value ...]   NAME as in the registry
//         m n k, bl (blocks), mr nr kr sr (packers), kc (indirect matmul: length of a chunk), clamp (unified: 0 or 1)
//     cycles_driver kai_gemm_run_KIND [key=value ...]   a run of one thread, of a KIND of kGemms; B is packed before
//         m n k, bl (int4_block), type (gguf: of kai_gguf.h), sme (SME units: 0 or 1), bf16, f16 (allowed: 0 or 1),
//         core (class of cores, of kai_cpu.h)
//     cycles_driver kai_attention_run_TYPE [key=value ...]   a run of attention, one thread, of a TYPE of the cache
//         tokens, length (of the cache: the queries are its last positions), size (of a head), heads (queries of one
//         kv head), page, sme, causal, mask, slopes (0 or 1), cap (of scores; 0: none)
//     cycles_driver kai_conv_run_TYPE [key=value ...]   a convolution, one thread, of square images
//         side (of the image), c (channels), n (those of the output), groups, filter, stride, pad (on all sides), path
//         (kai_conv_path), sme
//     cycles_driver --lines                such calls, one after the other, from the lines of standard input
//
// Operands are large buffers of random bits. Packed operands are not packed: the time of a micro-kernel does not depend
// on their values, but for scales and biases of static int8 on NEON. The results are meaningless. Depthwise convolution
// is not called.
//
// SPDX-License-Identifier: Apache-2.0
//
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "kai/call.hpp"
#include "kai/gemm/kai_attention.h"
#include "kai/gemm/kai_conv.h"
#include "kai/gemm/kai_gemm.h"

namespace {

enum class Bits { f32, f16, bf16, any };

std::vector<uint8_t*> buffers;  // of this call

/// A page of random values, repeated: filling is traced, too, so it has to be short.
uint8_t* buffer(size_t bytes, Bits type) {
    static uint32_t seed = 12345;
    const auto random = [] { return seed = seed * 1664525u + 1013904223u; };
    constexpr size_t kPage = 4096;
    const size_t size = (bytes + 65536 + kPage - 1) / kPage * kPage;
    auto* const p = static_cast<uint8_t*>(std::aligned_alloc(kPage, size));
    if (p == nullptr) {
        perror("cycles_driver");
        exit(2);
    }
    buffers.push_back(p);
    for (size_t i = 0; i < kPage; i += 4) {
        uint32_t value = random();
        value ^= random() >> 16;
        if (type == Bits::f32) {
            const float x = static_cast<float>(static_cast<int32_t>(value)) * 4.6e-10f;  // about +-1
            memcpy(&value, &x, 4);
        } else {
            value = type == Bits::f16    ? (value & 0x87ff87ffu) | 0x34003400u  // +-[0.25, 1)
                    : type == Bits::bf16 ? (value & 0x807f807fu) | 0x3f003f00u  // +-[0.5, 1)
                                         : value & 0x3f3f3f3fu;                 // no NaN in any format
        }
        memcpy(p + i, &value, 4);
    }
    for (size_t at = kPage; at < size; at += kPage) {
        memcpy(p + at, p, kPage);
    }
    return p;
}

Bits bits_of(const char* format) {
    const auto has = [&](const char* part) { return kai::contains(format, part); };
    return has("p") || has("q") ? Bits::any
           : has("bf16")        ? Bits::bf16
           : has("16")          ? Bits::f16
           : has("32")          ? Bits::f32
                                : Bits::any;
}

/// A number from the command line.
struct Arguments {
    int argc;
    char** argv;

    size_t operator()(const char* key, size_t otherwise) const {
        const size_t length = strlen(key);
        for (int i = 2; i < argc; i++) {
            if (strncmp(argv[i], key, length) == 0 && argv[i][length] == '=') {
                return strtoull(argv[i] + length + 1, nullptr, 0);
            }
        }
        return otherwise;
    }
};

// What kai_perf_region calls: a micro-kernel or packer, or a function of the unified API with its arguments.
const kai_ukernel* ukernel;
const kai_packer* packer;
kai::KernelArgs kernel;
size_t chunk_length;  // where the command names it
kai::PackerArgs pack;
void (*unified)(const void*, const void*);
const void *unified_args, *unified_config;

/// Keeps a call of the unified API for later.
struct Keep {
    template <typename F, typename Config, typename Args>
    void operator()(F* function, const Config* config, const Args* args) const {
        static Args copy;
        copy = *args;
        static Config config_copy;
        if (config != nullptr) {
            config_copy = *config;
            unified_config = &config_copy;
        }
        unified = reinterpret_cast<void (*)(const void*, const void*)>(function);
        unified_args = &copy;
    }
};

/// Any call but those of the unified API, which it leaves out at compile time.
struct Call {
    template <typename F, typename... A>
    KAI_INLINE auto operator()(F* function, A... args) const {
        return function(args...);
    }
};

template <typename Entry, typename Args>
KAI_INLINE void call(const Entry& entry, const Args& args) {
    kai::with_signature(
        entry.signature, [&](auto s) __attribute__((always_inline)) {
            using Run = typename decltype(s)::Run;
            if constexpr (kai::kKind<Run> != kai::Kind::unified) {
                kai::with_type<Run>(
                    entry, [&](auto type)
                               __attribute__((always_inline)) { decltype(type)::call(entry.run, args, Call{}); });
            }
        });
}

/// Pointers to `count` chunks in `data`.
const void* table_of(const uint8_t* data, size_t count, size_t chunk_bytes) {
    auto* const table = reinterpret_cast<const uint8_t**>(buffer(count * sizeof(void*), Bits::any));
    for (size_t i = 0; i < count; i++) {
        table[i] = data + i * chunk_bytes;
    }
    return table;
}

/// Static int8 rounds in 16 bits if all its scales and biases allow it, as those of a layer do.
constexpr float kStaticScale = 0x1p-11F;
void set_static_fields(const kai_ukernel& u, uint8_t* rhs, size_t n) {
    const size_t nr = u.get_nr();
    kernel.index = nr;
    const size_t panel = kai::rhs_offset(u, kernel, Call{});
    for (size_t i = 0; i < n; i += nr, rhs += panel) {
        std::fill_n(reinterpret_cast<int32_t*>(rhs), nr, 0);
        std::fill_n(reinterpret_cast<float*>(rhs + panel) - nr, nr, kStaticScale);
    }
}

/// One scale for all channels, symmetric weights.
const kai_matmul_lowp_params* lowp_params() {
    static constexpr int32_t kMultiplier = 1 << 30, kShift = -8;
    static kai_matmul_lowp_params lowp = {};
    lowp.lhs_offset = -100, lowp.max_value = 127;
    lowp.multiplier = &kMultiplier, lowp.shift = &kShift;
    return &lowp;
}

void prepare_kernel(const kai_ukernel& u, const Arguments& arg) {
    const size_t m = arg("m", 64), n = arg("n", 64), k = arg("k", 512);
    kernel.m = m, kernel.n = n, kernel.bl = arg("bl", 32);
    kai::set_depth(kernel, k, kai::is_indirect(u) ? k / arg("kc", 4) : 1);
    chunk_length = kai::is_indirect(u) ? arg("kc", 0) : 0;
    const Bits lhs = bits_of(u.lhs_format), rhs = bits_of(u.rhs_format);
    const size_t lhs_bytes = kai::element_bits(u.lhs_format) / 8, rhs_bytes = kai::element_bits(u.rhs_format) / 8;
    kernel.lhs = buffer(m * k * 8 + 1048576, lhs);
    kernel.rhs = buffer(n * k * 8 + 1048576, rhs);
    kernel.dst = buffer(m * n * 8 + 65536, Bits::any);
    const uint8_t* const scale = buffer(n * (k / kernel.bl + 1) * 4 + 65536, Bits::f32);
    const uint8_t* const bias = buffer(n * 4 + 65536, Bits::f32);
    if (kai::takes_pointers(u)) {
        kernel.pad_ptr = kernel.lhs;
        kernel.lhs = table_of(
            static_cast<const uint8_t*>(kernel.lhs), (m + 16) * kernel.k_chunk_count,
            kernel.k_chunk_length * lhs_bytes);
    }
    kernel.lhs_stride = kai::is_unified(u) ? 0 : k * lhs_bytes;
    kernel.rhs_stride = kai::is_unified(u)                ? 0
                        : kai::file_type_of(u) != nullptr ? kai::line_size(u, n, k)
                                                          : (kai::is_kxn(u) ? n : k) * rhs_bytes;
    const kai_datatype type = u.dst_type;
    kernel.dst_stride_col = type == kai_dt_f32 || type == kai_dt_int32    ? 4
                            : type == kai_dt_int8 || type == kai_dt_uint8 ? 1
                                                                          : 2;
    kernel.dst_stride_row = n * kernel.dst_stride_col;
    kernel.clamp_min = -1e30f, kernel.clamp_max = 1e30f, kernel.clamp = arg("clamp", 1) != 0;
    static const kai_matmul_requantize32_params kRequantize = {-128, 127, 3};
    static const int32_t kLut[64] = {-2, -1, 1, 2};
    kernel.requantize = &kRequantize, kernel.lut = kLut;
    kernel.lowp = lowp_params();
    static kai_matmul_offsets offsets = {};
    offsets.lhs_offset = -100, offsets.rhs_offset = static_cast<int32_t>(arg("rhs_offset", 0));
    kernel.offsets = &offsets;
    if (u.signature == KAI_UKERNEL_MATMUL_ROWS_STATIC || u.signature == KAI_UKERNEL_IMATMUL_ROWS_QAI8) {
        set_static_fields(u, static_cast<uint8_t*>(const_cast<void*>(kernel.rhs)), n);
    }
    kernel.acc_bias_m = kernel.acc_bias_n = kernel.scale_bias_n = bias;
    kernel.acc_scale = scale;
    if (kai::is_unified(u)) {
        kai::run_unified(u, kernel, Keep{}, nullptr);
    }
}

/// The first micro-kernel that the packer packs for.
const kai_ukernel* user_of(const kai_packer& p, bool lhs) {
    for (size_t i = 0; i < kai_registry_ukernel_count(); i++) {
        const kai_ukernel* const u = kai_registry_ukernel(i);
        if (kai_registry_runnable(u->size_features, nullptr, 0) &&
            (kai::packs_for(p, *u, lhs, kai::is_unified(p) != kai::is_unified(*u)) || kai::packs_file_for(p, *u))) {
            return u;
        }
    }
    return nullptr;
}

struct Groups {
    size_t kr, sr;
};
/// Those of the micro-kernel, or, without one, the first that the packer takes.
Groups groups_of(const kai_packer& p, const kai_ukernel* u, size_t rows) {
    if (u != nullptr) {
        return {u->get_kr(), u->get_sr()};
    }
    for (const Groups& g : {Groups{8, 1}, Groups{8, 2}, Groups{4, 2}, Groups{4, 1}}) {
        if (p.accepts == nullptr || p.accepts(rows, g.kr, g.sr)) {
            return g;
        }
    }
    return {8, 1};
}

void prepare_packer(const kai_packer& p, const Arguments& arg) {
    const bool lhs = kai::is_lhs(p);
    const size_t m = arg("m", 64), n = arg("n", 64), k = arg("k", 512), kc = arg("kc", 4);
    pack = kai::packer_args();
    pack.count = lhs ? m : n, pack.bl = arg("bl", 32);
    kai::set_depth(pack, k, kai::is_indirect(p) ? k / kc : 1);
    chunk_length = kai::is_indirect(p) ? arg("kc", 0) : 0;
    const kai_ukernel* const u = user_of(p, lhs);
    pack.rows = arg(lhs ? "mr" : "nr", u == nullptr ? 4 : lhs ? u->get_mr() : u->get_nr());
    const Groups groups = groups_of(p, u, pack.rows);
    pack.kr = arg("kr", groups.kr), pack.sr = arg("sr", groups.sr);
    const size_t bits = kai::element_bits(p.source_format);
    pack.stride = kai::takes<&kai::PackerArgs::no_bias>(p) ? 0 : kai::line_size(p, n, k, pack.bl);
    uint8_t* const source = buffer(lhs ? m * k * 8 + 1048576 : 4096, lhs ? bits_of(p.source_format) : Bits::any);
    uint8_t* const rhs = buffer(lhs ? 4096 : n * k * 8 + 1048576, lhs ? Bits::any : bits_of(p.source_format));
    pack.packed = buffer((m + n + 256) * (k + 256) * 8 + 65536, Bits::any);
    const bool bf16_scales = kai::has_block_sums(p);
    pack.scale_stride = k / pack.bl * (bf16_scales ? 2 : 4);
    pack.scale = buffer(n * (k / pack.bl + 1) * 4 + 65536, bf16_scales ? Bits::bf16 : Bits::f32);
    pack.bias = lhs || kai::packs_bias(p) ? buffer(n * 4 + 65536, Bits::f32) : nullptr;
    pack.source = lhs ? source : rhs;
    if (kai::takes_pointers(p)) {
        pack.pad_ptr = source;
        pack.source = table_of(source, (m + 256) * pack.k_chunk_count, kc * bits / 8);
    }
    pack.zero = pack.scale_global = pack.k_sum_scale_global = pack.scale;
    static const int32_t kLut[64] = {-2, -1, 1, 2};
    static kai::RhsParams params;
    pack.params = kai::make_params(p, params, 1, 8, 1.0f);
    static const int8_t kTable[16] = {};
    pack.lut = kLut, pack.table = kTable;
    if (kai::is_unified(p)) {
        lhs ? kai::run_lhs_unified(p, pack, Keep{}, nullptr) : kai::run_rhs_unified(p, pack, Keep{}, nullptr);
    }
}

// ---- kai_gemm_run ----

/// Kinds of whole runs, by what follows kai_gemm_run_ in the name.
struct Gemm {
    const char* name;
    kai_gemm_kind kind;
    kai_datatype type;
    kai_datatype c_type = type;
};
constexpr Gemm kGemms[] = {
    {"kai_gemm_run_f32", KAI_GEMM_DENSE, kai_dt_f32},
    {"kai_gemm_run_f16", KAI_GEMM_DENSE, kai_dt_f16},
    {"kai_gemm_run_bf16", KAI_GEMM_DENSE, kai_dt_bf16},
    {"kai_gemm_run_f16_to_f32", KAI_GEMM_DENSE, kai_dt_f16, kai_dt_f32},
    {"kai_gemm_run_bf16_to_f32", KAI_GEMM_DENSE, kai_dt_bf16, kai_dt_f32},
    {"kai_gemm_run_int8_channel", KAI_GEMM_INT8_CHANNEL, kai_dt_f32},
    {"kai_gemm_run_int4_block", KAI_GEMM_INT4_BLOCK, kai_dt_f32},
    {"kai_gemm_run_int8_static", KAI_GEMM_INT8_STATIC, kai_dt_int8},
    {"kai_gemm_run_int8_lowp", KAI_GEMM_INT8_LOWP, kai_dt_int8},
    {"kai_gemm_run_int8_to_int32", KAI_GEMM_INT8_LOWP, kai_dt_int8, kai_dt_int32},
    {"kai_gemm_run_gguf", KAI_GEMM_GGUF, kai_dt_f32},
    {"kai_gemm_run_uint8_int8_to_int32", KAI_GEMM_INT8_LOWP, kai_dt_uint8, kai_dt_int32},
};
const Gemm* gemm;
kai_gemm_plan plan;
kai_gemm_operands operands;
kai_gemm_epilogue epilogue;
void* workspace;

void prepare_gemm(const Gemm& of, const Arguments& arg) {
    const size_t m = arg("m", 64), n = arg("n", 64), k = arg("k", 512);
    kai_gemm_problem p = kai_gemm_problem_of(m, n, k);
    p.b_kind = of.kind, p.a_type = p.b_type = of.type, p.c_type = of.c_type;
    p.allow_bf16 = arg("bf16", 0) != 0, p.allow_f16 = arg("f16", 0) != 0;
    p.b_transposed = of.kind != KAI_GEMM_INT8_STATIC, p.b_constant = arg("constant", 1) != 0;
    p.bl = of.kind == KAI_GEMM_INT4_BLOCK ? arg("bl", 32) : 0;
    p.gguf_type = static_cast<kai_gguf_type_id>(of.kind == KAI_GEMM_GGUF ? arg("type", KAI_GGUF_Q8_0) : 0);
    p.sme_units = arg("sme", 0);
    p.core = static_cast<kai_cpu_core>(arg("core", KAI_CORE_AUTO));
    p.epilogue = arg("epilogue", 0);  // with activation=NUMBER of kai_gemm_activation
    if (kai_gemm_make_plan(&p, &plan) != KAI_GEMM_OK) {
        fprintf(stderr, "%s: %s\n", of.name, plan.reason);
        exit(3);
    }
    const Bits bits = of.type == kai_dt_f16    ? Bits::f16
                      : of.type == kai_dt_bf16 ? Bits::bf16
                      : of.type == kai_dt_f32  ? Bits::f32
                                               : Bits::any;
    kai_gemm_weights weights = {};
    weights.b = buffer(n * k * 4, of.kind == KAI_GEMM_DENSE ? bits : Bits::any);
    weights.scale = buffer(n * (k / 32 + 1) * 4, of.kind == KAI_GEMM_INT4_BLOCK ? Bits::bf16 : Bits::f32);
    if (of.kind == KAI_GEMM_INT8_STATIC) {
        std::fill_n(static_cast<float*>(const_cast<void*>(weights.scale)), n, kStaticScale);
    }
    static constexpr int32_t kMultiplier = 1 << 30, kShift = -8;
    static constexpr kai_matmul_lowp_params kLowp = {
        KAI_LOWP_FIXED_POINT, -100, 0, nullptr, &kMultiplier, &kShift, false, 0, -128, 127};
    operands.lowp = of.kind == KAI_GEMM_INT8_LOWP && p.c_type == kai_dt_int8 ? &kLowp : nullptr;
    uint8_t* const packed = buffer(plan.packed_b_size, Bits::any);
    workspace = buffer(plan.workspace_size + plan.pack_workspace_size, Bits::any);
    const kai_gemm_status status = p.b_constant ? kai_gemm_pack_b(
                                                      &plan, 0, &weights, packed, plan.packed_b_size, workspace,
                                                      plan.pack_workspace_size, nullptr, nullptr)
                                                : KAI_GEMM_OK;
    operands.m = m, operands.b.data = p.b_constant ? packed : weights.b;
    if (p.epilogue != 0) {
        epilogue = kai_gemm_epilogue_of(&p);
        epilogue.activation = static_cast<kai_gemm_activation>(arg("activation", 0));
        operands.epilogue = &epilogue;
    }
    operands.a.data = buffer(m * k * 4, bits), operands.c.data = buffer(m * n * 4, Bits::any);
    if (status != KAI_GEMM_OK) {
        fprintf(stderr, "%s: %s\n", of.name, kai_gemm_status_text(status));
        exit(3);
    }
}

void report_gemm() {
    const kai_gemm_problem& p = plan.problem;
    const kai_gemm_kernel& kernel = operands.m == 1 ? plan.gemv : plan.gemm;
    printf("m=%zu,n=%zu,k=%zu", p.m, p.n, p.k);
    if (p.sme_units != 0) {
        printf(",sme=%zu", p.sme_units);
    }
    printf(" macs=%zu packed_bytes=%zu kernel=%s\n", p.m * p.n * p.k, plan.panels_size, kernel.ukernel->name);
}

// ---- kai_attention_run ----

/// Types of the cache, by what follows kai_attention_run_ in the name.
struct Attention {
    const char* name;
    kai_attention_cache cache;
    kai_datatype type;  // of queries and results
};
constexpr Attention kAttentions[] = {
    {"kai_attention_run_f32", KAI_ATTENTION_F32, kai_dt_f32},
    {"kai_attention_run_f16", KAI_ATTENTION_F16, kai_dt_f32},
    {"kai_attention_run_bf16", KAI_ATTENTION_BF16, kai_dt_f32},
    {"kai_attention_run_q8_0", KAI_ATTENTION_Q8_0, kai_dt_f32},
};
const Attention* attention;
kai_attention_plan attention_plan;
kai_attention_operands attended;

void prepare_attention(const Attention& of, const Arguments& arg) {
    const size_t tokens = arg("tokens", 1), length = arg("length", 512), size = arg("size", 64),
                 heads = arg("heads", 1);
    kai_attention_problem p = kai_attention_problem_of(heads, 1, size);
    p.cache_type = of.cache, p.tokens = tokens, p.positions = length, p.page = arg("page", 256);
    p.sme_units = arg("sme", 0), p.causal = arg("causal", 1) != 0, p.masked = arg("mask", 0) != 0;
    p.soft_cap = static_cast<float>(arg("cap", 0));
    if (kai_attention_make_plan(&p, &attention_plan) != KAI_GEMM_OK) {
        fprintf(stderr, "%s: %s\n", of.name, attention_plan.reason);
        exit(3);
    }
    // Every page is the first one: the time of a call does not depend on where they are.
    static std::vector<void*> pages;
    pages.assign((length + p.page - 1) / p.page, buffer(attention_plan.page_bytes, Bits::any));
    kai_attention_rows rows = {};
    rows.count = p.page, rows.type = of.type;
    rows.keys = buffer(p.page * size * 4, Bits::f32), rows.values = buffer(p.page * size * 4, Bits::f32);
    const kai_gemm_status status = kai_attention_append(&attention_plan, pages.data(), 0, &rows, nullptr, nullptr);
    if (status != KAI_GEMM_OK) {
        fprintf(stderr, "%s: %s\n", of.name, kai_gemm_status_text(status));
        exit(3);
    }
    static kai_attention_sequence sequence;
    sequence = {};
    sequence.tokens = tokens, sequence.position = length - tokens, sequence.length = length;
    sequence.pages = pages.data();
    sequence.q = buffer(tokens * heads * size * 4, Bits::f32),
    sequence.out = buffer(tokens * heads * size * 4, Bits::any);
    sequence.mask = p.masked ? buffer(tokens * length * 4, Bits::f32) : nullptr;
    attended.slopes = arg("slopes", 0) != 0 ? reinterpret_cast<float*>(buffer(heads * 4, Bits::f32)) : nullptr;
    attended.sequences = &sequence, attended.count = 1;
    workspace = buffer(attention_plan.workspace_size, Bits::any);
}

/// MAC of what is seen: of both products.
void report_attention() {
    const kai_attention_problem& p = attention_plan.problem;
    const kai_attention_sequence& s = *attended.sequences;
    const size_t hidden = p.causal ? s.tokens * (s.tokens - 1) / 2 : 0;
    printf(
        "tokens=%zu,length=%zu,size=%zu,heads=%zu,page=%zu macs=%zu cache_bytes=%zu\n", s.tokens, s.length, p.key_size,
        p.heads, p.page, (s.tokens * s.length - hidden) * p.heads * (p.key_size + p.value_size),
        s.length * attention_plan.page_bytes / p.page);
}

// ---- kai_conv_run ----

/// Types, by what follows kai_conv_run_ in the name.
struct Conv {
    const char* name;
    kai_gemm_kind kind;
    kai_datatype type;
};
constexpr Conv kConvs[] = {
    {"kai_conv_run_f32", KAI_GEMM_DENSE, kai_dt_f32},
    {"kai_conv_run_f16", KAI_GEMM_DENSE, kai_dt_f16},
    {"kai_conv_run_int8_static", KAI_GEMM_INT8_STATIC, kai_dt_int8},
    {"kai_conv_run_uint8_lowp", KAI_GEMM_UINT8_LOWP, kai_dt_uint8},
};
const Conv* conv;
kai_conv_plan conv_plan;
kai_conv_operands convolved;

void prepare_conv(const Conv& of, const Arguments& arg) {
    const size_t side = arg("side", 12), filter = arg("filter", 3), n = arg("n", 64);
    kai_conv_problem p = kai_conv_problem_of(side, side, arg("c", 64), n, filter, filter);
    p.kind = of.kind, p.in_type = p.out_type = p.weight_type = of.type, p.layout = KAI_CONV_HWIO;
    p.groups = arg("groups", 1), p.stride_height = p.stride_width = arg("stride", 1), p.sme_units = arg("sme", 0);
    p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = arg("pad", 0);
    p.path = static_cast<kai_conv_path>(arg("path", KAI_CONV_ANY)), p.allow_f16 = arg("f16", 0) != 0;
    if (kai_conv_make_plan(&p, &conv_plan) != KAI_GEMM_OK) {
        fprintf(stderr, "%s: %s\n", of.name, conv_plan.reason);
        exit(3);
    }
    const Bits bits = of.type == kai_dt_f32 ? Bits::f32 : of.type == kai_dt_f16 ? Bits::f16 : Bits::any;
    kai_gemm_weights weights = {};
    weights.b = buffer(n * p.in_channels / p.groups * filter * filter * 4, bits);
    if (of.kind == KAI_GEMM_INT8_STATIC) {
        weights.scale = buffer(n * sizeof(float), Bits::f32);
        std::fill_n(static_cast<float*>(const_cast<void*>(weights.scale)), n, kStaticScale);
    } else if (of.kind == KAI_GEMM_UINT8_LOWP) {
        convolved.lowp = lowp_params();
    }
    uint8_t* const packed = buffer(conv_plan.packed_size, Bits::any);
    workspace = buffer(conv_plan.workspace_size + conv_plan.pack_workspace_size, Bits::any);
    kai_conv_pack(&conv_plan, &weights, packed, conv_plan.packed_size, workspace, conv_plan.pack_workspace_size);
    convolved.in = buffer(side * side * p.in_channels * 4, bits), convolved.packed = packed;
    convolved.out = buffer(conv_plan.out_height * conv_plan.out_width * n * 4, Bits::any);
}

/// MAC of the direct form.
void report_conv() {
    const kai_conv_problem& p = conv_plan.problem;
    const size_t pixels = conv_plan.out_height * conv_plan.out_width, taps = p.kernel_height * p.kernel_width;
    const kai_ukernel* u = conv_plan.ukernel != nullptr ? conv_plan.ukernel : conv_plan.gemm.gemm.ukernel;
    printf(
        "side=%zu,c=%zu,n=%zu,groups=%zu,filter=%zu,stride=%zu macs=%zu packed_bytes=%zu kernel=%s\n", p.height,
        p.in_channels, p.out_channels, p.groups, p.kernel_height, p.stride_height,
        pixels * p.out_channels * p.in_channels / p.groups * taps, conv_plan.packed_size, u->name);
}

// ---- depthwise convolution by tiles ----

struct Dwconv {
    size_t side, n, multiplier, taps, tiles;  // an output of side x side pixels
    std::vector<const void*> src;
    std::vector<void*> dst;
    const uint8_t *pad, *rhs;
};
Dwconv dwconv;

/// An image without padding; outputs beyond its end are computed, too. All pixels are adjacent.
void prepare_dwconv(const kai_ukernel& u, const Arguments& arg) {
    const kai_dwconv_tile& tile = *kai_registry_dwconv_tile(&u);
    const bool any = tile.filter_width == 0;
    const size_t filter = any ? arg("filter", 3) : tile.filter_width, stride = any ? arg("stride", 1) : tile.stride;
    const size_t side = arg("side", 28), n = arg("n", 64), taps = filter * filter, multiplier = arg("multiplier", 1);
    const size_t outputs = tile.height * tile.width, pixel = n * kai_get_datatype_size_in_bytes(u.dst_type);
    const size_t width = (side + tile.width) * stride + filter, rows = (side + tile.height) * stride + filter;
    const Bits bits = u.dst_type == kai_dt_f16 ? Bits::f16 : u.dst_type == kai_dt_f32 ? Bits::f32 : Bits::any;
    const uint8_t* const image = buffer(rows * width * pixel, bits);
    uint8_t* const result = buffer(side * side * pixel, Bits::any);
    dwconv = {side, n, multiplier, taps, 0, {}, {}, buffer(pixel, bits), buffer((n + 16) * (taps + 1) * 16, bits)};
    for (size_t y = 0; y < side; y += tile.height) {
        for (size_t x = 0; x < side; x += tile.width, ++dwconv.tiles) {
            const size_t columns = any ? outputs : (tile.width - 1) * stride + filter;
            const size_t lines = any ? taps : (tile.height - 1) * stride + filter;
            for (size_t i = 0; i < lines * columns; ++i) {
                const size_t tap = i / columns, column = i % columns;
                const size_t row = y * stride + (any ? tap / filter : tap);
                dwconv.src.push_back(
                    image + (row * width + x * stride + (any ? column * stride + tap % filter : column)) * pixel);
            }
            for (size_t i = 0; i < outputs; ++i) {
                const size_t row = y + i / tile.width, column = x + i % tile.width;
                const bool wanted = row < side && column < side;
                dwconv.dst.push_back(result + (wanted ? row * side + column : y * side + x) * pixel);
            }
        }
    }
}

void call_dwconv(const kai_ukernel& u) {
    const size_t none = 0;
    if (u.signature == KAI_UKERNEL_DWCONV_TILES_QAI8) {
        static constexpr kai_matmul_requantize32_params kTo = {-128, 127, 3};
        return kai::as<kai_run_dwconv_tiles_qai8_fn>(u.run)(
            dwconv.tiles, dwconv.n, dwconv.taps, dwconv.multiplier, dwconv.src.data(), dwconv.pad, none, dwconv.rhs,
            dwconv.dst.data(), none, &kTo);
    }
    kai::as<kai_run_dwconv_tiles_fn>(u.run)(
        dwconv.tiles, dwconv.n, dwconv.taps, dwconv.multiplier, dwconv.src.data(), dwconv.pad, none, dwconv.rhs,
        dwconv.dst.data(), none, -1.0F, 1.0F);
}

void report_dwconv() {
    const Dwconv& d = dwconv;
    printf(
        "side=%zu,n=%zu,taps=%zu macs=%zu packed_bytes=%zu\n", d.side, d.n, d.taps, d.side * d.side * d.n * d.taps,
        d.n * (d.taps + 1));
}

bool has_tiles(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_DWCONV_TILES || u.signature == KAI_UKERNEL_DWCONV_TILES_QAI8;
}

void report_kernel(const kai_ukernel& u) {
    const size_t m = kernel.m, n = kernel.n, k = kernel.k;
    const auto all_of = [](size_t count, size_t step) { return step != 0 ? (count + step - 1) / step * step : count; };
    size_t lhs = 0, rhs = 0;
    if (kai::is_unified(u)) {
        const kai_matmul_uker_api api = kai::api_of(u);
        const auto config = kai::config_of(u, kernel);
        lhs = kai::lhs_stride(api, config.pointer(), kernel).m, rhs = kai::rhs_stride(api, config.pointer(), kernel).n;
    } else if (!kai::is_indirect(u)) {
        kernel.index = all_of(m, u.get_m_step());
        lhs = kai::lhs_is_packed(u) ? kai::lhs_offset(u, kernel, Call{}) : m * kernel.lhs_stride;
        kernel.index = all_of(n, u.get_n_step());
        rhs = kai::rhs_is_packed(u) ? kai::rhs_offset(u, kernel, Call{})
              : kai::is_kxn(u)      ? k * kai::line_size(u, n, k)
                                    : n * kai::line_size(u, n, k);
    }
    printf("m=%zu,n=%zu,k=%zu", m, n, k);
    if (kai::has_blocks(u)) {
        printf(",bl=%zu", kernel.bl);
    }
    if (chunk_length != 0) {
        printf(",kc=%zu", chunk_length);
    }
    printf(" macs=%zu packed_bytes=%zu lhs_bytes=%zu rhs_bytes=%zu\n", m * n * k, lhs + rhs, lhs, rhs);
}

void report_packer(const kai_packer& p) {
    printf("%s=%zu,k=%zu,", kai::is_lhs(p) ? "m" : "n", pack.count, pack.k);
    printf("%s=%zu,kr=%zu,sr=%zu", kai::is_lhs(p) ? "mr" : "nr", pack.rows, pack.kr, pack.sr);
    if (chunk_length != 0) {
        printf(",kc=%zu", chunk_length);
    }
    printf(" elements=%zu\n", pack.count * pack.k);
}

}  // namespace

/// kai_cycles.py measures the first call in here.
extern "C" __attribute__((noinline)) void kai_perf_region() {
    if (conv != nullptr) {
        kai_conv_run(&conv_plan, &convolved, workspace, conv_plan.workspace_size, nullptr, nullptr);
    } else if (attention != nullptr) {
        kai_attention_run(&attention_plan, &attended, workspace, attention_plan.workspace_size, nullptr, nullptr);
    } else if (gemm != nullptr) {
        kai_gemm_run(&plan, &operands, workspace, plan.workspace_size, nullptr, nullptr);
    } else if (unified != nullptr) {
        unified(unified_config, unified_args);
    } else if (ukernel != nullptr && has_tiles(*ukernel)) {
        call_dwconv(*ukernel);
    } else if (ukernel != nullptr) {
        call(*ukernel, kernel);
    } else {
        call(*packer, pack);
    }
    __asm__ volatile("" ::: "memory");  // keeps the calls from becoming jumps
}

namespace {

void list() {
    for (size_t i = 0; i < kai_registry_ukernel_count(); i++) {
        const kai_ukernel& u = *kai_registry_ukernel(i);
        if (u.features != 0 && (!kai::is_depthwise(u) || has_tiles(u))) {
            puts(u.name);
        }
    }
    for (size_t i = 0; i < kai_registry_packer_count(); i++) {
        if (!kai::is_depthwise(*kai_registry_packer(i))) {
            puts(kai_registry_packer(i)->name);
        }
    }
    for (const Gemm& each : kGemms) {
        puts(each.name);
    }
    for (const Attention& each : kAttentions) {
        puts(each.name);
    }
    for (const Conv& each : kConvs) {
        puts(each.name);
    }
}

/// What main does with these arguments.
int call_named(int argc, char** argv) {
    // What the CPU has is found out once in a program, not by every call or plan.
    kai_cpu_features();
    kai_cpu_fastest_core();
    const Arguments arg = {argc, argv};
    for (const Gemm& each : kGemms) {
        gemm = strcmp(argv[1], each.name) == 0 ? &each : gemm;
    }
    for (const Attention& each : kAttentions) {
        attention = strcmp(argv[1], each.name) == 0 ? &each : attention;
    }
    for (const Conv& each : kConvs) {
        conv = strcmp(argv[1], each.name) == 0 ? &each : conv;
    }
    if (conv != nullptr) {
        prepare_conv(*conv, arg);
        kai_perf_region();
        printf("perf: name=%s shape=", argv[1]);
        report_conv();
        return 0;
    }
    if (attention != nullptr) {
        prepare_attention(*attention, arg);
        kai_perf_region();
        printf("perf: name=%s shape=", argv[1]);
        report_attention();
        return 0;
    }
    if (gemm != nullptr) {
        prepare_gemm(*gemm, arg);
        kai_perf_region();
        printf("perf: name=%s shape=", argv[1]);
        report_gemm();
        return 0;
    }
    ukernel = kai_registry_find_ukernel(argv[1]);
    packer = ukernel == nullptr ? kai_registry_find_packer(argv[1]) : nullptr;
    if (ukernel != nullptr ? kai::is_depthwise(*ukernel) && !has_tiles(*ukernel)
                           : packer == nullptr || kai::is_depthwise(*packer)) {
        fprintf(stderr, "%s: not in this library, or depthwise convolution of images\n", argv[1]);
        return 3;
    }
    if (ukernel != nullptr && has_tiles(*ukernel)) {
        prepare_dwconv(*ukernel, arg);
    } else if (ukernel != nullptr) {
        prepare_kernel(*ukernel, arg);
    } else {
        prepare_packer(*packer, arg);
    }
    kai_perf_region();
    printf("perf: name=%s shape=", argv[1]);
    if (ukernel != nullptr && has_tiles(*ukernel)) {
        report_dwconv();
    } else if (ukernel != nullptr) {
        report_kernel(*ukernel);
    } else {
        report_packer(*packer);
    }
    return 0;
}

/// Calls what each line says, as if it were the only one.
int call_lines() {
    char line[1024];
    int failed = 0;
    while (failed == 0 && fgets(line, sizeof(line), stdin) != nullptr) {
        char name[] = "cycles_driver";
        std::vector<char*> words = {name};
        for (char* word = strtok(line, " \n"); word != nullptr; word = strtok(nullptr, " \n")) {
            words.push_back(word);
        }
        if (words.size() > 1) {
            ukernel = nullptr, packer = nullptr, kernel = {}, chunk_length = 0, pack = {}, gemm = nullptr;
            attention = nullptr, conv = nullptr;
            unified = nullptr, unified_args = unified_config = nullptr;
            failed = call_named(static_cast<int>(words.size()), words.data());
            fflush(stdout);
            for (uint8_t* p : buffers) {
                std::free(p);
            }
            buffers.clear();
        }
    }
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    return strcmp(argv[1], "--lines") == 0 ? call_lines() : call_named(argc, argv);
}
