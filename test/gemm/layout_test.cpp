// The structures of public headers that callers allocate, as version 1 of the library has them on 64-bit systems. A
// structure that grows without a new major version, which is the SONAME, would be written past its end where a
// program was built with the older header (docs/versioning.md).
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stddef.h>

#include <vector>

#include "kai/gemm/kai_gemm.h"
#include "kai/gemm/kai_gemm_file.h"
#include "kai/gemm/kai_gguf_file.h"
#include "kai/kai_call.h"

namespace {

using Bytes = std::vector<size_t>;

/// After a change: a new major version in kai_common.h, its number here, then the sizes of the failure messages.
TEST(GemmLayout, OfThisMajorVersion) {
    ASSERT_EQ(KAI_LIBRARY_VERSION_MAJOR, 1);
    if (sizeof(void*) != 8) {
        GTEST_SKIP() << "sizes are those of 64-bit systems";
    }
    // Sizes, then the offsets of all members.
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_format), offsetof(kai_gemm_format, name), offsetof(kai_gemm_format, nr),
            offsetof(kai_gemm_format, kr), offsetof(kai_gemm_format, sr)}),
        (Bytes{32, 0, 8, 16, 24}))
        << "kai_gemm_format";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_problem),
            offsetof(kai_gemm_problem, m),
            offsetof(kai_gemm_problem, n),
            offsetof(kai_gemm_problem, k),
            offsetof(kai_gemm_problem, batch),
            offsetof(kai_gemm_problem, groups),
            offsetof(kai_gemm_problem, scatters),
            offsetof(kai_gemm_problem, a_type),
            offsetof(kai_gemm_problem, c_type),
            offsetof(kai_gemm_problem, a_transposed),
            offsetof(kai_gemm_problem, b_kind),
            offsetof(kai_gemm_problem, b_type),
            offsetof(kai_gemm_problem, gguf_type),
            offsetof(kai_gemm_problem, b_transposed),
            offsetof(kai_gemm_problem, b_constant),
            offsetof(kai_gemm_problem, b_per_matrix),
            offsetof(kai_gemm_problem, bl),
            offsetof(kai_gemm_problem, bias),
            offsetof(kai_gemm_problem, alpha),
            offsetof(kai_gemm_problem, beta),
            offsetof(kai_gemm_problem, clamp_min),
            offsetof(kai_gemm_problem, clamp_max),
            offsetof(kai_gemm_problem, a_zero_point),
            offsetof(kai_gemm_problem, c_zero_point),
            offsetof(kai_gemm_problem, c_min),
            offsetof(kai_gemm_problem, c_max),
            offsetof(kai_gemm_problem, multiplier),
            offsetof(kai_gemm_problem, allow_bf16),
            offsetof(kai_gemm_problem, allow_f16),
            offsetof(kai_gemm_problem, units),
            offsetof(kai_gemm_problem, sme_units),
            offsetof(kai_gemm_problem, l1_bytes),
            offsetof(kai_gemm_problem, l2_bytes),
            offsetof(kai_gemm_problem, pin),
            offsetof(kai_gemm_problem, format),
            offsetof(kai_gemm_problem, untagged),
            offsetof(kai_gemm_problem, core),
            offsetof(kai_gemm_problem, epilogue),
            offsetof(kai_gemm_problem, gated),
            offsetof(kai_gemm_problem, c_transposed),
            offsetof(kai_gemm_problem, rates),
            offsetof(kai_gemm_problem, divides_columns),
            offsetof(kai_gemm_problem, scale_columns),
            offsetof(kai_gemm_problem, allow_f8),
            offsetof(kai_gemm_problem, reserved)}),
        (Bytes{432, 0,   8,   16,  24,  32,  33,  36,  40,  44,  48,  52,  56,  60,  61,
               62,  64,  72,  76,  80,  84,  88,  92,  96,  100, 104, 108, 112, 113, 120,
               128, 136, 144, 152, 160, 168, 172, 176, 184, 192, 200, 264, 272, 280, 288}))
        << "kai_gemm_problem";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_rates), offsetof(kai_gemm_rates, sme), offsetof(kai_gemm_rates, sme_row),
            offsetof(kai_gemm_rates, cores), sizeof(kai_gemm_core_rate), offsetof(kai_gemm_core_rate, count),
            offsetof(kai_gemm_core_rate, speed)}),
        (Bytes{64, 0, 8, 16, 16, 0, 8}))
        << "kai_gemm_rates";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_kernel), offsetof(kai_gemm_kernel, ukernel), offsetof(kai_gemm_kernel, lhs_packer),
            offsetof(kai_gemm_kernel, copies_rows)}),
        (Bytes{24, 0, 8, 16}))
        << "kai_gemm_kernel";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_layout), offsetof(kai_gemm_layout, lhs_states), offsetof(kai_gemm_layout, slots_taken),
            offsetof(kai_gemm_layout, lhs), offsetof(kai_gemm_layout, lhs_stride), offsetof(kai_gemm_layout, b),
            offsetof(kai_gemm_layout, slots), offsetof(kai_gemm_layout, slot_size), offsetof(kai_gemm_layout, copied),
            offsetof(kai_gemm_layout, few_rows), offsetof(kai_gemm_layout, tile),
            offsetof(kai_gemm_layout, few_rows_max), offsetof(kai_gemm_layout, tile_rows),
            offsetof(kai_gemm_layout, tile_columns)}),
        (Bytes{104, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96}))
        << "kai_gemm_layout";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_plan),
            offsetof(kai_gemm_plan, problem),
            offsetof(kai_gemm_plan, gemm),
            offsetof(kai_gemm_plan, gemv),
            offsetof(kai_gemm_plan, rhs_packer),
            offsetof(kai_gemm_plan, copies_columns),
            offsetof(kai_gemm_plan, bias_apart),
            offsetof(kai_gemm_plan, direct),
            offsetof(kai_gemm_plan, format),
            offsetof(kai_gemm_plan, panels_size),
            offsetof(kai_gemm_plan, packed_b_stride),
            offsetof(kai_gemm_plan, packed_b_size),
            offsetof(kai_gemm_plan, pack_units),
            offsetof(kai_gemm_plan, pack_workspace_size),
            offsetof(kai_gemm_plan, workspace_size),
            offsetof(kai_gemm_plan, workers),
            offsetof(kai_gemm_plan, sve_bytes),
            offsetof(kai_gemm_plan, sme_bytes),
            offsetof(kai_gemm_plan, without),
            offsetof(kai_gemm_plan, layout),
            offsetof(kai_gemm_plan, status),
            offsetof(kai_gemm_plan, reason),
            offsetof(kai_gemm_plan, whole_rows),
            offsetof(kai_gemm_plan, tag),
            offsetof(kai_gemm_plan, gemm_beside),
            offsetof(kai_gemm_plan, gemv_beside),
            offsetof(kai_gemm_plan, sme_workers),
            offsetof(kai_gemm_plan, lhs_beside),
            offsetof(kai_gemm_plan, lhs_beside_stride),
            offsetof(kai_gemm_plan, gemm_columns),
            offsetof(kai_gemm_plan, gemv_columns),
            offsetof(kai_gemm_plan, lhs_packer_beside),
            offsetof(kai_gemm_plan, reserved)}),
        (Bytes{1456, 0,   432, 456, 480, 488, 489, 490,  496,  528,  536,  544,  552,  560,  568,  576, 584,
               592,  600, 608, 712, 716, 944, 952, 1016, 1040, 1064, 1072, 1080, 1088, 1096, 1104, 1112}))
        << "kai_gemm_plan";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_weights), offsetof(kai_gemm_weights, b), offsetof(kai_gemm_weights, ldb),
            offsetof(kai_gemm_weights, scale), offsetof(kai_gemm_weights, scale_stride),
            offsetof(kai_gemm_weights, zero), offsetof(kai_gemm_weights, zero_point), offsetof(kai_gemm_weights, lut),
            offsetof(kai_gemm_weights, bias), offsetof(kai_gemm_weights, table),
            offsetof(kai_gemm_weights, zero_points), offsetof(kai_gemm_weights, float_table),
            offsetof(kai_gemm_weights, reserved)}),
        (Bytes{128, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88}))
        << "kai_gemm_weights";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_source), offsetof(kai_gemm_source, data), offsetof(kai_gemm_source, ld),
            offsetof(kai_gemm_source, stride), offsetof(kai_gemm_source, table), offsetof(kai_gemm_source, reserved)}),
        (Bytes{48, 0, 8, 16, 24, 32}))
        << "kai_gemm_source";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_result), offsetof(kai_gemm_result, data), offsetof(kai_gemm_result, ld),
            offsetof(kai_gemm_result, stride), offsetof(kai_gemm_result, table), offsetof(kai_gemm_result, reserved)}),
        (Bytes{48, 0, 8, 16, 24, 32}))
        << "kai_gemm_result";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_operands), offsetof(kai_gemm_operands, m), offsetof(kai_gemm_operands, a),
            offsetof(kai_gemm_operands, b), offsetof(kai_gemm_operands, c), offsetof(kai_gemm_operands, bias),
            offsetof(kai_gemm_operands, lut), offsetof(kai_gemm_operands, lowp), offsetof(kai_gemm_operands, rows),
            offsetof(kai_gemm_operands, a_rows), offsetof(kai_gemm_operands, a_row_count),
            offsetof(kai_gemm_operands, c_rows), offsetof(kai_gemm_operands, c_row_count),
            offsetof(kai_gemm_operands, c_weights), offsetof(kai_gemm_operands, epilogue),
            offsetof(kai_gemm_operands, offsets), offsetof(kai_gemm_operands, reserved)}),
        (Bytes{352, 0, 8, 56, 104, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240}))
        << "kai_gemm_operands";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_epilogue), offsetof(kai_gemm_epilogue, alpha), offsetof(kai_gemm_epilogue, beta),
            offsetof(kai_gemm_epilogue, clamp_min), offsetof(kai_gemm_epilogue, clamp_max),
            offsetof(kai_gemm_epilogue, activation), offsetof(kai_gemm_epilogue, column_scale),
            offsetof(kai_gemm_epilogue, column_shift), offsetof(kai_gemm_epilogue, row_scale),
            offsetof(kai_gemm_epilogue, row_shift), offsetof(kai_gemm_epilogue, c_multiplier),
            offsetof(kai_gemm_epilogue, c_zero_point), offsetof(kai_gemm_epilogue, c_multipliers),
            offsetof(kai_gemm_epilogue, reserved)}),
        (Bytes{128, 0, 4, 8, 12, 16, 24, 32, 40, 48, 56, 60, 64, 72}))
        << "kai_gemm_epilogue";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_work),
            offsetof(kai_gemm_work, plan),
            offsetof(kai_gemm_work, operands),
            offsetof(kai_gemm_work, workspace),
            offsetof(kai_gemm_work, kernel),
            offsetof(kai_gemm_work, rows),
            offsetof(kai_gemm_work, m_tile),
            offsetof(kai_gemm_work, n_tile),
            offsetof(kai_gemm_work, m_first),
            offsetof(kai_gemm_work, packs_lhs_on_demand),
            offsetof(kai_gemm_work, shares_rows),
            offsetof(kai_gemm_work, phases),
            offsetof(kai_gemm_work, units),
            offsetof(kai_gemm_work, lhs_units),
            offsetof(kai_gemm_work, lhs_work),
            offsetof(kai_gemm_work, single),
            offsetof(kai_gemm_work, lhs_beside_units),
            offsetof(kai_gemm_work, sme_units),
            offsetof(kai_gemm_work, m_tile_beside),
            offsetof(kai_gemm_work, n_tile_beside),
            offsetof(kai_gemm_work, m_first_beside),
            offsetof(kai_gemm_work, reserved)}),
        (Bytes{224, 0, 8, 16, 24, 32, 40, 48, 56, 57, 58, 64, 72, 88, 96, 104, 112, 120, 128, 136, 144, 152}))
        << "kai_gemm_work";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_product), offsetof(kai_gemm_product, plan), offsetof(kai_gemm_product, operands),
            offsetof(kai_gemm_product, workspace), offsetof(kai_gemm_product, workspace_size),
            offsetof(kai_gemm_product, work), offsetof(kai_gemm_product, parts), offsetof(kai_gemm_product, next),
            offsetof(kai_gemm_product, reserved)}),
        (Bytes{304, 0, 8, 16, 24, 32, 256, 264, 272}))
        << "kai_gemm_product";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_cost), offsetof(kai_gemm_cost, macs), offsetof(kai_gemm_cost, largest_unit),
            offsetof(kai_gemm_cost, finish), offsetof(kai_gemm_cost, bytes), offsetof(kai_gemm_cost, least_bytes),
            offsetof(kai_gemm_cost, reserved)}),
        (Bytes{104, 0, 8, 16, 24, 32, 40}))
        << "kai_gemm_cost";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_tensor),
            offsetof(kai_gemm_tensor, name),
            offsetof(kai_gemm_tensor, kind),
            offsetof(kai_gemm_tensor, type),
            offsetof(kai_gemm_tensor, gguf_type),
            offsetof(kai_gemm_tensor, n),
            offsetof(kai_gemm_tensor, k),
            offsetof(kai_gemm_tensor, bl),
            offsetof(kai_gemm_tensor, count),
            offsetof(kai_gemm_tensor, bias),
            offsetof(kai_gemm_tensor, lut),
            offsetof(kai_gemm_tensor, a_zero_point),
            offsetof(kai_gemm_tensor, multiplier),
            offsetof(kai_gemm_tensor, format),
            offsetof(kai_gemm_tensor, vector_length),
            offsetof(kai_gemm_tensor, untagged),
            offsetof(kai_gemm_tensor, bias_apart),
            offsetof(kai_gemm_tensor, panels_size),
            offsetof(kai_gemm_tensor, stride),
            offsetof(kai_gemm_tensor, size),
            offsetof(kai_gemm_tensor, offset),
            offsetof(kai_gemm_tensor, checksum),
            offsetof(kai_gemm_tensor, data),
            offsetof(kai_gemm_tensor, reserved)}),
        (Bytes{312, 0,  8,   12,  16,  24,  32,  40,  48,  56,  60,  76,
               80,  88, 120, 128, 129, 136, 144, 152, 160, 168, 176, 184}))
        << "kai_gemm_tensor";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gemm_file), offsetof(kai_gemm_file, data), offsetof(kai_gemm_file, size),
            offsetof(kai_gemm_file, count), offsetof(kai_gemm_file, reserved)}),
        (Bytes{88, 0, 8, 16, 24}))
        << "kai_gemm_file";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gguf_file), offsetof(kai_gguf_file, data), offsetof(kai_gguf_file, size),
            offsetof(kai_gguf_file, version), offsetof(kai_gguf_file, pair_count),
            offsetof(kai_gguf_file, tensor_count), offsetof(kai_gguf_file, alignment), offsetof(kai_gguf_file, pairs),
            offsetof(kai_gguf_file, tensors), offsetof(kai_gguf_file, tensors_end), offsetof(kai_gguf_file, data_start),
            offsetof(kai_gguf_file, index_size), offsetof(kai_gguf_file, index), offsetof(kai_gguf_file, reserved)}),
        (Bytes{160, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96}))
        << "kai_gguf_file";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gguf_pair), offsetof(kai_gguf_pair, key), offsetof(kai_gguf_pair, key_length),
            offsetof(kai_gguf_pair, type), offsetof(kai_gguf_pair, element_type), offsetof(kai_gguf_pair, count),
            offsetof(kai_gguf_pair, elements), offsetof(kai_gguf_pair, size), offsetof(kai_gguf_pair, end),
            offsetof(kai_gguf_pair, reserved)}),
        (Bytes{88, 0, 8, 16, 20, 24, 32, 40, 48, 56}))
        << "kai_gguf_pair";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gguf_value), offsetof(kai_gguf_value, type), offsetof(kai_gguf_value, u),
            offsetof(kai_gguf_value, i), offsetof(kai_gguf_value, f), offsetof(kai_gguf_value, text),
            offsetof(kai_gguf_value, length), offsetof(kai_gguf_value, reserved)}),
        (Bytes{64, 0, 8, 16, 24, 32, 40, 48}))
        << "kai_gguf_value";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_gguf_tensor), offsetof(kai_gguf_tensor, name), offsetof(kai_gguf_tensor, name_length),
            offsetof(kai_gguf_tensor, type_id), offsetof(kai_gguf_tensor, type), offsetof(kai_gguf_tensor, dimensions),
            offsetof(kai_gguf_tensor, shape), offsetof(kai_gguf_tensor, offset), offsetof(kai_gguf_tensor, k),
            offsetof(kai_gguf_tensor, rows), offsetof(kai_gguf_tensor, row_size), offsetof(kai_gguf_tensor, size),
            offsetof(kai_gguf_tensor, data), offsetof(kai_gguf_tensor, end), offsetof(kai_gguf_tensor, reserved)}),
        (Bytes{192, 0, 8, 16, 24, 32, 40, 72, 80, 88, 96, 104, 112, 120, 128}))
        << "kai_gguf_tensor";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_ukernel),
            offsetof(kai_ukernel, name),
            offsetof(kai_ukernel, family),
            offsetof(kai_ukernel, signature),
            offsetof(kai_ukernel, dst_type),
            offsetof(kai_ukernel, lhs_format),
            offsetof(kai_ukernel, rhs_format),
            offsetof(kai_ukernel, features),
            offsetof(kai_ukernel, rows),
            offsetof(kai_ukernel, size_features),
            offsetof(kai_ukernel, get_m_step),
            offsetof(kai_ukernel, get_n_step),
            offsetof(kai_ukernel, get_mr),
            offsetof(kai_ukernel, get_nr),
            offsetof(kai_ukernel, get_kr),
            offsetof(kai_ukernel, get_sr),
            offsetof(kai_ukernel, get_lhs_packed_offset),
            offsetof(kai_ukernel, get_rhs_packed_offset),
            offsetof(kai_ukernel, get_dst_offset),
            offsetof(kai_ukernel, get_dst_size),
            offsetof(kai_ukernel, run),
            offsetof(kai_ukernel, k_multiple),
            offsetof(kai_ukernel, gguf_types),
            offsetof(kai_ukernel, size_only_features),
            offsetof(kai_ukernel, run_columns),
            offsetof(kai_ukernel, column_step),
            offsetof(kai_ukernel, other_bits),
            offsetof(kai_ukernel, reserved)}),
        (Bytes{200, 0,   8,   16,  20,  24,  32,  40,  48,  56,  64,  72,  80,  88,
               96,  104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 188, 192}))
        << "kai_ukernel";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_packer), offsetof(kai_packer, name), offsetof(kai_packer, signature),
            offsetof(kai_packer, source_format), offsetof(kai_packer, format), offsetof(kai_packer, features),
            offsetof(kai_packer, accepts), offsetof(kai_packer, get_source_offset),
            offsetof(kai_packer, get_packed_offset), offsetof(kai_packer, get_packed_size), offsetof(kai_packer, run),
            offsetof(kai_packer, get_rules), offsetof(kai_packer, run_rows)}),
        (Bytes{96, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88}))
        << "kai_packer";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_registry_entries), offsetof(kai_registry_entries, first), offsetof(kai_registry_entries, end)}),
        (Bytes{16, 0, 8}))
        << "kai_registry_entries";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_registry_request), offsetof(kai_registry_request, family), offsetof(kai_registry_request, m),
            offsetof(kai_registry_request, same_rhs_as), offsetof(kai_registry_request, without),
            offsetof(kai_registry_request, core), offsetof(kai_registry_request, reserved)}),
        (Bytes{96, 0, 8, 16, 24, 32, 40}))
        << "kai_registry_request";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_registry_call), offsetof(kai_registry_call, ukernel), offsetof(kai_registry_call, packer),
            offsetof(kai_registry_call, m), offsetof(kai_registry_call, n), offsetof(kai_registry_call, k),
            offsetof(kai_registry_call, bl), offsetof(kai_registry_call, rows), offsetof(kai_registry_call, kr),
            offsetof(kai_registry_call, sr), offsetof(kai_registry_call, m_idx_start),
            offsetof(kai_registry_call, stride), offsetof(kai_registry_call, scale_stride),
            offsetof(kai_registry_call, bias), offsetof(kai_registry_call, scale), offsetof(kai_registry_call, zero),
            offsetof(kai_registry_call, params), offsetof(kai_registry_call, reserved)}),
        (Bytes{176, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 97, 98, 104, 112}))
        << "kai_registry_call";
    EXPECT_EQ(
        (Bytes{
            sizeof(kai_call),
            offsetof(kai_call, ukernel),
            offsetof(kai_call, lhs_packer),
            offsetof(kai_call, rhs_packer),
            offsetof(kai_call, m),
            offsetof(kai_call, n),
            offsetof(kai_call, k),
            offsetof(kai_call, bl),
            offsetof(kai_call, k_chunk_length),
            offsetof(kai_call, lhs),
            offsetof(kai_call, lhs_stride),
            offsetof(kai_call, lhs_rows),
            offsetof(kai_call, pad_ptr),
            offsetof(kai_call, lhs_ptr_offset),
            offsetof(kai_call, lhs_packed),
            offsetof(kai_call, lhs_zero_point),
            offsetof(kai_call, scale_multiplier),
            offsetof(kai_call, rhs),
            offsetof(kai_call, rhs_stride),
            offsetof(kai_call, rhs_scale),
            offsetof(kai_call, rhs_scale_stride),
            offsetof(kai_call, rhs_zero),
            offsetof(kai_call, rhs_zero_point),
            offsetof(kai_call, bias),
            offsetof(kai_call, lut),
            offsetof(kai_call, table),
            offsetof(kai_call, rhs_packed),
            offsetof(kai_call, dst),
            offsetof(kai_call, dst_stride),
            offsetof(kai_call, clamp),
            offsetof(kai_call, clamp_min),
            offsetof(kai_call, clamp_max),
            offsetof(kai_call, requantize),
            offsetof(kai_call, lowp),
            offsetof(kai_call, acc_bias_m),
            offsetof(kai_call, acc_bias_n),
            offsetof(kai_call, scale_bias_n),
            offsetof(kai_call, acc_scale),
            offsetof(kai_call, offsets),
            offsetof(kai_call, reserved)}),
        (Bytes{392, 0,   8,   16,  24,  32,  40,  48,  56,  64,  72,  80,  88,  96,  104, 112, 116, 120, 128, 136,
               144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 220, 224, 228, 240, 296, 304, 312, 320, 328, 360}))
        << "kai_call";
}

}  // namespace
