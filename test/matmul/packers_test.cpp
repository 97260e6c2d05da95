// With the library's packers, and by kai_call.h.
//
// SPDX-License-Identifier: Apache-2.0
#include "test/matmul/fixture.hpp"

namespace test::matmul {

/// k, or what packers of rows of a file take of it.
size_t depth_of_packers(const kai_ukernel& u, size_t k) {
    const kai_packer* rhs = kai_registry_rhs_packer(&u, 0);
    return rhs != nullptr && kai::is_file(*rhs) ? 256 : k;
}

// From sources to the result, through every packer that the registry offers for the kernel.
TEST_P(Matmul, WithTheLibrarysPackers) {
    const size_t k = indirect ? 3 * 29 : depth_of_packers(u, typical_depth().k), bl = typical_depth().bl;
    const size_t m = one_row ? 1 : m_step + lhs_tile.rows + 1, n = n_step + 3;
    ASSERT_EQ(kai_registry_lhs_packer(&u, 0) != nullptr, lhs_format->packed);
    bool from_files = false;
    for (size_t i = 0; i < kai_gguf_type_count(); ++i) {
        from_files |= kai_registry_gguf_packer(&u, kai_gguf_type_at(i)->id) != nullptr;
    }
    ASSERT_EQ(from_files || kai_registry_rhs_packer(&u, 0) != nullptr, rhs_format->packed);
    if (!rhs_format->packed) {
        check(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl));
        return;
    }
    for (size_t i = 0; i == 0 || kai_registry_lhs_packer(&u, i) != nullptr; ++i) {
        for (size_t j = 0; kai_registry_rhs_packer(&u, j) != nullptr; ++j) {
            const kai_packer* lhs_packer = kai_registry_lhs_packer(&u, i);
            const kai_packer& rhs_packer = *kai_registry_rhs_packer(&u, j);
            SCOPED_TRACE(std::string(lhs_packer != nullptr ? lhs_packer->name : "rows") + ", " + rhs_packer.name);
            std::vector<uint8_t> l;
            const Side lhs = lhs_packer != nullptr ? pack_lhs(*lhs_packer, m, k, bl, l) : rows_of_lhs(m, k, bl, l);
            std::vector<uint8_t> r;
            const Side rhs = pack_rhs(rhs_packer, n, k, bl, r);
            std::vector<float> dst;
            if (by_pointers) {
                dst = run(Operands(*lhs_format, lhs, rhs, m_step, r, Flush::end));
            } else {
                Operands o(lhs, rhs, l, r);
                o.lhs_stride = k * lhs_format->bits() / 8;
                dst = run(o);
            }
            EXPECT_EQ(reference::compare(expected(lhs, rhs), dst, m, n, -kInf, kInf, u.dst_type), "");
        }
    }
}

// kai_call.h with neither side packed: rows without gaps, and with them.
TEST_P(Matmul, PlainByKaiCall) {
    if (rhs_format->packed || lhs_format->packed) {
        return;
    }
    const size_t k = typical_depth().k, m = m_step + 2, n = n_step + 3, gap = 5 * element;
    const Side lhs = make_lhs(Data::random, m, k, 0), rhs = make_rhs(Data::random, n, k, 0);
    const Operands o = packed(lhs, rhs);
    kai_call c = {};
    c.ukernel = &u;
    c.m = m, c.n = n, c.k = k;
    c.clamp = true, c.clamp_min = -0.5f, c.clamp_max = 0.75f;
    EXPECT_EQ(kai_call_lhs_packed_size(&c), 0u);
    EXPECT_EQ(kai_call_rhs_packed_size(&c), 0u);
    kai_call_pack_lhs(&c, 0, m, nullptr);
    kai_call_pack_rhs(&c, 0, n, nullptr);
    const Clamp clamp = low_precision ? Clamp{-5, 60} : Clamp{-0.5f, 0.75f};
    if (low_precision) {
        c.lowp = lowp_params(o, clamp);
    }
    const std::vector<float> want = check(lhs, rhs, clamp);
    c.lhs = o.lhs.data(), c.rhs = o.rhs.data();
    EXPECT_EQ(
        kai_call_rhs_packed_offset(&c, n_step), n_step * (rhs_format->kxn ? rhs_format->bits() / 8 : o.rhs_stride));
    EXPECT_TRUE(same_bits(run(c), want));
    const GuardedBuffer l(lines_with_gaps(o.lhs, o.lhs_stride, gap)), r(lines_with_gaps(o.rhs, o.rhs_stride, gap));
    c.lhs = l.data(), c.lhs_stride = o.lhs_stride + gap;
    c.rhs = r.data(), c.rhs_stride = o.rhs_stride + gap;
    EXPECT_TRUE(same_bits(run(c), want));
}

// Rows of a file at any address, any distance apart; by kai_call.h, too, which knows the length of the blocks.
TEST_P(Matmul, RowsOfAFile) {
    if (kai::file_type_of(u) == nullptr) {
        return;
    }
    const size_t k = typical_depth().k, m = 3, n = n_step + 3;
    const Side rhs = make_rhs(Data::random, n, k, 0);
    for (size_t i = 0; kai_registry_lhs_packer(&u, i) != nullptr; ++i) {
        const kai_packer& packer = *kai_registry_lhs_packer(&u, i);
        std::vector<float> values;
        const Side lhs = lhs_for(packer, m, k, 0, values);
        const Operands dense = packed(lhs, rhs);
        const Clamp clamp = {-0.5f, 0.75f};
        const std::vector<float> want = check(lhs, rhs, clamp);
        const LhsSource source(packer, lhs_tile, values, m, k, 1);
        for (const size_t gap : {0, 1, 17}) {
            const GuardedBuffer rows(lines_with_gaps(dense.rhs, dense.rhs_stride, gap));
            kai_call c = {};
            c.ukernel = &u, c.lhs_packer = &packer;
            c.m = m, c.n = n, c.k = k;
            c.lhs = source.rows, c.lhs_stride = source.stride;
            const GuardedBuffer l(kai_call_lhs_packed_size(&c));
            kai_call_pack_lhs(&c, 0, m, l.data());
            c.lhs_packed = l.data();
            c.rhs = rows.data(), c.rhs_stride = gap == 0 ? 0 : dense.rhs_stride + gap;
            c.clamp = true, c.clamp_min = clamp.lo, c.clamp_max = clamp.hi;
            EXPECT_EQ(kai_call_rhs_packed_size(&c), 0u);
            EXPECT_EQ(kai_call_rhs_packed_offset(&c, n_step), n_step * (dense.rhs_stride + gap));
            EXPECT_TRUE(same_bits(run(c), want)) << packer.name << ", gaps of " << gap << " bytes";
        }
    }
}

// kai_call.h: the same bytes and products, packed and computed in parts. Kernels for one row compute three.
TEST_P(Matmul, ByKaiCall) {
    const size_t k = indirect ? vast() ? 3 * 5 : 3 * 29 : depth_of_packers(u, typical_depth().k);
    const size_t bl = typical_depth().bl, m = one_row ? 3 : m_step + (vast() ? 0 : lhs_tile.rows) + 1, n = n_step + 3;
    for (size_t i = 0; i == 0 || kai_registry_lhs_packer(&u, i) != nullptr; ++i) {
        for (size_t j = 0; kai_registry_rhs_packer(&u, j) != nullptr; ++j) {
            const kai_packer* lhs_packer = kai_registry_lhs_packer(&u, i);
            const kai_packer& rhs_packer = *kai_registry_rhs_packer(&u, j);
            SCOPED_TRACE(std::string(lhs_packer != nullptr ? lhs_packer->name : "rows") + ", " + rhs_packer.name);
            Side source_side;
            const Side side = rhs_for(rhs_packer, n, k, bl, source_side);
            const RhsSource source(rhs_packer, source_side, 2);
            kai_call c = call_of(source, rhs_packer, m, n, bl);
            const Side rhs = as_packed(rhs_packer, side, source);
            const GuardedBuffer r(kai_call_rhs_packed_size(&c));
            pack_rhs(c, r);
            std::vector<uint8_t> bytes;
            pack_rhs(rhs_packer, n, k, bl, bytes);
            EXPECT_EQ(r.bytes(), bytes);
            const RhsSource dense(rhs_packer, source_side, 0);  // of which 0 is right for any stride
            kai_call without_gaps = call_of(dense, rhs_packer, m, n, bl);
            without_gaps.rhs_stride = without_gaps.rhs_scale_stride = 0;
            const GuardedBuffer r_dense(r.size());
            pack_rhs(without_gaps, r_dense);
            EXPECT_EQ(r_dense.bytes(), bytes);

            std::vector<float> values;
            const Side lhs =
                lhs_packer != nullptr ? lhs_for(*lhs_packer, m, k, bl, values) : make_lhs(Data::random, m, k, bl);
            std::optional<LhsSource> lhs_source;
            if (lhs_packer != nullptr) {
                lhs_source.emplace(*lhs_packer, lhs_tile, values, m, k, 1);
                set_lhs(c, *lhs_packer, *lhs_source);
            }
            const GuardedBuffer l(kai_call_lhs_packed_size(&c));
            pack_lhs(c, l);
            const GuardedBuffer l_at_once(l.size());
            kai_call_pack_lhs(&c, 0, SIZE_MAX, l_at_once.data());
            EXPECT_EQ(l_at_once.bytes(), l.bytes());
            Operands o = packed(lhs, side);
            if (lhs_packer == nullptr) {
                EXPECT_EQ(l.size(), 0u);
                c.lhs = o.lhs.data(), c.lhs_stride = 0;
                c.pad_ptr = o.padding.data(), c.lhs_ptr_offset = Operands::kPointerOffset;
            }
            c.lhs_packed = l.data(), c.rhs_packed = r.data();
            if (has_unsigned) {
                c.acc_bias_m = o.bias_m.as<int32_t>(), c.acc_bias_n = o.bias_n.as<int32_t>();
                c.scale_bias_n = o.offset_n.size() == 0 ? nullptr : o.offset_n.as<float>();
                c.acc_scale = o.scale;
            }
            if (low_precision) {
                c.lowp = lowp_params(o, {});
            }
            std::optional<Offsets> offsets;
            if (gives_sums) {
                offsets.emplace(*arithmetic.low_precision, o, m, n);
                c.offsets = offsets->params;
            }
            const auto compare_with = [&](const Side& its_lhs, const Side& its_rhs, Clamp clamp) {
                EXPECT_EQ(
                    reference::compare(expected(its_lhs, its_rhs), run(c), m, n, clamp.lo, clamp.hi, u.dst_type), "");
            };
            const auto compare = [&](Clamp clamp) { compare_with(lhs, rhs, clamp); };
            compare({});
            if (u.dst_type == kai_dt_int8 && !low_precision) {  // without a clamp, int8 ends where the type does
                for (const int32_t zero_point : {-128, 127}) {
                    c.requantize.output_zero_point = arithmetic.zero_point = zero_point;
                    compare({});
                }
                c.requantize.output_zero_point = arithmetic.zero_point = kZeroPoint;
            }
            if (low_precision) {  // one multiplier and one shift for all channels, no bias
                Side plain = rhs;
                std::fill(plain.multiplier.begin(), plain.multiplier.end(), rhs.multiplier[0]);
                std::fill(plain.shift.begin(), plain.shift.end(), rhs.shift[0]);
                std::fill(plain.bias.begin(), plain.bias.end(), 0.0f);
                c.lowp.per_channel = false, c.lowp.bias = nullptr;
                compare_with(lhs, plain, {});
                c.lowp = lowp_params(o, {});
            }
            if (has_unsigned) {  // no biases; 0 means a scale of 1
                Side bare_lhs = lhs, bare_rhs = rhs;
                bare_lhs.scale.assign(m, 1.0f);
                bare_lhs.bias.clear(), bare_rhs.bias.clear(), bare_rhs.offset.clear();
                kai_call bare = c;
                bare.acc_bias_m = bare.acc_bias_n = nullptr, bare.scale_bias_n = nullptr, bare.acc_scale = 0;
                std::swap(c, bare);
                compare_with(bare_lhs, bare_rhs, {});
                std::swap(c, bare);
            }
            if (clamps) {
                c.clamp = true;
                c.clamp_min = -5, c.clamp_max = 60;
                c.requantize.min_value = -5, c.requantize.max_value = 60;
                c.lowp.min_value = -5, c.lowp.max_value = 60;
                compare({-5, 60});
            }
        }
    }
}

}  // namespace test::matmul
