// kai_registry_check agrees with the functions: what it rejects, the packer rejects (RHS packers in every build, the
// others with assertions), and what it accepts runs.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <set>
#include <regex>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/library_build.hpp"
#include "test/support/packing.hpp"
#include "test/support/ending.hpp"
#include "test/support/said.hpp"

namespace {

using Call = kai_registry_call;
using test::Ending;

std::string text(const Call& c) {
    char line[256];
    std::snprintf(
        line, sizeof(line),
        "m %zu, n %zu, k %zu, bl %zu, rows %zu, kr %zu, sr %zu, m_idx_start %zu, stride %zu, scale_stride %zu, bias "
        "%d, "
        "scale %d, zero %d",
        c.m, c.n, c.k, c.bl, c.rows, c.kr, c.sr, c.m_idx_start, c.stride, c.scale_stride, c.bias, c.scale, c.zero);
    return line;
}

/// Zeros, more than any call here reads or writes; the table of pointers points at them.
struct Buffers {
    static constexpr size_t kSize = size_t{8} << 20;
    std::vector<uint8_t> source = std::vector<uint8_t>(kSize), packed = std::vector<uint8_t>(kSize),
                         rhs = std::vector<uint8_t>(kSize), dst = std::vector<uint8_t>(kSize);
    std::vector<float> floats = std::vector<float>(1 << 16);  // 6 columns of scales 5000 bytes apart, among others
    std::vector<const void*> table = std::vector<const void*>(4096, source.data());
};

void run(const kai_packer& p, const Call& c, Buffers& b) {
    static constexpr int32_t kMinusZeroPoint = -1;
    static constexpr float kScale = 1.0F;
    const auto given = [&](bool is_given) { return is_given ? b.floats.data() : nullptr; };
    const bool lhs = kai::is_lhs(p);
    kai::PackerArgs a = kai::packer_args();
    a.count = lhs ? c.m : c.n;
    kai::set_depth(a, c.k);
    a.bl = c.bl;
    a.rows = c.rows, a.kr = c.kr, a.sr = c.sr;
    a.source = kai::takes_pointers(p) ? static_cast<const void*>(b.table.data()) : b.source.data();
    a.stride = lhs ? c.k * sizeof(float) : c.stride != 0 ? c.stride : std::max(c.n, c.k) * sizeof(float);
    a.m_idx_start = c.m_idx_start;
    a.zero = given(c.zero), a.bias = a.no_bias = given(c.bias), a.scale = a.no_scale = given(c.scale);
    a.scale_stride = c.scale_stride != 0 ? c.scale_stride : c.k * sizeof(uint16_t);
    a.params = a.no_params = c.params;
    a.k_sum_scale_global = &kMinusZeroPoint, a.scale_global = &kScale;
    a.table = reinterpret_cast<const int8_t*>(b.source.data());
    a.packed = b.packed.data();
    kai::run(p, a, kai::Direct{});
}

void run(const kai_ukernel& u, const Call& c, Buffers& b) {
    static constexpr kai_matmul_requantize32_params kRequantise = {-128, 127, 0};
    static constexpr float kScale = 1.0F;
    kai::KernelArgs a = {};
    a.m = c.m, a.n = c.n, a.bl = c.bl;
    kai::set_depth(a, c.k);
    a.lhs = kai::takes_pointers(u) ? static_cast<const void*>(b.table.data()) : b.source.data();
    a.lhs_stride = kai::is_unified(u) ? 0 : c.k * sizeof(float);
    a.rhs = b.rhs.data(), a.dst = b.dst.data();
    a.dst_stride_row = c.n * sizeof(float);
    a.dst_stride_col = kai_get_datatype_size_in_bytes(u.dst_type);
    a.clamp = u.dst_type != kai_dt_int32, a.clamp_min = -1.0F, a.clamp_max = 1.0F;
    a.requantize = &kRequantise, a.acc_scale = &kScale;
    static constexpr int32_t kZero = 0;
    kai_matmul_lowp_params lowp = {};
    lowp.multiplier = lowp.shift = &kZero;
    static constexpr kai_matmul_offsets kNoOffsets = {};
    a.lowp = &lowp, a.offsets = &kNoOffsets;
    kai::run(u, a, kai::Direct{});
}

void run(const Call& c, Buffers& b) {
    c.packer != nullptr ? run(*c.packer, c, b) : run(*c.ukernel, c, b);
}

/// @name Parameters of every type, valid and invalid
/// @{
constexpr kai_rhs_pack_qs4cxs1s0_param kZeroPoints[] = {{1, 8}, {1, 2}, {1, 0}, {1, 3}, {2, 8}, {0, 8}, {-1, 8}};
constexpr kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params kBlockParams[] = {
    {1, 8, kai_dt_bf16}, {1, 8, kai_dt_f16}, {0, 8, kai_dt_bf16}, {1, 7, kai_dt_bf16}};
constexpr kai_rhs_pack_qsi8cx_params kChannelParams[] = {{1, 1.0F}, {-128, 0.5F}};

std::vector<const void*> params_for(const kai_packer& p) {
    std::vector<const void*> all;
    const auto add = [&](const auto& list) {
        for (const auto& params : list) {
            all.push_back(&params);
        }
    };
    if (kai::has_block_sums(p)) {
        add(kBlockParams);
    } else if (kai::takes_scale_multiplier(p)) {
        add(kChannelParams);
    } else {
        add(kZeroPoints);
    }
    all.push_back(nullptr);
    return all;
}
/// @}

bool accepted(const Call& c, std::string* reason = nullptr) {
    char sentence[256] = "";
    const bool is_accepted = kai_registry_check(&c, sentence, sizeof(sentence));
    EXPECT_EQ(kai_registry_check(&c, nullptr, 0), is_accepted);
    EXPECT_EQ(is_accepted, sentence[0] == 0) << sentence;
    if (reason != nullptr) {
        *reason = sentence;
    }
    return is_accepted;
}

/// A valid call, or an invalid one with the reason.
Call right_call(const kai_packer& p, std::string& reason) {
    Call c = {};
    c.packer = &p;
    c.m = p.signature == KAI_LHS_PACK ? 1 : 5;
    c.n = 6;
    c.k = 64;
    c.bl = 32;
    if (test::fixed_block(p) != 0) {
        c.k = 2 * test::fixed_block(p);
    }
    if (kai::is_file(p)) {
        c.k = 2 * kai::file_type_of(p).block_weights;
    }
    const size_t v = kai_cpu_sme_bytes() / 4, sve = kai_cpu_sve_bytes() / 4;
    for (const size_t rows : std::set<size_t>{1, 4, 8, 12, 16, 32, v, 2 * v, 16 * v, 4 * sve}) {
        for (const size_t kr : {1, 2, 4, 8, 16}) {
            for (const size_t sr : {1, 2}) {
                if (rows == 0 || !p.accepts(rows, kr, sr)) {
                    continue;
                }
                c.rows = rows, c.kr = kr, c.sr = sr;
                for (const int operands : {7, 6, 3, 2, 1, 0}) {
                    c.bias = (operands & 1) != 0, c.scale = (operands & 2) != 0, c.zero = (operands & 4) != 0;
                    for (const void* params : params_for(p)) {
                        c.params = params;
                        if (accepted(c, &reason)) {
                            return c;
                        }
                    }
                }
            }
        }
    }
    return c;
}

/// Calls that differ from this one in one argument.
std::vector<Call> variations(const Call& base) {
    std::vector<Call> calls = {base};
    const auto vary = [&](auto Call::*field, std::initializer_list<size_t> values) {
        for (const size_t value : values) {
            calls.push_back(base);
            calls.back().*field = static_cast<std::decay_t<decltype(base.*field)>>(value);
        }
    };
    vary(&Call::m, {0, 1, 2, 37});
    vary(&Call::n, {0, 1, 37});
    vary(&Call::k, {0, 1, 16, 31, 32, 33, 48, 80, 250, 288});
    vary(&Call::bl, {0, 16, 31, 32, 48, 64, 96});
    if (base.packer == nullptr) {
        return calls;
    }
    vary(&Call::rows, {0, 1, 3, 4, 5, 8, 24});
    vary(&Call::kr, {0, 1, 2, 3, 4, 6, 8, 16, 24, 32});
    vary(&Call::sr, {0, 1, 2, 3, 4, 8});
    vary(&Call::m_idx_start, {1, 8});
    vary(&Call::stride, {1, 15, 5000});
    vary(&Call::scale_stride, {1, 5000});
    vary(&Call::bias, {!base.bias});
    vary(&Call::scale, {!base.scale});
    vary(&Call::zero, {!base.zero});
    for (const void* params : params_for(*base.packer)) {
        calls.push_back(base);
        calls.back().params = params;
    }
    calls.push_back(base);  // an empty problem with everything wrong that belongs to operands
    calls.back().n = 0, calls.back().params = nullptr, calls.back().scale = calls.back().zero = false;
    calls.push_back(base);
    calls.back().k = 512, calls.back().bl = 512;
    return calls;
}

/// Runs all calls that are accepted, in one process, and those that are rejected if the function checks.
void compare(const std::vector<Call>& calls, const char* name, bool checks) {
    static Buffers buffers;
    std::vector<Call> good;
    size_t refused = 0;
    for (const Call& c : calls) {
        std::string reason;
        if (accepted(c, &reason)) {
            good.push_back(c);
            continue;
        }
        ++refused;
        if (!checks) {
            continue;
        }
        const Ending ending = test::ending_of([&] { run(c, buffers); });
        EXPECT_EQ(ending.signal, SIGABRT) << "refused (" << reason << "), but it runs: " << text(c);
        const bool lhs = c.packer != nullptr && kai::is_lhs(*c.packer);
        const bool unified = c.packer != nullptr && !lhs && kai::is_unified(*c.packer);
        EXPECT_TRUE(lhs || ending.text.find(name) != std::string::npos) << ending.text;
        EXPECT_TRUE(lhs || unified || ending.text.find(": " + reason + "\n") != std::string::npos)
            << ending.text << "in place of: " << reason;
    }
    const Ending ending = test::ending_of([&] {
        for (const Call& c : good) {
            std::fprintf(stderr, "%s\n", text(c).c_str());
            run(c, buffers);
        }
    });
    EXPECT_TRUE(ending.returned) << "accepted, but it ends with signal " << ending.signal << ": "
                                 << ending.text.substr(ending.text.size() - std::min<size_t>(ending.text.size(), 400));
    EXPECT_GT(good.size(), 5u);
    EXPECT_EQ(good.size() + refused, calls.size());
}

class CheckPacker : public testing::TestWithParam<const kai_packer*> {};
class CheckUkernel : public testing::TestWithParam<const kai_ukernel*> {};

TEST_P(CheckPacker, AgreesWithRun) {
    const kai_packer& p = *GetParam();
    TEST_SKIP_UNLESS_RUNNABLE(p);
    const bool lhs = kai::is_lhs(p);
    std::string reason;
    const Call base = right_call(p, reason);
    ASSERT_EQ(reason, "") << "no call of it is right";
    if (!kai::is_depthwise(p)) {
        compare(variations(base), p.name, !lhs || test::library_asserts);
    }
}

// Strides between lines count from the second line on: those of rows, and those of the scales of columns. What is right
// here is written down, since the check and the function have one rule.
TEST_P(CheckPacker, StridesFromTheSecondLineOn) {
    const kai_packer& p = *GetParam();
    TEST_SKIP_UNLESS_RUNNABLE(p);
    if (kai::is_lhs(p) || kai::is_depthwise(p) || kai::is_unified(p) || !kai::has_stride(p)) {
        return;
    }
    std::string reason;
    const Call right = right_call(p, reason);
    ASSERT_EQ(reason, "") << "no call of it is right";
    const auto said = [&](size_t lines, size_t Call::*stride, size_t value) {
        Call c = right;
        (kai::is_kxn(p) && stride == &Call::stride ? c.k : c.n) = lines;
        c.*stride = 0;
        if (!accepted(c, &reason)) {
            return std::string("no such k");  // which must be a multiple of more
        }
        c.*stride = value;
        accepted(c, &reason);
        return std::regex_replace(
            reason, std::regex(SAID_AS(short_stride, "(\\w+)", "([0-9]+)", "[0-9]+", "\\w+")), "$1 = $2");
    };
    for (const size_t lines : {2, 3}) {
        const std::string text = said(lines, &Call::stride, 1);
        EXPECT_TRUE(text == "rhs_stride = 1" || text == "no such k" || right.n <= 2) << text << ", lines " << lines;
    }
    const std::string one = said(1, &Call::stride, 1);
    EXPECT_TRUE(one.empty() || one == "no such k") << one;
    if (kai::has_scale_stride(p)) {
        EXPECT_EQ(said(1, &Call::scale_stride, 1), "");
        EXPECT_EQ(said(2, &Call::scale_stride, 1), "scale_stride = 1");
    }
}

TEST_P(CheckUkernel, AgreesWithRun) {
    const kai_ukernel& u = *GetParam();
    TEST_SKIP_UNLESS_RUNNABLE(u);
    Call base = {};
    base.ukernel = &u;
    base.m = 1, base.n = 11, base.k = 256, base.bl = 32;
    ASSERT_TRUE(accepted(base));
    compare(variations(base), u.name, test::library_asserts);
}

TEST(Check, Sentences) {
    const kai_packer* p = kai_registry_find_packer("rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0");
    ASSERT_NE(p, nullptr);
    Call c = {};
    std::string reason;
    EXPECT_FALSE(accepted(c, &reason));
    EXPECT_EQ(reason, SAID(no_function));
    c.packer = p;
    c.n = 6, c.k = 64, c.bl = 32, c.rows = 4, c.kr = 16, c.sr = 2;
    c.params = &kZeroPoints[0];
    EXPECT_TRUE(accepted(c, &reason)) << reason;
    c.k = 250;
    EXPECT_FALSE(accepted(c, &reason));
    EXPECT_EQ(reason, SAID(not_multiple_of, "k", 250, "bl", 32));
    char few[10] = "";
    EXPECT_FALSE(kai_registry_check(&c, few, sizeof(few)));
    EXPECT_EQ(few, reason.substr(0, sizeof(few) - 1));
    c.k = 64, c.bias = true;
    EXPECT_FALSE(accepted(c, &reason));
    EXPECT_EQ(reason, SAID(no_place, "bias"));
    c = {};
    c.packer = kai_registry_find_packer("lhs_quant_pack_qai8dxp_f32");
    c.m = 3, c.k = 33, c.rows = 4, c.kr = 8, c.sr = 1;  // rows are stored to a multiple of 32
    EXPECT_TRUE(accepted(c, &reason)) << reason;
    for (const kai_ukernel* u : test::all_ukernels()) {
        Call call = {};
        call.ukernel = u;
        call.m = 37, call.n = 1, call.k = 256, call.bl = 32;
        EXPECT_EQ(accepted(call, &reason), u->rows != KAI_ROWS_ONE) << u->name;
        EXPECT_EQ(reason, u->rows == KAI_ROWS_ONE ? SAID(many_rows, 37) : "");
        const std::string format = u->rhs_format;
        const bool one_length = kai::has_blocks(*u) &&
                                (format.rfind("qlu4", 0) == 0 || format == "qai4c32ps1s0sf16" || format == "qau5c32p");
        call.m = 1, call.bl = 64;
        EXPECT_EQ(accepted(call, &reason), !one_length) << u->name;
        EXPECT_EQ(reason, one_length ? SAID(other, "bl", 64, 32) : "");
    }
}

// Room for members of later versions: a client that was built for a newer library is refused.
TEST(RegistryCheck, RefusesReservedRoom) {
    Call c = {};
    c.ukernel = kai_registry_ukernel(0), c.m = c.n = 1, c.k = c.bl = 32;
    std::string reason;
    EXPECT_TRUE(accepted(c, &reason)) << reason;
    for (uint64_t& word : c.reserved) {
        for (const unsigned bit : {0U, 63U}) {
            word = uint64_t{1} << bit;
            EXPECT_FALSE(accepted(c, &reason));
            EXPECT_NE(reason.find(SAID(reserved, "call")), std::string::npos) << reason;
        }
        word = 0;
    }
}

// Sums of a channel fit int32 up to some depth. |q - zero point| is at most 255; of nibbles, those 16 apart are summed
// as 16 * weight (docs/arithmetic.md).
TEST(RegistryCheck, DepthsWhoseSumsFit) {
    size_t kernels = 0;
    for (const kai_ukernel* u : test::all_ukernels()) {
        const std::string format = u->rhs_format;
        if (format != "qsi8cxp" && format != "qsi4cxp" && format != "qsi4cxps1s0") {
            continue;
        }
        ++kernels;
        const size_t step = std::max<size_t>(u->k_multiple, 1);
        const size_t most = 0x7FFFFFFF / (255 * (format == "qsi4cxps1s0" ? 8 : 128)) / step * step;
        Call c = {};
        c.ukernel = u;
        c.m = c.n = 1, c.k = most;
        std::string reason;
        EXPECT_TRUE(accepted(c, &reason)) << u->name << ": " << reason;
        c.k += step;
        EXPECT_FALSE(accepted(c, &reason)) << u->name;
        EXPECT_NE(reason.find(SAID(large_sums, c.k, most)), std::string::npos) << u->name << ": " << reason;
    }
    EXPECT_GT(kernels, 5U);
}

// On a CPU without SVE or SME, where panels are as wide as its vectors.
TEST(RegistryCheck, WithoutTheVectors) {
    for (const kai_packer* p : test::all_packers()) {
        const bool sme = (p->features >> KAI_CPU_SME & 1) != 0, sve = (p->features >> KAI_CPU_SVE & 1) != 0;
        const bool has_vectors = (!sme || kai_cpu_sme_bytes() != 0) && (!sve || kai_cpu_sve_bytes() != 0);
        if (has_vectors || kai::is_unified(*p) || kai::is_indirect(*p) || kai::is_depthwise(*p)) {
            continue;
        }
        Call c = {};
        c.packer = p;
        c.m = c.n = 1, c.k = 16, c.rows = 8, c.kr = c.sr = 1;
        std::string reason;
        EXPECT_FALSE(accepted(c, &reason));
        EXPECT_EQ(reason, SAID(no_vectors)) << p->name;
    }
}

INSTANTIATE_TEST_SUITE_P(Packers, CheckPacker, testing::ValuesIn(test::all_packers()), test::instance_name<kai_packer>);
INSTANTIATE_TEST_SUITE_P(
    Kernels, CheckUkernel, testing::ValuesIn(test::all_ukernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CheckUkernel);

}  // namespace
