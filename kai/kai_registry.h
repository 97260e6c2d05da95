// All micro-kernels and packers of this build, and the choice of the best one.
//
//     struct kai_registry_request request = {.family = "matmul_clamp_f32_qsi8d32p_qsi4c32p", .m = 64};
//     const struct kai_ukernel* gemm = kai_registry_best(&request, NULL, NULL);
//     request.m = 1, request.same_rhs_as = gemm;
//     const struct kai_ukernel* gemv = kai_registry_best(&request, NULL, NULL);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "kai/kai_cpu.h"
#include "kai/kai_fn_types.h"
#include "kai/ukernels/matmul/kai_matmul_pack_lhs_types.h"
#include "kai/ukernels/matmul/kai_matmul_pack_rhs_types.h"
#include "kai/ukernels/matmul/kai_matmul_types.h"

KAI_BEGIN_DECLARATIONS

/// Any function. Cast it to its real type, given by `signature` and `family`, before you call it.
typedef void kai_any_fn(void);

/// How the functions of a micro-kernel are called: the types of kai_fn_types.h. KAI_UKERNEL_MATMUL, _BL and _RHS_BL:
/// the type of dst in `run` is float* instead of void* (kai_run_matmul_f32_fn, kai_run_matmul_bl_f32_fn) if dst_type is
/// kai_dt_f32 and rhs_format is quantised, that is, begins with "q".
enum kai_ukernel_signature {
    KAI_UKERNEL_MATMUL,         ///< kai_run_matmul_fn; packed offsets: kai_get_packed_offset_fn
    KAI_UKERNEL_MATMUL_BL,      ///< kai_run_matmul_bl_fn; packed offsets: kai_get_packed_offset_bl_fn
    KAI_UKERNEL_MATMUL_RHS_BL,  ///< kai_run_matmul_bl_fn; packed offsets of the LHS without bl, of the RHS with it
    KAI_UKERNEL_MATMUL_LUT,     ///< kai_run_matmul_lut_f32_fn; packed offsets: kai_get_packed_offset_fn
    KAI_UKERNEL_MATMUL_QAI8,    ///< kai_run_matmul_qai8_fn; packed offsets: kai_get_packed_offset_fn
    /// kai_run_matmul_rows_fn; the LHS is not packed, lhs_format is its element. get_lhs_packed_offset is
    /// get_lhs_offset, a kai_get_offset_fn; packed offset of the RHS: kai_get_packed_offset_fn
    KAI_UKERNEL_MATMUL_ROWS,
    KAI_UKERNEL_MATMUL_ROWS_QAI8,  ///< kai_run_matmul_qai8_fn with one row as the LHS; offsets as
                                   ///< KAI_UKERNEL_MATMUL_ROWS
    KAI_UKERNEL_IMATMUL,           ///< kai_run_imatmul_fn; packed offsets: kai_get_packed_offset_chunks_fn
    KAI_UKERNEL_IMATMUL_QAI8,      ///< kai_run_imatmul_qai8_fn; packed offsets: kai_get_packed_offset_chunks_fn
    /// kai_run_imatmul_rows_fn; offset in the table of pointers: kai_get_offset_fn; of the RHS:
    /// kai_get_packed_offset_chunks_fn
    KAI_UKERNEL_IMATMUL_ROWS,
    /// `run` is kai_<name>, of type kai_get_matmul_uker_api_fn: it returns all functions (kai_matmul.h). Offsets and
    /// sizes here are NULL; lhs_format is the element type if the LHS is not packed (mr 1).
    KAI_UKERNEL_UNIFIED,
    /// kai_dwconv_clamp_f32_f32_f32p_run_fn, kai_dwconv_clamp_f16_f16_f16p_run_fn, by dst_type: depthwise convolution.
    /// nr: channels per block; m_step: output rows per call, 0: all. Offsets and sizes are NULL.
    KAI_UKERNEL_DWCONV,
    /// kai_run_matmul_plain_fn; neither side is packed: lhs_format is the element, rhs_format "f32_kxn", "f32_nxk",
    /// "f16_kxn" or "f16_nxk". get_lhs_packed_offset is get_lhs_offset, get_rhs_packed_offset is get_rhs_offset, both a
    /// kai_get_offset_fn. mr, nr, kr and sr are 1.
    KAI_UKERNEL_MATMUL_PLAIN,
    KAI_UKERNEL_MATMUL_LOWP,  ///< kai_run_matmul_lowp_fn; offsets as KAI_UKERNEL_MATMUL_ROWS
    /// kai_run_matmul_lowp_plain_fn; as KAI_UKERNEL_MATMUL_PLAIN, with rhs_format "qau8_nxk" or "qsi8_nxk"
    KAI_UKERNEL_MATMUL_LOWP_PLAIN,
    /// kai_run_matmul_file_fn; the RHS is rows of a GGUF file, rhs_format "ggq8_0" and the like. get_rhs_packed_offset
    /// is get_rhs_offset, a kai_get_offset_fn; packed offset of the LHS: kai_get_packed_offset_fn. nr is 1; k_multiple
    /// is the length of a block, also of the LHS.
    KAI_UKERNEL_MATMUL_FILE,
    KAI_UKERNEL_UNIFIED_BL,          ///< As KAI_UKERNEL_UNIFIED; get_rhs_stride and run read config.format.bl.
    KAI_UKERNEL_MATMUL_ROWS_STATIC,  ///< kai_run_matmul_rows_static_fn; offsets as KAI_UKERNEL_MATMUL_ROWS
    KAI_UKERNEL_MATMUL_INT32,        ///< kai_run_matmul_int32_fn; offsets as KAI_UKERNEL_MATMUL_ROWS
    KAI_UKERNEL_IMATMUL_ROWS_QAI8,   ///< kai_run_imatmul_rows_qai8_fn; offsets as KAI_UKERNEL_IMATMUL_ROWS
    /// kai_run_dwconv_tiles_fn: depthwise convolution. n: channels, k: taps; nr, n_step: channels per panel of the
    /// filter; m_step: outputs of a tile (kai_registry_dwconv_tile). get_rhs_packed_offset is a
    /// kai_get_packed_offset_fn; the other offsets and sizes are NULL.
    KAI_UKERNEL_DWCONV_TILES,
    KAI_UKERNEL_DWCONV_TILES_QAI8,  ///< kai_run_dwconv_tiles_qai8_fn; the rest as KAI_UKERNEL_DWCONV_TILES
    KAI_UKERNEL_IMATMUL_ROWS_LOWP,  ///< kai_run_imatmul_rows_lowp_fn; offsets as KAI_UKERNEL_IMATMUL_ROWS
};

/// How the functions of a packer are called: kai_lhs_pack.h and kai_rhs_pack.h. KAI_LHS_PACK_BL, KAI_LHS_QUANT_PACK:
/// the type of lhs in `run` is const float* (kai_run_lhs_pack_bl_f32_fn, kai_run_lhs_quant_pack_f32_fn) if
/// source_format is "f32" and `format` begins with "q", else const void*.
enum kai_packer_signature {
    KAI_LHS_PACK_BL,       ///< kai_run_lhs_pack_bl_fn
    KAI_LHS_PACK,          ///< kai_run_lhs_pack_fn
    KAI_LHS_QUANT_PACK,    ///< kai_run_lhs_quant_pack_fn
    KAI_LHS_IMATMUL_PACK,  ///< kai_run_lhs_imatmul_pack_fn; the source has no offset: NULL
    KAI_LHS_PACK_UNIFIED,  ///< `run` is kai_<name>, of type kai_get_matmul_pack_lhs_uker_api_fn; the others are NULL
    KAI_RHS_PACK_NXK_BL,   ///< kai_run_rhs_pack_nxk_qsu4c32_fn
    KAI_RHS_PACK_NXK_BL_ZERO,            ///< kai_run_rhs_pack_nxk_qau4c32_fn
    KAI_RHS_PACK_NXK_BL_BF16,            ///< kai_run_rhs_pack_nxk_qsu4c32s1s0_fn
    KAI_RHS_PACK_KXN_BL_BF16,            ///< kai_run_rhs_pack_kxn_qsu4c32s1s0_fn
    KAI_RHS_PACK_NXK_QS4CX,              ///< kai_run_rhs_pack_qs4cx_fn, N x K source
    KAI_RHS_PACK_KXN_QS4CX,              ///< kai_run_rhs_pack_qs4cx_fn, K x N source
    KAI_RHS_PACK_NXK_QSI8CX,             ///< kai_run_rhs_pack_qsi8cx_fn, N x K source
    KAI_RHS_PACK_KXN_QSI8CX,             ///< kai_run_rhs_pack_qsi8cx_fn, K x N source
    KAI_RHS_PACK_NXK_QSU2CX,             ///< kai_run_rhs_pack_qsu2cx_fn, N x K source
    KAI_RHS_PACK_KXN,                    ///< kai_run_rhs_pack_fn, K x N source
    KAI_RHS_PACK_NXK,                    ///< kai_run_rhs_pack_fn, N x K source
    KAI_RHS_PACK_KXN_NR,                 ///< The same, K x N; offset and size: kai_get_rhs_packed_{offset,size}_nr_fn
    KAI_RHS_PACK_KXN_QS8CX_I32,          ///< kai_run_rhs_pack_qs8cx_i32_fn
    KAI_RHS_IMATMUL_PACK_KXN,            ///< kai_run_rhs_imatmul_pack_fn
    KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32,  ///< kai_run_rhs_imatmul_pack_qs8cx_i32_fn
    KAI_RHS_PACK_KXN_UNIFIED,     ///< `run` is kai_<name>, of type kai_get_matmul_pack_rhs_uker_api_fn; the others are
                                  ///< NULL
    KAI_RHS_PACK_NXK_UNIFIED,     ///< The same for an N x K source
    KAI_RHS_DWCONV_PACK,          ///< kai_run_rhs_dwconv_pack_fn; size: kai_get_rhs_dwconv_size_fn; offsets are NULL
    KAI_RHS_PACK_NXK_GGUF,        ///< kai_run_rhs_pack_nxk_gguf_fn; source_format is the type's name in kai_gguf.h
    KAI_RHS_PACK_NXK_TABLE,       ///< kai_run_rhs_pack_nxk_qlu4c32_fn
    KAI_RHS_IMATMUL_PACK_NXK,     ///< kai_run_rhs_imatmul_pack_fn, N x K source
    KAI_RHS_PACK_KXN_UNIFIED_BL,  ///< As KAI_RHS_PACK_KXN_UNIFIED, with config.format.bl and scale_nk (bf16)
    KAI_RHS_PACK_NXK_UNIFIED_BL,  ///< The same for an N x K source
    /// As KAI_RHS_PACK_NXK_UNIFIED; the source is rows of a GGUF file: source_format is the type's name in kai_gguf.h
    KAI_RHS_PACK_NXK_UNIFIED_GGUF,
    KAI_LHS_PACK_UNIFIED_MR,      ///< As KAI_LHS_PACK_UNIFIED, with config.format.mr
    KAI_RHS_PACK_KXN_UNIFIED_NR,  ///< As KAI_RHS_PACK_KXN_UNIFIED, with config.format.nr
    KAI_RHS_PACK_NXK_UNIFIED_NR,  ///< The same for an N x K source
    /// kai_run_rhs_imatmul_pack_nr_fn, N x K source; offset and size: kai_get_packed_{offset,size}_chunks_nr_fn
    KAI_RHS_IMATMUL_PACK_NXK_NR,
    KAI_RHS_PACK_NXK_F8,  ///< kai_run_rhs_pack_f8c32_fn, N x K source
    KAI_RHS_PACK_KXN_F8,  ///< kai_run_rhs_pack_f8c32_fn, K x N source
    /// kai_run_rhs_dwconv_pack_qs8cx_i32_fn; size: kai_get_rhs_dwconv_size_fn; offsets are NULL
    KAI_RHS_DWCONV_PACK_QS8CX_I32,
};

/// Which numbers of rows a micro-kernel is for. Any rectangle of the output starts at a multiple of m_step.
enum kai_ukernel_rows {
    KAI_ROWS_MANY,  ///< Any m, several rows at a time (GEMM).
    KAI_ROWS_EACH,  ///< Any m, but row by row: made for m = 1 (GEMV). m_step is 1.
    KAI_ROWS_ONE,   ///< m is 0 or 1 (GEMV). m_step is 1.
};

/// @name Types of `run` in the entries of the unified API
/// @{
typedef struct kai_matmul_uker_api kai_get_matmul_uker_api_fn(void);
typedef struct kai_matmul_pack_lhs_uker_api kai_get_matmul_pack_lhs_uker_api_fn(void);
typedef struct kai_matmul_pack_rhs_uker_api kai_get_matmul_pack_rhs_uker_api_fn(void);
/// @}

/// A micro-kernel. Its functions are kai_run_<name> and kai_get_<what>_<name>.
struct kai_ukernel {
    const char* name;
    const char* family;
    enum kai_ukernel_signature signature;
    enum kai_datatype dst_type;
    const char* lhs_format;  ///< docs/formats.md
    const char* rhs_format;
    uint64_t features;  ///< Required CPU features: bits 1 << enum kai_cpu_feature. 0: portable C++, for every host.
    enum kai_ukernel_rows rows;

    /// CPU features that the getters require: SVE or SME if sizes scale with the vector length, else 0. On a CPU
    /// without them the getters print a message and abort.
    uint64_t size_features;
    kai_get_size_fn* get_m_step;
    kai_get_size_fn* get_n_step;
    kai_get_size_fn* get_mr;
    kai_get_size_fn* get_nr;
    kai_get_size_fn* get_kr;
    kai_get_size_fn* get_sr;
    kai_any_fn* get_lhs_packed_offset;
    kai_any_fn* get_rhs_packed_offset;
    kai_get_dst_offset_fn* get_dst_offset;
    kai_get_dst_size_fn* get_dst_size;
    kai_any_fn* run;
    size_t k_multiple;  ///< k is a multiple of this; 0: any k, or with blocks of bl, a multiple of bl.
    /// Types of GGUF files that it multiplies with: bits 1 << enum kai_gguf_type_id. Their rows are packed by
    /// kai_registry_gguf_packer; KAI_UKERNEL_MATMUL_FILE: the one type that it reads in place.
    uint64_t gguf_types;
    /// Of `features`, those that only the sizes need. SME: the RHS is packed for SME, and a core without an SME unit at
    /// hand multiplies with it; the bits of C are those of the SME kernels of the family for as many rows.
    uint64_t size_only_features;
    /// kai_run_matmul_columns_fn: as `run`, for some columns of a panel of the RHS; NULL: only whole panels can be left
    /// out. They start at a multiple of column_step, a divisor of nr or a multiple of it.
    kai_run_matmul_columns_fn* run_columns;
    uint32_t column_step;
    /// Not 0: with size_only_features, the bits of C are not those of the SME kernels.
    uint32_t other_bits;
    uint64_t reserved[1];  ///< Zeros: room for members of later versions (docs/versioning.md).
};

/// Preconditions of a packer: internal to the library.
struct kai_packer_rules;

/// A packer. Its functions are kai_run_<name> and kai_get_<what>_<name>.
struct kai_packer {
    const char* name;
    enum kai_packer_signature signature;
    const char* source_format;  ///< What it reads: "f32", "qsu4c32s16s0", ... (docs/packing.md)
    const char* format;         ///< What it writes.
    uint64_t features;

    /// Whether it packs for a kernel with these mr (nr), kr and sr. False if a size scales with the vector length of an
    /// extension that this CPU lacks.
    bool (*accepts)(size_t rows, size_t kr, size_t sr);
    kai_any_fn* get_source_offset;  ///< kai_get_lhs_offset_<name> or kai_get_rhs_offset_<name>
    kai_any_fn* get_packed_offset;  ///< kai_get_lhs_packed_offset_<name> or kai_get_rhs_packed_offset_<name>
    kai_any_fn* get_packed_size;    ///< kai_get_lhs_packed_size_<name> or kai_get_rhs_packed_size_<name>
    kai_any_fn* run;
    void (*get_rules)(struct kai_packer_rules* rules);  ///< For kai_registry_check.
    /// kai_run_<name>_rows, a kai_run_lhs_pack_rows_fn: rows by a list of indices; NULL: there is none. KAI_LHS_PACK_BL
    /// and KAI_LHS_QUANT_PACK have it.
    kai_any_fn* run_rows;
};

/// @name All entries. Micro-kernels and packers that this build lacks (another architecture, an assembler without the
/// extension) have no entry. An entry does not mean that this CPU can run it: see `features`.
/// @{
size_t kai_registry_ukernel_count(void);
/// NULL past the end. All are one array; those of a family are adjacent.
const struct kai_ukernel* kai_registry_ukernel(size_t index);
/// The same micro-kernels; within a family in the order for cores of this class, the best first (kai_registry_best).
const struct kai_ukernel* kai_registry_ukernel_for(enum kai_cpu_core core, size_t index);
size_t kai_registry_packer_count(void);
const struct kai_packer* kai_registry_packer(size_t index);  ///< NULL past the end

/// By name, without the prefix `kai_run_`; NULL if there is none.
const struct kai_ukernel* kai_registry_find_ukernel(const char* name);
const struct kai_packer* kai_registry_find_packer(const char* name);

/// The tiles of a micro-kernel for depthwise convolution (KAI_UKERNEL_DWCONV_TILES).
struct kai_dwconv_tile {
    size_t filter_height, filter_width;  ///< 0: any
    size_t stride;         ///< Pixels of the input from an output to the next, in either direction; 0: any
    size_t height, width;  ///< Outputs of a tile. Filters of any size: any outputs, in any places.
    bool any_multiplier;   ///< Whether several channels of the output may read one of the input; else one does.
};
/// NULL for other micro-kernels. `ukernel` is an entry of the registry.
const struct kai_dwconv_tile* kai_registry_dwconv_tile(const struct kai_ukernel* ukernel);

/// The families of all micro-kernels.
size_t kai_registry_family_count(void);
const char* kai_registry_family(size_t index);  ///< NULL past the end
/// @}

/// Whether this CPU has all of `features`. If not, the first missing one, and why, is written to `reason` (may be
/// NULL): "CPU lacks SME2 (HWCAP2 bit 37 is not set)". A bit that is not a kai_cpu_feature counts as missing.
bool kai_registry_runnable(uint64_t features, char* reason, size_t reason_size);

/// @name Packers for a micro-kernel
/// The index-th packer that writes the LHS (RHS) of `ukernel` and that this CPU can run; NULL past the last one.
/// Indirect matmul has packers of its own. Classic micro-kernels and those of the unified API share packers; packers of
/// the kernel's own API come first. (There is none for an LHS or RHS that is not packed, and none for a micro-kernel
/// whose sizes are unknown on this CPU, see `size_features`.)
/// @{
const struct kai_packer* kai_registry_lhs_packer(const struct kai_ukernel* ukernel, size_t index);
const struct kai_packer* kai_registry_rhs_packer(const struct kai_ukernel* ukernel, size_t index);
/// @}

/// The family of indirect micro-kernels, whose LHS is found through a table of pointers, for a family of matmuls: they
/// read the same packed RHS (nr, kr and sr equal, chunks of multiples of kr) and give the same bits. NULL: there is
/// none. kai_registry_best finds its micro-kernel for one of the matmul: kai_registry_request::same_rhs_as.
const char* kai_registry_indirect_family(const char* matmul);

/// The entries of a family: first, first + 1, ... end - 1.
struct kai_registry_entries {
    const struct kai_ukernel* first;
    const struct kai_ukernel* end;
};

/// The families with micro-kernels that multiply with a type of GGUF files (kai_ukernel::gguf_types): writes at most
/// `space` of them, and returns how many there are.
size_t kai_registry_gguf_families(uint32_t type_id, struct kai_registry_entries* families, size_t space);

/// The packer that writes the RHS of `ukernel` from rows of a GGUF file, of type KAI_RHS_PACK_NXK_GGUF; NULL if there
/// is none for this type (kai_gguf.h) and this micro-kernel. These are not among those of kai_registry_rhs_packer.
/// Formats with blocks: call the micro-kernel with bl = kai_gguf_type::packed_bl.
const struct kai_packer* kai_registry_gguf_packer(const struct kai_ukernel* ukernel, uint32_t type_id);

/// What `kai_registry_best` looks for.
struct kai_registry_request {
    const char* family;                     ///< "matmul_clamp_f32_qsi8d32p_qsi4c32p", ...: kai_registry_family
    size_t m;                               ///< Rows of the output: 1 prefers a micro-kernel for one row (GEMV).
    const struct kai_ukernel* same_rhs_as;  ///< The kernel whose packed RHS is to be shared; NULL if there is none.
    uint64_t without;                       ///< CPU features that `run` must not need (sizes may); usually 0.
    enum kai_cpu_core core;                 ///< For cores of this class; KAI_CORE_AUTO: the fastest of this machine.
    uint64_t reserved[7];                   ///< Zeros: room for members of later versions (docs/versioning.md).
};

/// Called for every candidate of the family: `reason` says why it is not chosen, or "chosen". If the family does not
/// exist, it is called once, with `ukernel` NULL: "no family named X; nearest: Y". So it is if reserved room of the
/// request is not zero.
typedef void kai_registry_explain_fn(void* context, const struct kai_ukernel* ukernel, const char* reason);

/// The best micro-kernel of a family that this CPU can run; NULL if there is none, or if reserved room of the request
/// is not zero. `explain` may be NULL.
///
/// For m = 0 or 1, kernels made for one row come first (`rows` is not KAI_ROWS_MANY), for other m kernels for many
/// rows. If there is none, a kernel of the other kind is returned: for m > 1, KAI_ROWS_EACH is preferred to
/// KAI_ROWS_ONE, which must be called once per row. A portable kernel comes after all others, whatever m is. Among
/// equals, cores of a class may prefer another one than the first: `core`.
const struct kai_ukernel* kai_registry_best(
    const struct kai_registry_request* request, kai_registry_explain_fn* explain, void* context);

/// A call of a micro-kernel or of a packer. Members for which the function has no parameter are ignored.
struct kai_registry_call {
    const struct kai_ukernel* ukernel;  ///< The function: either ukernel or packer. The other is NULL.
    const struct kai_packer* packer;
    size_t m, n, k;          ///< Indirect matmul: k_chunk_count * k_chunk_length is k.
    size_t bl;               ///< Length of a block.
    size_t rows, kr, sr;     ///< Packers: mr (LHS) or nr (RHS), kr and sr, as the micro-kernel's getters return them.
    size_t m_idx_start;      ///< LHS packers.
    size_t stride;           ///< RHS packers: bytes from one row of the source to the next; 0: large enough.
    size_t scale_stride;     ///< RHS packers with bf16 scales: bytes from column to column; 0: large enough.
    bool bias, scale, zero;  ///< RHS packers: whether the operand is given (not NULL).
    const void* params;      ///< RHS packers: as `run` takes it.
    uint64_t reserved[8];    ///< Zeros, else a reason to refuse it.
};

/// Whether the function accepts a call of this shape. If not, the reason is written to `reason` (may be NULL): "k = 250
/// is not a multiple of bl = 32". With assertions, `run` aborts in this case; RHS packers do so in every build.
/// Neither clamp bounds nor whether this CPU can run the function (kai_registry_runnable) are checked.
bool kai_registry_check(const struct kai_registry_call* call, char* reason, size_t reason_size);

KAI_END_DECLARATIONS
