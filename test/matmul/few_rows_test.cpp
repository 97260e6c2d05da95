// Kernels with outer products of SME2 run those of quarter tiles for few rows, where the CPU has them. Results have the
// same bits either way, so other tests do not tell whether they do. Here the linker sends calls of the functions with
// quarter-tile outer products through others that count (test/CMakeLists.txt, --wrap).
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kai/kai_cpu.h"
#include "test/matmul/fixture.hpp"

namespace {

size_t calls;

}  // namespace

/// NAME is called, and counted. Up to five arguments in general registers, whatever they are.
#define COUNT_CALLS(NAME)                                                                                \
    extern "C" void __real_##NAME(const void* a, const void* b, uintptr_t c, uintptr_t d, uintptr_t e);  \
    extern "C" void __wrap_##NAME(const void* a, const void* b, uintptr_t c, uintptr_t d, uintptr_t e);  \
    extern "C" void __wrap_##NAME(const void* a, const void* b, uintptr_t c, uintptr_t d, uintptr_t e) { \
        ++calls;                                                                                         \
        __real_##NAME(a, b, c, d, e);                                                                    \
    }

COUNT_CALLS(kai_kernel_blocks_few_qai4c32p4vlx4_sme_mop4)
COUNT_CALLS(kai_kernel_blocks_few_qau4c32x256p4vlx4_sme_mop4)
COUNT_CALLS(kai_kernel_blocks_few_qlu4c32p4vlx4scalebf16_sme_mop4)
COUNT_CALLS(kai_kernel_blocks_few_qlu4c32x256p4vlx4_sme_mop4)
COUNT_CALLS(kai_kernel_blocks_few_qsi2c32p4vlx4_sme_mop4)
COUNT_CALLS(kai_kernel_blocks_few_qsi4c32p4vlx4_sme_mop4)
COUNT_CALLS(kai_kernel_blocks_few_qsi8c32p4vlx4_sme_mop4)
COUNT_CALLS(kai_kernel_panels_few_sme_mop4)
COUNT_CALLS(kai_kernel_qai8dxp_few_blocks_sme_mop4)
COUNT_CALLS(kai_kernel_qai8dxp_few_int2_sme_mop4)
COUNT_CALLS(kai_kernel_qai8dxp_few_int4_sme_mop4)
COUNT_CALLS(kai_kernel_qai8dxp_few_int8_sme_mop4)

namespace test::matmul {
namespace {

class FewRows : public Matmul {};

/// Those that have no quarter tiles, and why: docs/performance/quarter-tiles.md.
bool has_whole_tiles_only(const kai_ukernel& u) {
    const auto has = [&](const char* part) { return std::strstr(u.name, part) != nullptr; };
    return has("_f16p1vlx2_qsi4c32p") || has("_f16p4vsx2_q") || has("f8e") || has("qlu4c16p") || has("c16x256p") ||
           has("qau5c32x256p") || has("u8p4vsx4");
}

// As few rows as have quarter tiles, and one more, alone and after a whole tile.
TEST_P(FewRows, RunQuarterTiles) {
    const size_t vl = kai_get_sme_vector_length_u32(),
                 most = rhs_format->blocks || rhs_format->block != 0 ? std::min<size_t>(vl / 2, 8) : vl / 2;
    const bool present = kai_cpu_query(KAI_CPU_SME_MOP4).present;
    const auto [k, bl] = depths()[1];
    for (const size_t m : {size_t{1}, most, most + 1, vl + most}) {
        const size_t rest = m % vl;
        const bool few = rest > 0 && rest <= most && vl >= 8;
        calls = 0;
        run(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, 1, k, bl));
        EXPECT_EQ(calls > 0, present && few && !has_whole_tiles_only(u)) << "m " << m << ", V " << vl;
    }
}

/// All with SME2 and outer products in their names.
std::vector<const kai_ukernel*> outer_products() {
    std::vector<const kai_ukernel*> ukernels = all_ukernels();
    const auto has_none = [](const kai_ukernel* u) {
        return std::strstr(u->name, "_mopa") == nullptr || (u->features >> KAI_CPU_SME2 & 1) == 0;
    };
    ukernels.erase(std::remove_if(ukernels.begin(), ukernels.end(), has_none), ukernels.end());
    return ukernels;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Kernels, FewRows, testing::ValuesIn(outer_products()), instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FewRows);

}  // namespace test::matmul
