// What RHS packers reject, in every build: each rule violated on its own, by every packer that has it. The function
// that was called names itself and the values. Getters ignore what their result does not depend on, and reject the rest
// in builds with assertions alone.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kai/engines/core/catalogue.hpp"
#include "kai/kai_registry.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"
#include "test/support/coverage.hpp"
#include "test/support/ending.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/library_build.hpp"
#include "test/support/packing.hpp"
#include "test/support/said.hpp"
#include "test/support/subject.hpp"

using test::GuardedBuffer;

namespace {

/// Getters that the registry does not carry, of packers that take nr, kr and sr. A build may lack a packer.
#define BY_SIGNATURE(SIGNATURE, ...) KAI_LINE_(ON_##SIGNATURE, KAI_NO_LINE, ~)(__VA_ARGS__)
#define ON_RHS_PACK_NXK_BL KAI_LINES(STRIDE)
#define ON_RHS_PACK_NXK_BL_BF16 KAI_LINES(STRIDE)
#define ON_RHS_PACK_KXN_BL_BF16 KAI_LINES(STRIDE)
#define ON_RHS_PACK_NXK_QS4CX KAI_LINES(STRIDE)
#define ON_RHS_PACK_KXN_QS4CX KAI_LINES(STRIDE)
#define ON_RHS_PACK_NXK_QSI8CX KAI_LINES(STRIDE)
#define ON_RHS_PACK_KXN_QSI8CX KAI_LINES(STRIDE)
#define ON_RHS_PACK_NXK_QSU2CX KAI_LINES(STRIDE)

#define STRIDE(isa, name, ...) \
    extern "C" [[gnu::weak]] decltype(kai_get_rhs_packed_stride_##name) kai_get_rhs_packed_stride_##name;
#define KAI_RHS_PACKER BY_SIGNATURE
#include "kai/ukernels/pack/packs.def"
#undef STRIDE

kai_any_fn* packed_stride_getter(const kai_packer& p) {
    static const std::map<std::string, kai_any_fn*> getters = {
#define STRIDE(isa, name, ...) {#name, reinterpret_cast<kai_any_fn*>(kai_get_rhs_packed_stride_##name)},
#define KAI_RHS_PACKER BY_SIGNATURE
#include "kai/ukernels/pack/packs.def"
    };
    const auto found = getters.find(p.name);
    return found == getters.end() ? nullptr : found->second;
}

/// A call. Operands are buffers of zeros, large enough for a valid call.
struct Call {
    size_t num_groups = 1, n = 6, k = 64, nr = 4, kr = 8, sr = 2, bl = 32;
    size_t rhs_stride = 0, scale_stride = 0, extra_bytes = 0;
    bool rhs = true, zero = true, bias = true, scale = true, packed = true, params = true;
    int8_t lhs_zero_point = 1;
    uint8_t rhs_zero_point = 8;
    enum kai_datatype scale_dt = kai_dt_bf16;
    size_t n_idx = 0;
};

/// The expected message, with {nr}, {kr} and so on for the numbers of the call.
struct Violation {
    const char* name;
    std::function<bool(const kai_packer&)> packers;
    std::function<void(Call&)> change;
    std::string message;
    bool getters = false;  // their result depends on it
};

bool any(const kai_packer&) {
    return true;
}
bool takes_scales(const kai_packer& p) {
    return kai::has_scale_stride(p) || test::has_channels(p) || kai::takes<&kai::PackerArgs::zero>(p);
}
bool takes_elements(const kai_packer& p) {
    return !takes_scales(p) && !test::has_blocks(p);
}
/// Or its format has no field for one.
bool packs_no_bias(const kai_packer& p) {
    return test::format_of(p).bias == nullptr;
}
bool takes_kr_to_16(const kai_packer& p) {
    return test::has_blocks(p) && !test::has_block_sums(p) && p.accepts(4, 16, 2);
}
bool takes_group_4(const kai_packer& p) {
    return test::has_block_sums(p) && p.accepts(4, 8, 2) && !p.accepts(4, 16, 2);
}
bool takes_blocks(const kai_packer& p) {
    return test::has_blocks(p);
}
bool takes_a_table(const kai_packer& p) {
    return kai::has_lut(p);
}
bool takes_int4_columns(const kai_packer& p) {
    return p.signature == KAI_RHS_PACK_NXK_QS4CX || p.signature == KAI_RHS_PACK_KXN_QS4CX;
}
bool takes_int8_columns(const kai_packer& p) {
    return test::has_channels(p) && !takes_a_table(p) && !takes_int4_columns(p);
}
bool takes_params(const kai_packer& p) {
    return !takes_elements(p) && !kai::is_f8(p);
}
bool has_zero_points(const kai_packer& p) {
    return takes_params(p) && !takes_int8_columns(p);
}
/// The rules. Numbers are those of Call unless changed.
std::vector<Violation> violations() {
    const auto set = [](auto Call::*member, auto value) { return [=](Call& c) { c.*member = value; }; };
    const auto set_tile = [](size_t nr, size_t kr, size_t sr) {
        return [=](Call& c) { c.nr = nr, c.kr = kr, c.sr = sr; };
    };
    const auto set_depth = [](size_t k, size_t bl) { return [=](Call& c) { c.k = k, c.bl = bl; }; };
    const auto of_format = [](const char* format) {
        return [=](const kai_packer& p) { return std::string(p.format) == format; };
    };
    const auto in_blocks_of_four = [](const kai_packer& p) {
        return test::has_block_sums(p) || std::string(p.format) == "qai4c32ps1s0nrx4";
    };
    const auto takes_short_blocks = [](const kai_packer& p) {
        return std::string(p.source_format) == "qsu4c32s16s0" && !p.accepts(4, 16, 2);
    };
    std::vector<Violation> all = {
        {"groups", any, set(&Call::num_groups, 2), SAID(other, "num_groups", 2, 1)},
        {"extra", any, set(&Call::extra_bytes, 4), SAID(other, "extra_bytes", 4, 0)},
        {"nr_0", any, set(&Call::nr, 0), SAID(zero, "nr") + "|" + SAID_AS(other, "nr", "0", "[0-9]+"), true},
        {"kr_0", any, set(&Call::kr, 0), SAID(zero, "kr") + "|" + SAID_AS(other, "kr", "0", "(1|4|8|16)")},
        {"sr_0", any, set(&Call::sr, 0), SAID(zero, "sr") + "|" + SAID(other, "sr", 0, 1)},
        {"nr_6", in_blocks_of_four, set(&Call::nr, 6), SAID(not_multiple, "nr", 6, 4)},
        {"nr_5", of_format("qsu2cxp4x4"), set(&Call::nr, 5), SAID(other, "nr", 5, 4)},
        {"nr_24", takes_elements, set(&Call::nr, 24), "nr = 24, not [0-9]+"},
        {"kr_2", takes_elements, set(&Call::kr, 2), "kr = 2, not (1|4|8|16)"},
        {"sr_2", takes_elements, set(&Call::sr, 2), SAID(other, "sr", 2, 1)},
        {"kr_6_sr_4", takes_blocks, set_tile(4, 6, 4), SAID(not_multiple_of, "kr", 6, "sr", 4)},
        {"kr_18", takes_kr_to_16, set_tile(4, 18, 2), SAID(too_large, "kr", 18, 16)},
        {"sr_1", takes_kr_to_16, set_tile(4, 8, 1), SAID(other, "sr", 1, 2)},
        {"kr_12", takes_kr_to_16, set_tile(4, 12, 2), SAID(not_multiple_of, "bl", 32, "kr", 12)},
        {"group_12", test::has_block_sums, set_tile(4, 24, 2),
         SAID_AS(no_power, "kr / sr", "12", "[124]", "(16|8)") + "|" + SAID(other, "kr / sr", 12, 4)},
        {"group_2", takes_group_4, set_tile(4, 4, 2), SAID(no_power, "kr / sr", 2, 4, 8)},
        {"kr_8_sme", of_format("qsi4c32ps4s0sf16"), set_tile(4, 8, 2), SAID(other, "kr", 8, 4)},
        {"kr_8_sme_int8", of_format("qsi8c32pscalef16"), set_tile(4, 8, 2), SAID(other, "kr", 8, 4)},
        {"kr_32_sme", of_format("qsi4c32ps1s0scalef16"), set_tile(4, 32, 2),
         SAID_AS(no_power, "kr / sr", "16", ".*", ".*")},
        {"group_8_table", takes_a_table, set_tile(4, 8, 1), SAID(other, "kr / sr", 8, 4)},
        {"kr_24_int8", takes_int8_columns, set_tile(4, 24, 1), SAID(padded_not_multiple, 64, "kr", 24)},
        {"sr_2_int8", takes_int8_columns, set_tile(4, 8, 2), SAID(other, "sr", 2, 1)},
        {"group_12_int4", of_format("qsi4cxp"), set_tile(4, 24, 2),
         SAID(padded_not_multiple_times, 64, 2, "kr / sr", 12)},
        {"kr_24_int4", of_format("qsi4cxps1s0"), set_tile(4, 24, 2), SAID(padded_not_multiple, 64, "kr", 24)},
        {"kr_1_int4", of_format("qsi4cxps1s0"), set_tile(4, 1, 1), SAID(not_multiple, "kr", 1, 2)},
        {"bl_0", takes_blocks, set_depth(64, 0), SAID(zero, "bl"), true},
        {"bl_16", takes_blocks, set_depth(64, 16), SAID(not_multiple, "bl", 16, 32), true},
        {"bl_48", takes_blocks, set_depth(96, 48), SAID(not_multiple, "bl", 48, 32), true},
        {"bl_288", takes_short_blocks, set_depth(288, 288), SAID(too_large, "bl", 288, 256), true},
        {"k_250", takes_blocks, set_depth(250, 32), SAID(not_multiple_of, "k", 250, "bl", 32), true},
        {"k_32", takes_blocks, set_depth(32, 64), SAID(not_multiple_of, "k", 32, "bl", 64), true},
        {"k_40", takes_a_table, set(&Call::k, 40), SAID(not_multiple, "k", 40, 32), true},
        {"bias", packs_no_bias, set(&Call::bias, true), SAID(no_place, "bias")},
        {"scale", takes_scales, set(&Call::scale, false), SAID(null, "scale")},
        {"zero", [](const kai_packer& p) { return kai::takes<&kai::PackerArgs::zero>(p); }, set(&Call::zero, false),
         SAID(null, "zero")},
        {"rhs", any, set(&Call::rhs, false), SAID(null, "rhs")},
        {"packed", any, set(&Call::packed, false), SAID(null, "rhs_packed")},
        {"params", [](const kai_packer& p) { return !takes_params(p); }, set(&Call::params, true),
         SAID(no_place, "params")},
        {"no_params", takes_params, set(&Call::params, false), SAID(null, "params")},
        {"kr_2_f8", kai::is_f8, set_tile(4, 2, 1), SAID(no_power, "kr / sr", 2, 4, 32)},
        {"sr_2_f8", kai::is_f8, set_tile(4, 4, 2), SAID(other, "sr", 2, 1)},
        {"lhs_zero_point", has_zero_points, set(&Call::lhs_zero_point, -3),
         SAID(other_sign, "params->lhs_zero_point", -3, 1)},
        {"rhs_zero_point", [](const kai_packer& p) { return has_zero_points(p) && !takes_a_table(p); },
         set(&Call::rhs_zero_point, 7), "params->rhs_zero_point = 7, not 8( or 0)?"},
        {"scale_dt", test::has_block_sums, set(&Call::scale_dt, kai_dt_f16),
         SAID(not_bf16, "(params->)?scale_dt", 0x212), true},
        {"rhs_stride", [](const kai_packer& p) { return takes_elements(p) || kai::has_scale_stride(p); },
         set(&Call::rhs_stride, 2), SAID_AS(short_stride, "rhs_stride", "2", "[0-9]+", "row")},
        {"scale_stride", test::has_block_sums, set(&Call::scale_stride, 2),
         SAID(short_stride, "scale_stride", 2, 4, "column")},
        {"scale_stride_f8", kai::is_f8, set(&Call::scale_stride, 4),
         SAID(short_stride, "scale_stride", 4, 8, "column")},
    };
    const std::vector<Violation> if_asserted = {
        {"group_8", takes_group_4, set_tile(4, 16, 2), SAID(other, "kr / sr", 8, 4)},
        {"group_4", [](const kai_packer& p) { return std::string(p.name).find("nrx8") != std::string::npos; },
         set_tile(4, 8, 2), SAID(other, "kr / sr", 4, 8)},
        {"table", takes_a_table, set(&Call::rhs_zero_point, 8), SAID(other, "params->rhs_zero_point", 8, 2)},
        {"no_scale", takes_elements, set(&Call::scale, true), SAID(no_place, "scale")}};
    if (test::library_asserts) {
        all.insert(all.end(), if_asserted.begin(), if_asserted.end());
    }
    return all;
}

class PackRules : public testing::TestWithParam<const kai_packer*> {
protected:
    const kai_packer& p = *GetParam();
    const GuardedBuffer source{4096, test::Flush::end, 0}, fields{4096, test::Flush::end, 0}, packed{1 << 16};

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(p);
    }

    /// The first tile that the packer accepts.
    void set_tile(Call& c) const {
        for (const size_t nr : {4, 8, 12, 16, 32}) {
            for (const size_t kr : {8, 4, 16, 1}) {
                for (const size_t sr : {2, 1}) {
                    if (p.accepts(nr, kr, sr)) {
                        c.nr = nr, c.kr = kr, c.sr = sr;
                        return;
                    }
                }
            }
        }
        ADD_FAILURE() << "no tile";
    }

    /// A call that the packer accepts.
    Call right_call() const {
        Call c;
        set_tile(c);
        c.rhs_zero_point = takes_a_table(p) ? 2 : 8;
        c.rhs_stride = takes_elements(p) || kai::is_f8(p) ? (test::is_kxn(p) ? c.n : c.k) * test::element_size(p)
                                                          : ((test::is_kxn(p) ? c.n : c.k) + 1) / 2;
        c.scale_stride = c.k / c.bl * kai::block_scale_size(p);
        c.bias = !packs_no_bias(p);
        c.scale = !takes_elements(p);
        c.params = takes_params(p);
        return c;
    }

    void run(const Call& c) const {
        const auto given = [&](bool is_given) { return is_given ? fields.data() : nullptr; };
        kai::PackerArgs a = args_of(c);
        a.source = c.rhs ? source.data() : nullptr;
        a.stride = c.rhs_stride, a.scale_stride = c.scale_stride;
        a.zero = given(c.zero), a.bias = a.no_bias = given(c.bias), a.scale = a.no_scale = given(c.scale);
        a.packed = c.packed ? packed.data() : nullptr;
        kai::RhsParams params;
        params.nxk = {c.lhs_zero_point, c.rhs_zero_point, c.scale_dt};  // begins as the others
        if (kai::takes_scale_multiplier(p)) {
            params.int8 = {1, 1.0f};
        }
        a.params = a.no_params = c.params ? &params : nullptr;
        kai::run(p, a, kai::Direct{}, test::substitute_of(p));
    }
    static kai::PackerArgs args_of(const Call& c) {
        kai::PackerArgs a = {};
        a.num_groups = c.num_groups, a.extra_bytes = c.extra_bytes;
        a.count = a.index = c.n;
        kai::set_depth(a, c.k);
        a.bl = c.bl, a.scale_dt = c.scale_dt;
        a.rows = c.nr, a.kr = c.kr, a.sr = c.sr;
        return a;
    }

    /// @name Getters; `rows` is n or n_idx.
    /// @{
    size_t size(const Call& c) const {
        return kai::packed_size(p, args_of(c), kai::Direct{});
    }
    size_t offset(const Call& c) const {
        return kai::packed_offset(p, args_of(c), kai::Direct{});
    }
    size_t stride(const Call& c) const {
        kai_any_fn* getter = packed_stride_getter(p);
        if (test::has_block_sums(p)) {
            return reinterpret_cast<kai_get_rhs_packed_stride_bl_dt_fn*>(getter)(
                c.k, c.nr, c.kr, c.sr, c.bl, c.scale_dt);
        }
        if (test::has_blocks(p)) {
            return reinterpret_cast<kai_get_rhs_packed_stride_bl_fn*>(getter)(c.k, c.nr, c.kr, c.bl);
        }
        return reinterpret_cast<kai_get_rhs_packed_stride_cx_fn*>(getter)(c.k, c.nr, c.kr, c.sr);
    }
    /// @}

    /// The line that is printed first (an emulator may say more).
    std::string line(const char* prefix, const std::string& message) const {
        return "^" + std::string(prefix) + p.name + ": (" + message + ")\n";
    }
};

TEST_P(PackRules, RunRefuses) {
    run(right_call());  // takes this one
    for (const Violation& violation : violations()) {
        if (!violation.packers(p)) {
            continue;
        }
        SCOPED_TRACE(violation.name);
        Call c = right_call();
        violation.change(c);
        EXPECT_ABORT(run(c), line("kai_run_", violation.message));
    }
}

TEST_P(PackRules, GettersIgnoreTheRest) {
    const bool pads_groups = takes_elements(p);  // sizes depend on kr, if getters ask for it
    for (const Violation& violation : violations()) {
        if (!violation.packers(p)) {
            continue;
        }
        SCOPED_TRACE(violation.name);
        Call c = right_call(), same = right_call();
        violation.change(c);
        same.n = c.n, same.k = c.k, same.nr = c.nr, same.bl = c.bl;
        if (pads_groups) {
            same.kr = c.kr;
        }
        const bool has_stride = packed_stride_getter(p) != nullptr;
        const bool asks_for_kr = p.signature == KAI_RHS_PACK_KXN_NR;
        if (!violation.getters && !(asks_for_kr && c.kr == 0)) {
            EXPECT_EQ(size(c), size(same));
            EXPECT_EQ(offset(c), offset(same));
            EXPECT_TRUE(!has_stride || stride(c) == stride(same));
        } else if (!test::library_asserts) {  // any result, but not the end of the program
            EXPECT_GE(size(c), offset(c));
            EXPECT_TRUE(!has_stride || stride(c) <= size(c));
        } else if (!pads_groups || asks_for_kr) {  // others are for any n and k
            EXPECT_ABORT(size(c), line("kai_get_rhs_packed_size_", violation.message));
            EXPECT_ABORT(offset(c), line("kai_get_rhs_packed_offset_", violation.message));
            if (has_stride) {
                EXPECT_ABORT(stride(c), line("kai_get_rhs_packed_stride_", violation.message));
            }
        }
    }
}

TEST_P(PackRules, OffsetOfAnOddNibble) {
    if (!test::is_kxn(p) || test::element_bits(p) != 4) {
        return;
    }
    auto* offset = reinterpret_cast<kai_get_offset_fn*>(p.get_source_offset);
    EXPECT_EQ(offset(6, 100), 3u);
    if (test::library_asserts) {
        EXPECT_ABORT(offset(7, 100), line("kai_get_rhs_offset_", SAID(odd, "n_idx", 7)));
    } else {
        EXPECT_EQ(offset(7, 100), 3u);
    }
}

// A problem without columns reads nothing. Without depth there are no elements and no block scales.
TEST_P(PackRules, EmptyProblemsTakeNull) {
    Call c = right_call();
    c.n = 0;
    c.rhs = c.zero = c.bias = c.scale = c.packed = c.params = false;
    c.rhs_stride = c.scale_stride = 0;
    run(c);
    c = right_call();
    c.k = 0;
    c.rhs = c.zero = c.bias = false;
    c.scale = test::has_channels(p);
    run(c);
}

/// Those of this file's signatures that take nr, kr and sr and need neither SVE nor SME.
std::vector<const kai_packer*> packers() {
    std::vector<const kai_packer*> packers;
    for (const kai_packer* p : test::all_packers()) {
        const bool scalable = (p->features >> KAI_CPU_SME & 1) != 0 || (p->features >> KAI_CPU_SVE & 1) != 0;
        if (!test::is_lhs(*p) && !test::is_unified(*p) && !test::is_indirect(*p) && !test::is_requantising(*p) &&
            !kai::is_depthwise(*p) && !kai::takes_rows_alone(*p) && !scalable) {
            packers.push_back(p);
        }
    }
    return packers;
}

INSTANTIATE_TEST_SUITE_P(Packers, PackRules, testing::ValuesIn(packers()), test::instance_name<kai_packer>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PackRules);

}  // namespace
