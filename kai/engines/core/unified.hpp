// The matmul part of the unified API: from a description of a micro-kernel to the table of functions that its creation
// function returns.
//
//     KAI_DEFINE_MATMUL_API(
//         matmul_clamp_f32_f32p4vsx1_f32p4vsx1bf32_8vsx8vs_sme2_mopa, kai::run_f32,
//         kai::packed(kai::f32p, VL(1), 1), kai::packed(kai::f32pbiasf32, VL(1), 1), VL(1), VL(1), sizeof(float))
//
// defines `struct kai_matmul_uker_api kai_<name>(void)`. `run` is the only function that a kernel writes itself:
//
//     void run_f32(const kai_matmul_uker_args* args, const char* function) {
//         kai::check_args(args, function);     // flags; `check_args(args, function, 0)`: a kernel without a clamp
//         if (kai::is_empty(args)) {
//             return;                          // nothing else is read
//         }
//         const auto clamp = kai::clamp_or<float>(args, -kInfinity, kInfinity, function);
//         ...
//     }
//
// `function` is the name of the creation function: the name in messages.
//
// An operand is panels of a Format (layout.hpp). A row-major LHS is panels of one row: `packed(f32p, 1, 1)` has a
// stride of k * 4 bytes, `packed(x8p, 1, 4)` one of roundup(k, 4). Offsets count whole panels and use the stride of the
// call, which may be larger than the dense one; indices may be any (those inside a panel give its start), but k cannot
// be split. No function reads its config: NULL is allowed.
//
// KAI_DEFINE_MATMUL_API_BL is the same for an RHS in blocks of config.format.bl, which run and the strides of operands
// with fields of blocks read. Its run function takes the config first, and begins with
//
//         const size_t bl = kai::block_length(config, args, function);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/ukernels/matmul/kai_matmul.h"

extern "C" {
/// The steps of the micro-kernel kai_`name`.
[[gnu::visibility("hidden")]] kai_matmul_uker_dim_args kai_unified_step(
    kai_panel_rows m, kai_panel_rows n, const char* name);
}

namespace kai {
namespace {

/// Panels of `rows` rows (LHS) or columns (RHS) in `format`. kr: consecutive elements of a row, stored together.
struct UnifiedOperand {
    const Format& format;
    PanelRows rows;
    size_t kr;

    KAI_INLINE Tile tile() const {
        return {rows.value(), kr, 1};
    }
    KAI_INLINE size_t stride(size_t k) const {
        return format.stride(tile(), k);
    }
    constexpr kai_panels panels(const char* name) const {
        return panels_of(name, kai_getters_unified, format, rows, kr, 1);
    }
};

constexpr UnifiedOperand packed(const Format& format, PanelRows rows, size_t kr) {
    return {format, rows, kr};
}

KAI_INLINE void check_index(size_t k, const char* function) {
    KAI_REQUIRE(function, k == 0, whole_depth, k);
}

/// The length of a block. Kernels with blocks require a config, which is checked in every build.
KAI_INLINE size_t block_length(const kai_matmul_uker_config* config, const char* function) {
    KAI_REQUIRE_ALWAYS(function, config != nullptr, null, "config");
    return config->format.bl;
}

/// The functions of a table except run.
template <typename Kernel>
struct MatmulApi {
    using Config = const kai_matmul_uker_config*;

    /// Bytes from a panel to the next. BLOCK: the only length of its blocks, or 0.
    template <const kai_panels& PANELS, unsigned BLOCK>
    static size_t stride([[maybe_unused]] Config config, size_t k) {
        if constexpr (Kernel::blocks && PANELS.block_fields != 0) {
            const size_t given = block_length(config, Kernel::name), bl = BLOCK != 0 ? BLOCK : given;
            return panels_stride(PANELS, bl == 0 ? 0 : (k + bl - 1) / bl * bl, bl);
        } else {
            return panels_stride(PANELS, k);
        }
    }
    static kai_matmul_uker_dim_args step(Config) {
        return kai_unified_step(Kernel::m_step, Kernel::n_step, Kernel::rhs.name);
    }
    static kai_matmul_uker_lhs_stride_args lhs_stride(Config config, const kai_matmul_uker_lhs_dim_args* shape) {
        return {stride<Kernel::lhs, Kernel::lhs_block>(config, shape->k)};
    }
    static size_t lhs_offset(
        Config, const kai_matmul_uker_lhs_dim_args* index, const kai_matmul_uker_lhs_stride_args* stride) {
        check_index(index->k, Kernel::name);
        return panels_offset_at(Kernel::lhs, index->m, stride->m);
    }
    static kai_matmul_uker_rhs_stride_args rhs_stride(Config config, const kai_matmul_uker_rhs_dim_args* shape) {
        return {stride<Kernel::rhs, Kernel::rhs_block>(config, shape->k)};
    }
    static size_t rhs_offset(
        Config, const kai_matmul_uker_rhs_dim_args* index, const kai_matmul_uker_rhs_stride_args* stride) {
        check_index(index->k, Kernel::name);
        return panels_offset_at(Kernel::rhs, index->n, stride->n);
    }
    static kai_matmul_uker_dst_stride_args dst_stride(Config, const kai_matmul_uker_dst_dim_args* shape) {
        return {shape->n * Kernel::element_bytes};
    }
    static size_t dst_offset(
        Config, const kai_matmul_uker_dst_dim_args* index, const kai_matmul_uker_dst_stride_args* stride) {
        return index->m * stride->m + index->n * Kernel::element_bytes;
    }
    static size_t dst_size(
        Config, const kai_matmul_uker_dst_dim_args* shape, const kai_matmul_uker_dst_stride_args* stride) {
        return shape->m * stride->m;
    }
};

#define KAI_DEFINE_MATMUL_API(NAME, RUN, ...) KAI_DEFINE_MATMUL_API_(NAME, false, RUN(args, name), __VA_ARGS__)
#define KAI_DEFINE_MATMUL_API_BL(NAME, RUN, ...) \
    KAI_DEFINE_MATMUL_API_(NAME, true, RUN(config, args, name), __VA_ARGS__)
#define KAI_DEFINE_MATMUL_API_(NAME, BLOCKS, CALL, LHS, RHS, M_STEP, N_STEP, ELEMENT_BYTES)                        \
    namespace {                                                                                                    \
    struct NAME##_kernel {                                                                                         \
        static constexpr const char* name = "kai_" #NAME;                                                          \
        static constexpr bool blocks = BLOCKS;                                                                     \
        static void run([[maybe_unused]] const kai_matmul_uker_config* config, const kai_matmul_uker_args* args) { \
            CALL;                                                                                                  \
        }                                                                                                          \
        static constexpr kai_panels lhs = (LHS).panels(#NAME), rhs = (RHS).panels(#NAME);                          \
        static constexpr unsigned lhs_block = (LHS).format.block, rhs_block = (RHS).format.block;                  \
        static constexpr kai::PanelRows m_step = M_STEP, n_step = N_STEP;                                          \
        static constexpr size_t element_bytes = ELEMENT_BYTES;                                                     \
    };                                                                                                             \
    }                                                                                                              \
    extern "C" kai_matmul_uker_api kai_##NAME() {                                                                  \
        using Api = kai::MatmulApi<NAME##_kernel>;                                                                 \
        return {NAME##_kernel::run, Api::step,       Api::lhs_stride, Api::lhs_offset, Api::rhs_stride,            \
                Api::rhs_offset,    Api::dst_stride, Api::dst_offset, Api::dst_size};                              \
    }

/// @name For run functions
/// @{

/// Whether there is nothing to compute.
KAI_INLINE bool is_empty(const kai_matmul_uker_args* args) {
    return args->shape.m == 0 || args->shape.n == 0;
}

KAI_INLINE bool has_clamp(const kai_matmul_uker_args* args) {
    return (args->flags & KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP) != 0;
}

/// As printf takes it.
KAI_INLINE unsigned long long print(uint64_t x) {
    return x;
}

/// Aborts, in every build, where a flag is set that no kernel (packer) knows: what it asks for would be left out
/// silently.
KAI_INLINE void check_flags(uint64_t flags, uint64_t known, const char* function) {
    KAI_REQUIRE_ALWAYS(function, (flags & ~known) == 0, unknown_flags, print(flags & ~known));
}

/// `known_flags` = 0: a kernel without a clamp.
KAI_INLINE void check_args(
    const kai_matmul_uker_args* args, const char* function, uint64_t known_flags = KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP) {
    check_flags(args->flags, KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP, function);
    KAI_REQUIRE(function, (args->flags & ~known_flags) == 0, no_clamp, print(args->flags));
}

template <typename T>
struct ClampBounds {
    T lo, hi;
};

/// The bounds of the call (values of T behind the pointers); lo and hi where it does not clamp.
template <typename T>
KAI_INLINE ClampBounds<T> clamp_or(const kai_matmul_uker_args* args, T lo, T hi, const char* function) {
    if (!has_clamp(args)) {
        return {lo, hi};
    }
    const auto& clamp = args->activation.clamp;
    KAI_REQUIRE(
        function, clamp.min_ptr != nullptr && clamp.max_ptr != nullptr, clamp_bound,
        clamp.min_ptr == nullptr ? "min_ptr" : "max_ptr");
    const ClampBounds<T> bounds{load<T>(clamp.min_ptr), load<T>(clamp.max_ptr)};
    KAI_REQUIRE(
        function, bounds.lo <= bounds.hi, bounds_out_of_order, static_cast<double>(bounds.lo),
        static_cast<double>(bounds.hi));
    return bounds;
}

/// The length of a block; 0 of an empty call that has no config.
KAI_INLINE size_t
block_length(const kai_matmul_uker_config* config, const kai_matmul_uker_args* args, const char* function) {
    if (config == nullptr && is_empty(args)) {
        return 0;
    }
    const size_t bl = block_length(config, function);
    check_blocks(args->shape.k, bl, function);
    return bl;
}

/// A value behind a pointer that may be NULL, which means 0.
template <typename T>
KAI_INLINE T value_or_zero(const void* p) {
    return p == nullptr ? T{0} : load<T>(p);
}

/// @}

}  // namespace
}  // namespace kai
