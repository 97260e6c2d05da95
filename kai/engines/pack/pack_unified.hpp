// The packing part of the unified API: from a description of a packer to the table of functions that its creation
// function returns.
//
//     KAI_DEFINE_RHS_PACK_API(
//         matmul_pack_rhs_kxn_x32p4vsx1bx32_x32_x32_sme, kai::run_x32, kai::KxN<32>,
//         kai::packed(kai::f32pbiasf32, VL(1), 1))
//
// defines `struct kai_matmul_pack_rhs_uker_api kai_<name>(void)`. `run` is the only function that a packer writes
// itself:
//
//     void run_x32(const kai_matmul_pack_rhs_uker_args* args) {
//         ...  // the arguments have been checked; nothing to do, and to read, where n is 0
//     }
//
// KAI_DEFINE_LHS_PACK_API(name, run, element of the source, packed(...)) does the same for an LHS.
//
// Sizes follow from the Format (layout.hpp): a bias is what a panel opens with, a scale what it ends with. Offsets
// count whole panels and use the stride of the call, which may be larger than the dense one: that moves panels, never
// fields inside a panel. Indices may be any (those inside a panel give its start), but k cannot be split. No function
// reads its config: NULL is allowed.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_rhs_checks.hpp"
#include "kai/engines/core/unified.hpp"
#include "kai/ukernels/matmul/kai_matmul_pack_lhs.h"
#include "kai/ukernels/matmul/kai_matmul_pack_rhs.h"

namespace kai {
namespace {

/// The functions of a table of an LHS packer except run. The source is row-major.
template <typename Packer>
struct LhsPackApi {
    using Config = const kai_matmul_pack_lhs_uker_config*;
    using PackedStride = kai_matmul_pack_lhs_uker_lhs_packed_stride_args;

    /// Unknown flags in every build: packers know none.
    static void check(const kai_matmul_pack_lhs_uker_args* args) {
        check_flags(args->flags, 0, Packer::name);
        KAI_REQUIRE(
            Packer::name,
            args->shape.m <= Packer::packed().tile.rows ||
                args->operand.lhs_packed.stride.m >= Packer::packed().stride(args->shape.k),
            "lhs_packed.stride.m = %zu is less than the %zu bytes of a panel", args->operand.lhs_packed.stride.m,
            Packer::packed().stride(args->shape.k));
    }

    static kai_matmul_pack_lhs_uker_dim_args step(Config) {
        return {Packer::packed().tile.rows, 0};
    }
    static kai_matmul_pack_lhs_uker_lhs_stride_args lhs_stride(
        Config, const kai_matmul_pack_lhs_uker_lhs_dim_args* shape) {
        return {shape->k * Packer::element_bytes};
    }
    static size_t lhs_offset(
        Config, const kai_matmul_pack_lhs_uker_lhs_dim_args* index,
        const kai_matmul_pack_lhs_uker_lhs_stride_args* stride) {
        check_index(index->k, Packer::name);
        return index->m * stride->m;
    }
    static PackedStride packed_stride(Config, const kai_matmul_pack_lhs_uker_lhs_packed_dim_args* shape) {
        return {Packer::packed().stride(shape->k)};
    }
    static size_t packed_offset(
        Config, const kai_matmul_pack_lhs_uker_lhs_packed_dim_args* index, const PackedStride* stride) {
        check_index(index->k, Packer::name);
        return Packer::packed().offset(index->m, stride->m);
    }
    static size_t packed_size(
        Config, const kai_matmul_pack_lhs_uker_lhs_packed_dim_args* shape, const PackedStride* stride) {
        const size_t rows = Packer::packed().tile.rows;
        return (shape->m + rows - 1) / rows * stride->m;
    }
};

/// PACKED: `packed(format, mr, kr)`; sizes may depend on the vector length. ELEMENT: of the source.
#define KAI_DEFINE_LHS_PACK_API(NAME, RUN, ELEMENT, PACKED)                                                  \
    namespace {                                                                                              \
    struct NAME##_packer {                                                                                   \
        static constexpr kai::Getter kai_getter = {"kai_", #NAME};                                           \
        static constexpr const char* name = "kai_" #NAME;                                                    \
        static void run(const kai_matmul_pack_lhs_uker_config*, const kai_matmul_pack_lhs_uker_args* args) { \
            kai::LhsPackApi<NAME##_packer>::check(args);                                                     \
            RUN(args);                                                                                       \
        }                                                                                                    \
        static constexpr size_t element_bytes = sizeof(ELEMENT);                                             \
        static kai::UnifiedOperand packed() {                                                                \
            return PACKED;                                                                                   \
        }                                                                                                    \
    };                                                                                                       \
    }                                                                                                        \
    extern "C" kai_matmul_pack_lhs_uker_api kai_##NAME() {                                                   \
        using Api = kai::LhsPackApi<NAME##_packer>;                                                          \
        return {NAME##_packer::run, Api::step,          Api::lhs_stride, Api::lhs_offset,                    \
                Api::packed_stride, Api::packed_offset, Api::packed_size};                                   \
    }

/// @name Source of the RHS. Strides between columns (n) and rows (k) of the product, and the offset of a column.
/// With elements of less than a byte only lines have a stride.
/// @{
template <unsigned bits_>
struct KxN {
    static constexpr unsigned bits = bits_;
    static constexpr bool kxn = true;
    static kai_matmul_pack_rhs_uker_rhs_stride_args stride(size_t n, size_t) {
        return {bits / 8, (n * bits + 7) / 8};
    }
    static size_t offset(size_t n, const kai_matmul_pack_rhs_uker_rhs_stride_args*) {
        return n * bits / 8;
    }
};

template <unsigned bits_>
struct NxK {
    static constexpr unsigned bits = bits_;
    static constexpr bool kxn = false;
    static kai_matmul_pack_rhs_uker_rhs_stride_args stride(size_t, size_t k) {
        return {(k * bits + 7) / 8, bits / 8};
    }
    static size_t offset(size_t n, const kai_matmul_pack_rhs_uker_rhs_stride_args* stride) {
        return n * stride->n;
    }
};
/// @}

/// The functions of a table of an RHS packer except run.
template <typename Packer, typename Source>
struct RhsPackApi {
    using Config = const kai_matmul_pack_rhs_uker_config*;
    using PackedStride = kai_matmul_pack_rhs_uker_rhs_packed_stride_args;

    static void check(const kai_matmul_pack_rhs_uker_args* args) {
        const UnifiedOperand panels = Packer::packed();
        kai_check_rhs_unified(
            Packer::name, {Source::bits, Source::kxn, panels.format.panel_head != 0, panels.format.panel_tail != 0},
            args, panels.tile.rows, panels.stride(args->shape.k));
    }

    static kai_matmul_pack_rhs_uker_dim_args step(Config) {
        return {Packer::packed().tile.rows, 0};
    }
    static kai_matmul_pack_rhs_uker_rhs_stride_args rhs_stride(
        Config, const kai_matmul_pack_rhs_uker_rhs_dim_args* shape) {
        return Source::stride(shape->n, shape->k);
    }
    static size_t rhs_offset(
        Config, const kai_matmul_pack_rhs_uker_rhs_dim_args* index,
        const kai_matmul_pack_rhs_uker_rhs_stride_args* stride) {
        check_index(index->k, Packer::name);
        return Source::offset(index->n, stride);
    }
    static PackedStride packed_stride(Config, const kai_matmul_pack_rhs_uker_rhs_packed_dim_args* shape) {
        return {Packer::packed().stride(shape->k)};
    }
    static size_t packed_offset(
        Config, const kai_matmul_pack_rhs_uker_rhs_packed_dim_args* index, const PackedStride* stride) {
        check_index(index->k, Packer::name);
        return Packer::packed().offset(index->n, stride->n);
    }
    static size_t packed_size(
        Config, const kai_matmul_pack_rhs_uker_rhs_packed_dim_args* shape, const PackedStride* stride) {
        const size_t rows = Packer::packed().tile.rows;
        return (shape->n + rows - 1) / rows * stride->n;
    }
    static size_t bias_offset(Config, const kai_matmul_pack_rhs_uker_bias_n_dim_args* index) {
        return index->n * Packer::format().panel_head;
    }
    static size_t scale_offset(Config, const kai_matmul_pack_rhs_uker_scale_n_dim_args* index) {
        return index->n * Packer::format().panel_tail;
    }
};

/// SOURCE: KxN<bits> or NxK<bits>. PACKED: `packed(format, nr, kr)`; sizes may depend on the vector length.
#define KAI_DEFINE_RHS_PACK_API(NAME, RUN, SOURCE, PACKED)                                                             \
    namespace {                                                                                                        \
    struct NAME##_packer {                                                                                             \
        static constexpr kai::Getter kai_getter = {"kai_", #NAME};                                                     \
        static constexpr const char* name = "kai_" #NAME;                                                              \
        static kai::UnifiedOperand packed() {                                                                          \
            return PACKED;                                                                                             \
        }                                                                                                              \
        static const kai::Format& format() {                                                                           \
            [[maybe_unused]] constexpr kai::AnyLength kai_getter = {};                                                 \
            return (PACKED).format;                                                                                    \
        }                                                                                                              \
        static void run(const kai_matmul_pack_rhs_uker_config*, const kai_matmul_pack_rhs_uker_args* args) {           \
            kai::RhsPackApi<NAME##_packer, SOURCE>::check(args);                                                       \
            RUN(args);                                                                                                 \
        }                                                                                                              \
    };                                                                                                                 \
    }                                                                                                                  \
    extern "C" kai_matmul_pack_rhs_uker_api kai_##NAME() {                                                             \
        using Api = kai::RhsPackApi<NAME##_packer, SOURCE>;                                                            \
        return {                                                                                                       \
            NAME##_packer::run, Api::step,          Api::rhs_stride,                                                   \
            Api::rhs_offset,    Api::packed_stride, Api::packed_offset,                                                \
            Api::packed_size,   Api::bias_offset,   NAME##_packer::format().panel_tail ? Api::scale_offset : nullptr}; \
    }

}  // namespace
}  // namespace kai
