// Uses the library through an include path that existing clients know.
//
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "kai/kai_registry.h"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/kai_matmul_clamp_f32_f32p_f32p_interface.h"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/kai_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod.h"
#include "kai/ukernels/matmul/pack/kai_lhs_quant_pack_qsi8d32p_f32.h"

// The exported include folders contain only kai/: other folders of the repository do not shadow a client's.
// clang-format off
#if __has_include("test/support/coverage.hpp") || __has_include("examples/c_matmul/main.c") || \
    __has_include("kai/call.hpp") || __has_include("kai/engines/core/base.hpp")
#error "the library's include path shows more than its headers"
#endif
// clang-format on

int main(void) {
    float row[32];
    unsigned char packed[34];
    for (int i = 0; i < 32; ++i) {
        row[i] = (float)(i - 16);
    }
    kai_run_lhs_quant_pack_qsi8d32p_f32(1, 32, 32, 1, 16, 2, 0, row, sizeof(row), packed);
    printf(
        "interface %s, library %s (%d.%d.%d): %u packers, first value %d\n", kai_get_version(), KAI_LIBRARY_VERSION,
        KAI_LIBRARY_VERSION_MAJOR, KAI_LIBRARY_VERSION_MINOR, KAI_LIBRARY_VERSION_PATCH,
        (unsigned)kai_registry_packer_count(), (signed char)packed[2]);
    if (strcmp(kai_version(), KAI_LIBRARY_VERSION) != 0) {
        printf("the library is version %s\n", kai_version());
        return 1;
    }
    return kai_get_lhs_packed_size_lhs_quant_pack_qsi8d32p_f32(1, 32, 32, 1, 16, 2) == sizeof(packed) &&
                   (signed char)packed[2] == -127
               ? 0
               : 1;
}
