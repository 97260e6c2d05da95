// Static int8 with SDOT (qai8_neon.hpp): rows as they lie; the last k % 16 are copied. Tiles: qai8_neon_dotprod.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8/qai8_neon.hpp"

extern "C" kai::Qai8TileFn kai_qai8_1x16_neon_dotprod, kai_qai8_2x16_neon_dotprod, kai_qai8_3x16_neon_dotprod,
    kai_qai8_4x16_neon_dotprod, kai_qai8_5x16_neon_dotprod, kai_qai8_6x16_neon_dotprod;

namespace kai {
namespace {

struct Dotprod {
    static constexpr size_t kGroup = 4, kMostParts = 2, kTile = 6;
    static constexpr Qai8TileFn* kTiles[kTile + 1] = {
        nullptr,
        kai_qai8_1x16_neon_dotprod,
        kai_qai8_2x16_neon_dotprod,
        kai_qai8_3x16_neon_dotprod,
        kai_qai8_4x16_neon_dotprod,
        kai_qai8_5x16_neon_dotprod,
        kai_qai8_6x16_neon_dotprod};

    struct Storage {
        uint8_t tails[kMostRows][16];
    };

    KAI_INLINE static size_t block_rows(size_t, size_t) {
        return kMostRows / kTile * kTile;
    }
    /// Tails are there even if no k is in them: tiles load them.
    [[gnu::noinline]] static size_t prepare(
        const Qai8& p, const uint8_t* lhs, size_t rows, Storage& storage, Qai8Part* parts) {
        const size_t steps = p.k / 16, groups = (p.k % 16 + kGroup - 1) / kGroup;
        for (size_t i = 0; i < rows && groups != 0; ++i) {
            vst1q_u8(storage.tails[i], tail_of(lhs + i * p.lhs_stride, p.k));
        }
        const size_t many = rows / kTile * kTile, rest = rows - many;
        size_t count = 0;
        if (many != 0) {
            parts[count++] = {kTiles[kTile], false, 0, many / kTile, steps, 0, groups, storage.tails[0], false};
        }
        if (rest != 0) {
            parts[count++] = {kTiles[rest], false, many, 1, steps, 0, groups, storage.tails[many], false};
        }
        return count;
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE(...) KAI_DEFINE_MATMUL_ROWS_QAI8_NEON(Dotprod, __VA_ARGS__)
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"

}  // extern "C"
