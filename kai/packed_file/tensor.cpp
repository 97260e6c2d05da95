// Descriptions of packed weights: for which micro-kernels, how large, and whether this CPU can use them.
//
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "kai/call.hpp"
#include "kai/engines/core/sentences.hpp"
#include "kai/packed_file/tensor.hpp"
#include "kai/ukernels/families.h"

namespace kai_gemm_tensors {
namespace {

/// @name The catalogue of all micro-kernels, whatever this build contains
/// @{
enum class Vectors : uint8_t { none, sme, sve };

/// A width of panels as the catalogue has it: a number, VL(n) or SVE(n).
struct Width {
    size_t number;  // columns, or words of 32 bits per vector
    Vectors vectors;

    constexpr Width(size_t n, Vectors v = Vectors::none) : number(n), vectors(v) {
    }
    /// With vectors of `bytes`.
    constexpr size_t columns(size_t bytes) const {
        return vectors == Vectors::none ? number : number * (bytes / 4);
    }
};
constexpr Width VL(size_t n) {
    return {n, Vectors::sme};
}
constexpr Width SVE(size_t n) {
    return {n, Vectors::sve};
}

struct Line {
    const char *name, *lhs, *format;
    Width mr, nr;
    size_t kr, sr;
    const char* isa;  // its title
    uint64_t features;
};

#define KAI_HAS(FEATURE) (uint64_t{1} << KAI_CPU_##FEATURE)
#define KAI_ISA(ISA, TITLE, FEATURES, ...)                       \
    [[maybe_unused]] constexpr const char title_##ISA[] = TITLE; \
    [[maybe_unused]] constexpr uint64_t features_##ISA = FEATURES;
#include "kai/isas.def"
#undef KAI_HAS

/// What the layer takes of the unified API: what multiplies rows of qai8dxp, and static 2 bits.
constexpr bool takes_unified(const char* lhs, const char* rhs) {
    return kai::contains(lhs, "qai8dxp") || kai::contains(rhs, "qsu2cxpbi32sf32");
}
/// Lines that it does not take get an empty name and a width that no tensor has.
constexpr Line unified(const Line& line) {
    return takes_unified(line.lhs, line.format) ? line : Line{"", "", "", 0, SIZE_MAX, 0, 0, "", 0};
}

constexpr Line kLines[] = {
#define KAI_UKERNEL(ISA, NAME, LHS, RHS, MR, NR, KR, SR, ...) \
    {#NAME, #LHS, #RHS, MR, NR, KR, SR, title_##ISA, features_##ISA},
#define KAI_UKERNEL_ROWS(ISA, NAME, LHS, RHS, NR, KR, SR, ...) \
    {#NAME, #LHS, #RHS, 1, NR, KR, SR, title_##ISA, features_##ISA},
#define KAI_UNIFIED(ISA, NAME, LHS, RHS, MR, NR, KR, SR, ...) \
    unified({#NAME, #LHS, #RHS, MR, NR, KR, SR, title_##ISA, features_##ISA}),
#include "kai/ukernels/families.def"
};
/// @}

bool reads(const kai_ukernel& u, const kai_gemm_format& f) {
    const bool others = kai::is_unified(u) && !takes_unified(u.lhs_format, u.rhs_format);
    return strcmp(u.rhs_format, f.name) == 0 && !others && !kai::is_indirect(u) && !kai::is_depthwise(u) &&
           u.get_nr() == f.nr && u.get_kr() == f.kr && u.get_sr() == f.sr;
}

/// Writes why the micro-kernel of a line, which reads the tensor, cannot run.
void explain(const Line& line, const kai_gemm_tensor& t, char* reason, size_t size) {
    char lacks[160];
    if (kai_registry_runnable(line.features, lacks, sizeof(lacks))) {
        const size_t bytes = line.nr.vectors == Vectors::sve ? kai_cpu_sve_bytes() : kai_cpu_sme_bytes();
        if (line.nr.vectors == Vectors::none || bytes == t.vector_length) {
            snprintf(lacks, sizeof(lacks), "this build has no such micro-kernel");
        } else {
            snprintf(lacks, sizeof(lacks), "this CPU has vectors of %zu bits", 8 * bytes);
        }
    }
    if (line.nr.vectors == Vectors::none) {
        snprintf(reason, size, "packed for %s: %s", line.isa, lacks);
    } else {
        snprintf(reason, size, "packed for %s with vectors of %zu bits: %s", line.isa, 8 * t.vector_length, lacks);
    }
}

/// The name of a format that rows of GGUF files are packed to; NULL: it is none.
const char* gguf_format(const char* name) {
    for (size_t i = 0; const kai_packer* p = kai_registry_packer(i); ++i) {
        if (kai::is_file(*p) && strcmp(p->format, name) == 0) {
            return p->format;
        }
    }
    return nullptr;
}

bool is_vector_length(size_t bits) {
    return bits >= 128 && bits <= 2048 && (bits & (bits - 1)) == 0;
}

/// Whether a plan for rows of a GGUF file prefers a line to `other`, which precedes it in the catalogue: SME
/// kernels (portable ones last), then formats of fewer bytes, then kernels for many rows.
bool comes_first(const Line& line, size_t bytes, const Line& other, size_t other_bytes) {
    constexpr uint64_t kSme = uint64_t{1} << KAI_CPU_SME;
    const bool sme = (line.features & kSme) != 0, other_sme = (other.features & kSme) != 0;
    const bool portable = line.features == 0, other_portable = other.features == 0;
    const auto many = [](const Line& l) { return l.mr.vectors != Vectors::none || l.mr.number > 1; };
    return portable != other_portable  ? other_portable
           : sme != other_sme          ? sme
           : bytes != other_bytes      ? bytes < other_bytes
           : many(line) != many(other) ? many(line)
                                       : false;
}

/// Bytes of the panels of a matrix that is packed from rows of a GGUF file, or from indices of a table.
kai_gemm_file_status measure_rows(const kai_gemm_tensor& t, Size& panels) {
    constexpr size_t kMax = 1U << 16;
    const kai_gemm_format& f = t.format;
    const bool sane = f.nr != 0 && f.nr <= kMax && f.kr != 0 && f.kr <= kMax && f.sr != 0 && t.vector_length <= kMax;
    const kai_packer* packer = sane ? find_row_packer(t) : nullptr;
    if (!sane) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    if (packer == nullptr) {
        return KAI_GEMM_FILE_UNKNOWN_FORMAT;
    }
    kai_registry_call call = {};
    call.packer = packer;
    call.n = t.n, call.k = t.k, call.bl = t.bl;
    call.rows = f.nr, call.kr = f.kr, call.sr = f.sr;
    const bool table = t.kind == KAI_GEMM_INT4_TABLE;
    const size_t bl = table ? 32 : 0, block = table ? bl : kai_gguf_find_type(t.gguf_type)->block_weights;
    if (t.n == 0 || t.k == 0 || t.count == 0 || t.bl != bl || t.type != kai_dt_unknown || t.k % block != 0 ||
        !kai_registry_check(&call, nullptr, 0)) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    // More than any format takes: packers do not check.
    constexpr size_t kBytesPerWeight = 8;
    if (((Size{t.n} + Size{f.nr}) * (Size{t.k} + Size{64}) * Size{kBytesPerWeight}).overflow) {
        return KAI_GEMM_FILE_OVERFLOW;
    }
    kai::PackerArgs a = kai::packer_args();
    a.count = t.n, a.k = t.k, a.rows = call.rows, a.kr = call.kr, a.sr = call.sr;
    panels = Size{kai::packed_size(*packer, a, kai::Direct{})};
    return KAI_GEMM_FILE_OK;
}

/// Whether it is rows of a GGUF file that became floats while they were packed: plans do that with types that no packer
/// takes.
bool is_dequantised(const kai_gemm_tensor& t, const PackedFormat& f) {
    const kai_gguf_type* type = t.kind == KAI_GEMM_GGUF ? kai_gguf_find_type(t.gguf_type) : nullptr;
    return type != nullptr && f.kind == KAI_GEMM_DENSE && type->block_weights != 1 && t.k % type->block_weights == 0;
}

/// Whether the description of a tensor of a known format agrees with itself.
bool is_valid(const kai_gemm_tensor& t, const kai::Format& layout) {
    constexpr size_t kMax = 1U << 16;
    const kai_gemm_format& f = t.format;
    const size_t least_kr = layout.group == kai::Format::half_kr ? 2 : 1;
    const bool is_float = t.type == kai_dt_f32 || t.type == kai_dt_f16 || t.type == kai_dt_bf16;
    bool valid = t.n != 0 && t.k != 0 && t.count != 0 && t.vector_length <= kMax;
    valid = valid && f.nr != 0 && f.nr <= kMax && f.kr >= least_kr && f.kr <= kMax && f.sr != 0 && f.kr % f.sr == 0;
    valid = valid && (t.kind == KAI_GEMM_DENSE ? is_float : t.type == kai_dt_unknown);
    valid = valid && (has_blocks(t.kind) ? t.bl != 0 && t.bl % 32 == 0 && t.k % t.bl == 0 : t.bl == 0);
    if (t.kind == KAI_GEMM_INT2_CHANNEL) {
        valid = valid && t.k % 32 == 0;
        for (const int32_t weight : t.lut) {
            valid = valid && weight >= INT8_MIN && weight <= INT8_MAX;
        }
    }
    return valid;
}

/// Bytes of the panels of a matrix.
Size panels_size(const kai_gemm_tensor& t, const kai::Format& layout) {
    const kai_gemm_format& tile = t.format;
    Size column = {layout.panel_head + layout.panel_tail};
    if (has_blocks(t.kind)) {
        const size_t fields = layout.block_head + layout.block_tail;
        column = column + Size{t.k / t.bl} * (Size{t.bl / 8} * Size{layout.bits} + Size{fields});
    } else {
        const size_t multiple =
            layout.k_multiple != 0 ? layout.k_multiple : layout.group_size({tile.nr, tile.kr, tile.sr});
        const Size k = Size{t.k}.rounded_up(multiple);
        column =
            column + (layout.bits < 8 ? Size{k.value / 8, k.overflow} * Size{layout.bits} : k * Size{layout.bits / 8});
    }
    return Size{t.n / tile.nr + (t.n % tile.nr != 0)} * Size{tile.nr} * column;
}

}  // namespace
}  // namespace kai_gemm_tensors

using namespace kai_gemm_tensors;

extern "C" {

kai_gemm_file_status kai_gemm_tensor_for(const char* kernel, size_t vector_bits, kai_gemm_tensor* tensor) {
    if (kernel == nullptr || tensor == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    for (const Line& line : kLines) {
        if (strcmp(line.name, kernel) != 0) {
            continue;
        }
        const PackedFormat* f = find_format(line.format);
        const char* format = f != nullptr ? f->layout->name : gguf_format(line.format);
        if (format == nullptr) {
            continue;
        }
        size_t length = 0;
        if (line.nr.vectors != Vectors::none) {
            if (!is_vector_length(vector_bits)) {
                return KAI_GEMM_FILE_BAD_VECTOR;
            }
            length = vector_bits / 8;
        }
        tensor->kind = f != nullptr ? f->kind : KAI_GEMM_GGUF;
        tensor->type = f != nullptr ? f->type : kai_dt_unknown;
        tensor->format = {format, line.nr.columns(length), line.kr, line.sr};
        tensor->vector_length = length;
        if (tensor->kind == KAI_GEMM_INT2_CHANNEL) {
            memcpy(tensor->lut, kai::kDefaultTable, sizeof(tensor->lut));
        }
        return KAI_GEMM_FILE_OK;
    }
    return KAI_GEMM_FILE_UNKNOWN_KERNEL;
}

kai_gemm_file_status kai_gemm_tensor_for_gguf(
    kai_gguf_type_id type, uint64_t features, size_t vector_bits, kai_gemm_tensor* tensor, const char** kernel) {
    if (tensor == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const Line* best = nullptr;
    size_t best_bytes = 0;
    kai_gemm_tensor found = {};
    for (const Line& line : kLines) {
        if ((line.features & ~features) != 0 || line.lhs[0] != 'q' || line.nr.vectors == Vectors::sve ||
            strncmp(line.name, "matmul_clamp_f32_", 17) != 0) {
            continue;
        }
        const bool by_vector = line.nr.vectors != Vectors::none;
        if (by_vector && (line.features & uint64_t{1} << KAI_CPU_SME) == 0) {
            continue;  // NEON beside SME: without SME, NEON has panels of its own
        }
        kai_gemm_tensor t = *tensor;
        t.kind = KAI_GEMM_GGUF, t.type = kai_dt_unknown, t.gguf_type = type, t.bl = 0;
        t.vector_length = by_vector ? vector_bits / 8 : 0;
        t.format = {line.format, line.nr.columns(t.vector_length), line.kr, line.sr};
        if (by_vector && !is_vector_length(vector_bits)) {
            if (gguf_format(line.format) != nullptr) {
                return KAI_GEMM_FILE_BAD_VECTOR;
            }
            continue;
        }
        const kai_packer* packer = find_row_packer(t);
        if (packer == nullptr) {
            continue;
        }
        kai::PackerArgs a = kai::packer_args();
        a.k = 256, a.rows = a.count = t.format.nr, a.kr = line.kr, a.sr = line.sr;
        const size_t bytes = kai::packed_size(*packer, a, kai::Direct{}) / a.rows;
        if (best == nullptr || comes_first(line, bytes, *best, best_bytes)) {
            t.format.name = packer->format;
            best = &line, best_bytes = bytes, found = t;
        }
    }
    if (best == nullptr) {
        return KAI_GEMM_FILE_NO_PACKER;
    }
    *tensor = found;
    if (kernel != nullptr) {
        *kernel = best->name;
    }
    return KAI_GEMM_FILE_OK;
}

kai_gemm_file_status kai_gemm_tensor_for_dense(
    kai_datatype element, uint64_t features, size_t vector_bits, kai_gemm_tensor* tensor, const char** kernel) {
    if (tensor == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const kai_datatype type = element == kai_dt_f16 ? kai_dt_f16 : kai_dt_f32;
    const Line* best = nullptr;
    for (const Line& line : kLines) {
        const PackedFormat* f = find_format(line.format);
        const bool wanted = f != nullptr && f->kind == KAI_GEMM_DENSE && f->element == element && f->type == type;
        if (wanted && (line.features & ~features) == 0 && line.nr.vectors != Vectors::sve &&
            (best == nullptr || comes_first(line, 0, *best, 0))) {
            best = &line;
        }
    }
    if (best == nullptr) {
        return KAI_GEMM_FILE_NO_PACKER;
    }
    kai_gemm_tensor found = *tensor;
    const kai_gemm_file_status status = kai_gemm_tensor_for(best->name, vector_bits, &found);
    if (status == KAI_GEMM_FILE_OK) {
        found.type = element;
        *tensor = found;
    }
    if (status == KAI_GEMM_FILE_OK && kernel != nullptr) {
        *kernel = best->name;
    }
    return status;
}

kai_gemm_file_status kai_gemm_tensor_measure(kai_gemm_tensor* tensor) {
    if (tensor == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const kai_gemm_tensor& t = *tensor;
    if (kai::bits_of(t.reserved) != 0) {
        return KAI_GEMM_FILE_RESERVED;
    }
    const kai_gemm_format& tile = t.format;
    const PackedFormat* f = find_format(tile.name);
    Size panels = {0};
    bool apart = t.bias;
    const bool rows = t.kind == KAI_GEMM_GGUF || t.kind == KAI_GEMM_INT4_TABLE;
    if (tile.name != nullptr && rows && (f == nullptr || f->kind != KAI_GEMM_DENSE)) {
        const kai_gemm_file_status status = measure_rows(t, panels);
        if (status != KAI_GEMM_FILE_OK) {
            return status;
        }
    } else if (f == nullptr) {
        return KAI_GEMM_FILE_UNKNOWN_FORMAT;
    } else if ((t.kind != f->kind && !is_dequantised(t, *f)) || !is_valid(t, *f->layout)) {
        return KAI_GEMM_FILE_BAD_VALUE;
    } else {
        panels = panels_size(t, *f->layout);
        apart = t.bias && (t.bias_apart || !f->bias);
    }
    const Size matrix = apart ? panels.rounded_up(KAI_GEMM_FILE_ALIGNMENT) + Size{t.n} * Size{sizeof(float)} : panels;
    const bool tagged = !t.untagged;
    const Size stride = matrix.rounded_up(KAI_GEMM_FILE_ALIGNMENT) + Size{tagged ? sizeof(kai::gemm::Tag) : 0};
    const Size size = tagged ? stride * Size{t.count} : stride * Size{t.count - 1} + matrix;
    if (size.overflow || stride.overflow) {
        return KAI_GEMM_FILE_OVERFLOW;
    }
    tensor->bias_apart = apart;
    tensor->panels_size = panels.value;
    tensor->stride = stride.value;
    tensor->size = size.value;
    return KAI_GEMM_FILE_OK;
}

kai_gemm_file_status kai_gemm_tensor_usable(const kai_gemm_tensor* tensor, char* reason, size_t reason_size) {
    char ignored[1];
    if (reason == nullptr || reason_size == 0) {
        reason = ignored, reason_size = sizeof(ignored);
    }
    if (tensor == nullptr || tensor->format.name == nullptr) {
        snprintf(reason, reason_size, "no tensor");
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const kai_gemm_tensor& t = *tensor;
    if (kai::bits_of(t.reserved) != 0) {
        kai::write(reason, reason_size, kai::violation(kai::say::reserved, "tensor"));
        return KAI_GEMM_FILE_RESERVED;
    }
    for (size_t i = 0; i < kai_registry_ukernel_count(); ++i) {
        const kai_ukernel& u = *kai_registry_ukernel(i);
        if (kai_registry_runnable(u.features, nullptr, 0) && reads(u, t.format)) {
            snprintf(reason, reason_size, "read by %s", u.name);
            return KAI_GEMM_FILE_OK;
        }
    }
    for (const Line& line : kLines) {
        const kai_gemm_format& f = t.format;
        if (strcmp(line.format, f.name) == 0 && line.nr.columns(t.vector_length) == f.nr && line.kr == f.kr &&
            line.sr == f.sr) {
            explain(line, t, reason, reason_size);
            return KAI_GEMM_FILE_CPU_LACKS;
        }
    }
    snprintf(
        reason, reason_size, "no micro-kernel of this library reads %.31s with nr %zu, kr %zu, sr %zu", t.format.name,
        t.format.nr, t.format.kr, t.format.sr);
    return KAI_GEMM_FILE_UNKNOWN_FORMAT;
}

void kai_gemm_tensor_describe(const kai_gemm_tensor* tensor, kai_gemm_problem* problem) {
    const PackedFormat* f = find_format(tensor->format.name);
    problem->n = tensor->n;
    problem->k = tensor->k;
    problem->b_kind = tensor->kind;
    problem->b_constant = true;
    problem->b_transposed = tensor->kind != KAI_GEMM_DENSE && tensor->kind != KAI_GEMM_INT8_STATIC;
    problem->bl = tensor->bl;
    problem->gguf_type = tensor->gguf_type;
    problem->bias = tensor->bias;
    problem->format = &tensor->format, problem->untagged = tensor->untagged;
    problem->b_per_matrix = tensor->count > 1;
    if (tensor->count > 1) {
        problem->batch = tensor->count;
    }
    if (tensor->kind == KAI_GEMM_DENSE) {
        problem->b_type = tensor->type;
    }
    if (f != nullptr && f->kind == KAI_GEMM_DENSE) {
        problem->allow_bf16 |= f->element == kai_dt_bf16;
        problem->allow_f16 |= f->element == kai_dt_f16;  // all that reads it writes f16
    }
    if (is_static(tensor->kind)) {
        problem->a_zero_point = tensor->a_zero_point;
        problem->multiplier = tensor->multiplier;
    }
    problem->a_type = problem->c_type = is_static(tensor->kind)                      ? kai_dt_int8
                                        : f != nullptr && f->bias_type == kai_dt_f16 ? kai_dt_f16
                                                                                     : kai_dt_f32;
    // What this library does not know of the tensor, a plan must not pass over.
    problem->reserved[0] |= kai::bits_of(tensor->reserved);
}

}  // extern "C"
