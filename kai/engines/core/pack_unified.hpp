// The packing part of the unified API: from a description of a packer to the table of functions that its creation
// function returns.
//
//     KAI_DEFINE_RHS_PACK_API(
//         matmul_pack_rhs_kxn_x32p4vsx1bx32_x32_x32_sme, kai::run_x32, kai::f32_kxn,
//         kai::packed(kai::f32pbiasf32, VL(1), 1))
//
// defines `struct kai_matmul_pack_rhs_uker_api kai_<name>(void)`. `run` is the only function that a packer writes
// itself:
//
//     void run_x32(const kai::UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
//         kai::check(packer, args);
//         ...  // nothing to do, and to read, where n is 0
//     }
//
// KAI_DEFINE_LHS_PACK_API(name, run, element of the source, packed(...)) does the same for an LHS. Packers share what
// they run: a function that takes the description.
//
// Sizes follow from the Format (layout.hpp): a bias is what a panel opens with, a scale what it ends with. Offsets
// count whole panels and use the stride of the call, which may be larger than the dense one: that moves panels, never
// fields inside a panel. Indices may be any (those inside a panel give its start), but k cannot be split.
//
// With `packed(format, kAnyRows, kr)` the rows (columns) of a panel are those of the config, which `run` finds in its
// packer. No other function reads its config: NULL is allowed.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/pack_rhs_checks.hpp"
#include "kai/engines/core/unified.hpp"
#include "kai/ukernels/matmul/kai_matmul_pack_lhs.h"
#include "kai/ukernels/matmul/kai_matmul_pack_rhs.h"

namespace kai {
namespace {

/// Packers as data.
struct UnifiedLhsPacker {
    const char* name;  // with kai_
    kai_panels panels;
    uint8_t element_bytes;  // of the source
    size_t block;           // the only length of blocks; 0: there are none
};
struct UnifiedRhsPacker {
    const char* name;
    kai_panels panels;
    kai_rhs_vectors_packer source;
    size_t block;
};

/// Rows of a panel: as many as the config of a call says.
constexpr size_t kAnyRows = 0;

KAI_INLINE size_t rows_of(const kai_matmul_pack_lhs_uker_config& config) {
    return config.format.mr;
}
KAI_INLINE size_t rows_of(const kai_matmul_pack_rhs_uker_config& config) {
    return config.format.nr;
}
constexpr const char* rows_name(const kai_matmul_pack_lhs_uker_config*) {
    return "config.format.mr";
}
constexpr const char* rows_name(const kai_matmul_pack_rhs_uker_config*) {
    return "config.format.nr";
}

constexpr size_t kMostRows = 0xFFFF;

template <const auto& packer, typename Config>
KAI_INLINE auto with_rows(const Config* config) {
    auto told = packer;
    const size_t rows = rows_of(*config);
    told.panels.count = static_cast<uint16_t>(rows == 0 ? 1 : rows < kMostRows ? rows : kMostRows);
    return told;
}

/// The packer for a getter that gets this config. A number is rejected only by assertions.
template <const auto& packer, typename Config>
KAI_INLINE decltype(auto) packer_for_getter(const Config* config) {
    if constexpr (packer.panels.count != kAnyRows) {
        return (packer);
    } else {
        KAI_REQUIRE_ALWAYS(packer.name, config != nullptr, null, "config");
        KAI_REQUIRE(packer.name, rows_of(*config) != 0, zero, rows_name(config));
        KAI_REQUIRE(
            packer.name, rows_of(*config) <= kMostRows, too_large, rows_name(config), rows_of(*config), kMostRows);
        return with_rows<packer>(config);
    }
}

/// The packer for a call of `run` for `count` rows (columns). Without any the config is not read.
template <const auto& packer, typename Config>
KAI_INLINE decltype(auto) packer_for_run(const Config* config, size_t count) {
    if constexpr (packer.panels.count != kAnyRows) {
        return (packer);
    } else {
        constexpr Config kNone = {};
        if (count == 0) {
            return with_rows<packer>(&kNone);
        }
        KAI_REQUIRE_ALWAYS(packer.name, config != nullptr, null, "config");
        const size_t rows = rows_of(*config);
        KAI_REQUIRE_ALWAYS(packer.name, rows != 0, zero, rows_name(config));
        KAI_REQUIRE_ALWAYS(packer.name, rows <= kMostRows, too_large, rows_name(config), rows, kMostRows);
        return with_rows<packer>(config);
    }
}

/// Unknown flags in every build: packers know none.
KAI_INLINE void check(const UnifiedLhsPacker& packer, const kai_matmul_pack_lhs_uker_args* args) {
    check_flags(args->flags, 0, packer.name);
    KAI_REQUIRE(
        packer.name,
        args->shape.m <= kai_panels_rows(&packer.panels) ||
            args->operand.lhs_packed.stride.m >= kai_panels_stride(args->shape.k, packer.block, &packer.panels),
        short_stride, "lhs_packed.stride.m", args->operand.lhs_packed.stride.m,
        kai_panels_stride(args->shape.k, packer.block, &packer.panels), "panel");
}
/// rows: of a panel.
KAI_INLINE void check(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args, size_t rows) {
    kai_check_rhs_unified(
        packer.name, packer.source, args, rows, stride_of(packer.panels, rows, args->shape.k, packer.block));
}
KAI_INLINE void check(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    check(packer, args, kai_panels_rows(&packer.panels));
}

/// The functions of a table for the packed side. Step, Shape and Stride: types of the API for either side.
template <typename Packer, typename PackConfig, typename Step, typename Shape, typename Stride>
struct PackedApi {
    using Config = const PackConfig*;

    static Step step(Config config) {
        const auto& packer = packer_for_getter<Packer::packer>(config);
        return {kai_panels_rows(&packer.panels), 0};
    }
    static Stride packed_stride(Config config, const Shape* shape) {
        const auto& packer = packer_for_getter<Packer::packer>(config);
        return {kai_panels_stride(shape->k, packer.block, &packer.panels)};
    }
    static size_t packed_offset(Config config, const Shape* index, const Stride* stride) {
        const auto& packer = packer_for_getter<Packer::packer>(config);
        const auto& [row, k] = *index;
        const auto& [panel_bytes] = *stride;
        check_index(k, packer.name);
        return kai_panels_offset_at(row, panel_bytes, &packer.panels);
    }
    static size_t packed_size(Config config, const Shape* shape, const Stride* stride) {
        const auto& packer = packer_for_getter<Packer::packer>(config);
        const auto& [rows, k] = *shape;
        const auto& [panel_bytes] = *stride;
        return kai_panels_size_at(rows, panel_bytes, &packer.panels);
    }
};

/// The table of an LHS packer. The source is row-major.
template <typename Packer>
struct LhsPackApi : PackedApi<
                        Packer, kai_matmul_pack_lhs_uker_config, kai_matmul_pack_lhs_uker_dim_args,
                        kai_matmul_pack_lhs_uker_lhs_packed_dim_args, kai_matmul_pack_lhs_uker_lhs_packed_stride_args> {
    using Config = const kai_matmul_pack_lhs_uker_config*;

    static kai_matmul_pack_lhs_uker_lhs_stride_args lhs_stride(
        Config, const kai_matmul_pack_lhs_uker_lhs_dim_args* shape) {
        return {shape->k * Packer::packer.element_bytes};
    }
    static size_t lhs_offset(
        Config, const kai_matmul_pack_lhs_uker_lhs_dim_args* index,
        const kai_matmul_pack_lhs_uker_lhs_stride_args* stride) {
        check_index(index->k, Packer::packer.name);
        return index->m * stride->m;
    }
    static kai_matmul_pack_lhs_uker_api table() {
        return {
            Packer::run,
            LhsPackApi::step,
            lhs_stride,
            lhs_offset,
            LhsPackApi::packed_stride,
            LhsPackApi::packed_offset,
            LhsPackApi::packed_size};
    }
};

/// PACKED: `packed(format, mr, kr)`; sizes may depend on the vector length. ELEMENT: of the source.
#define KAI_DEFINE_LHS_PACK_API(NAME, RUN, ELEMENT, PACKED)                                                         \
    namespace {                                                                                                     \
    struct NAME##_packer {                                                                                          \
        static constexpr kai::UnifiedLhsPacker packer = {                                                           \
            "kai_" #NAME, (PACKED).panels(#NAME), sizeof(ELEMENT), (PACKED).format.block};                          \
        static void run(const kai_matmul_pack_lhs_uker_config* config, const kai_matmul_pack_lhs_uker_args* args) { \
            RUN(kai::packer_for_run<packer>(config, args->shape.m), args);                                          \
        }                                                                                                           \
    };                                                                                                              \
    }                                                                                                               \
    extern "C" kai_matmul_pack_lhs_uker_api kai_##NAME() {                                                          \
        return kai::LhsPackApi<NAME##_packer>::table();                                                             \
    }

/// The table of an RHS packer. Strides of the source are those between columns (n) and rows (k) of the product. With
/// elements of less than a byte only lines have a stride.
template <typename Packer>
struct RhsPackApi : PackedApi<
                        Packer, kai_matmul_pack_rhs_uker_config, kai_matmul_pack_rhs_uker_dim_args,
                        kai_matmul_pack_rhs_uker_rhs_packed_dim_args, kai_matmul_pack_rhs_uker_rhs_packed_stride_args> {
    using Config = const kai_matmul_pack_rhs_uker_config*;
    static constexpr size_t bits = Packer::packer.source.bits;
    static constexpr bool kxn = Packer::packer.source.kxn;

    static kai_matmul_pack_rhs_uker_rhs_stride_args rhs_stride(
        Config, const kai_matmul_pack_rhs_uker_rhs_dim_args* shape) {
        const size_t line = ((kxn ? shape->n : shape->k) * bits + 7) / 8;
        return {kxn ? bits / 8 : line, kxn ? line : bits / 8};
    }
    static size_t rhs_offset(
        Config, const kai_matmul_pack_rhs_uker_rhs_dim_args* index,
        const kai_matmul_pack_rhs_uker_rhs_stride_args* stride) {
        check_index(index->k, Packer::packer.name);
        return kxn ? index->n * bits / 8 : index->n * stride->n;
    }
    static size_t bias_offset(Config, const kai_matmul_pack_rhs_uker_bias_n_dim_args* index) {
        return index->n * Packer::operand.format.panel_head;
    }
    static size_t scale_offset(Config, const kai_matmul_pack_rhs_uker_scale_n_dim_args* index) {
        return index->n * Packer::operand.format.panel_tail;
    }
    static kai_matmul_pack_rhs_uker_api table() {
        const auto scale = Packer::operand.format.panel_tail != 0 ? scale_offset : nullptr;
        return {
            Packer::run,
            RhsPackApi::step,
            rhs_stride,
            rhs_offset,
            RhsPackApi::packed_stride,
            RhsPackApi::packed_offset,
            RhsPackApi::packed_size,
            bias_offset,
            scale,
            nullptr,
            nullptr};
    }
};

/// SOURCE: of type Plain (layout.hpp). PACKED: `packed(format, nr, kr)`; sizes may depend on the vector length.
#define KAI_DEFINE_RHS_PACK_API(NAME, RUN, SOURCE, PACKED)                                                          \
    namespace {                                                                                                     \
    struct NAME##_packer {                                                                                          \
        static constexpr kai::UnifiedOperand operand = PACKED;                                                      \
        static constexpr kai::UnifiedRhsPacker packer = {                                                           \
            "kai_" #NAME,                                                                                           \
            operand.panels(#NAME),                                                                                  \
            {SOURCE.bits, SOURCE.kxn, operand.format.panel_head != 0, operand.format.panel_tail != 0},              \
            operand.format.block};                                                                                  \
        static void run(const kai_matmul_pack_rhs_uker_config* config, const kai_matmul_pack_rhs_uker_args* args) { \
            RUN(kai::packer_for_run<packer>(config, args->shape.n), args);                                          \
        }                                                                                                           \
    };                                                                                                              \
    }                                                                                                               \
    extern "C" kai_matmul_pack_rhs_uker_api kai_##NAME() {                                                          \
        return kai::RhsPackApi<NAME##_packer>::table();                                                             \
    }

}  // namespace
}  // namespace kai
