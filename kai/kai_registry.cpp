// The registry: tables made from the catalogues, and the choice among their entries.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_registry.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "kai/call.hpp"
#include "kai/engines/core/getters.hpp"
#include "kai/registry.hpp"
#include "kai/reserved.hpp"
#include "kai/ukernels/families.h"
#include "kai/words.hpp"

#undef KAI_FAMILY  // of catalogue.hpp
#undef KAI_INDIRECT
#undef KAI_PREFER
#undef KAI_COLUMNS
#undef KAI_OTHER_BITS

// KAI_BUILD_<isa> is 1 if this build has the sources of that ISA (set by the build system for this file).

#define KAI_CONCAT_(a, b) a##b
#define KAI_CONCAT(a, b) KAI_CONCAT_(a, b)
#define KAI_ANY(function) reinterpret_cast<kai_any_fn*>(&(function))

/// Expands to its second argument list if this build has the ISA, else to nothing.
#define KAI_IF_BUILT(isa, ...) KAI_CONCAT(KAI_IF_BUILT_, KAI_CONCAT(KAI_BUILD_, isa))(__VA_ARGS__)
#define KAI_IF_BUILT_1(...) __VA_ARGS__
#define KAI_IF_BUILT_0(...)

extern "C" {
// The tables of rules of RHS packers that have one.
#define KAI_RHS_PACKER(SIGNATURE, ISA, NAME, ...) \
    [[gnu::visibility("hidden")]] extern const kai_rhs_rules kai_rules_##NAME;
#include "kai/ukernels/pack/packs.def"
#define KAI_COLUMNS(ISA, NAME, STEP) [[gnu::visibility("hidden")]] extern kai_run_matmul_columns_fn kai_columns_##NAME;
#include "kai/ukernels/families.def"
}

namespace kai {
namespace {

/// Sizes as arguments of templates: numbers, or codes of what scales with a vector length.
constexpr size_t kSmeWords = 0x10000, kSveWords = 0x20000;
[[maybe_unused]] constexpr size_t code_of(PanelRows size) {
    return size.count | (size.unit == PanelRows::sme_word   ? kSmeWords
                         : size.unit == PanelRows::sve_word ? kSveWords
                                                            : 0);
}

/// The size on this CPU; SIZE_MAX, which no kernel has, if it is unknown here.
[[gnu::noinline]] size_t decoded(size_t code) {
    const uint64_t features = kai_cpu_system_features();
    if ((code & kSmeWords) != 0) {
        return (features & (1U << KAI_CPU_SME)) != 0 ? VL(code - kSmeWords).value() : SIZE_MAX;
    }
    if ((code & kSveWords) != 0) {
        return (features & (1U << KAI_CPU_SVE)) != 0 ? SVE(code - kSveWords).value() : SIZE_MAX;
    }
    return code;
}

/// The condition of a catalogue line: 0 accepts any value.
template <size_t code>
KAI_INLINE bool accepts_size(size_t size) {
    return code == 0 || size == (code < kSmeWords ? code : decoded(code));
}
template <size_t rows_code, size_t kr_code, size_t sr_code>
bool accepts(size_t rows, size_t kr, size_t sr) {
    return accepts_size<rows_code>(rows) && accepts_size<kr_code>(kr) && accepts_size<sr_code>(sr);
}

/// The sizes may be codes.
constexpr kai_packer_rules coded_rules(
    const kai_rhs_rules* table, size_t rows, size_t kr, size_t sr, const Format& f, size_t source_bits) {
    const bool sums = f == kai::qau8p || f == kai::qsi8p || f == kai::qau8psumi32 || f == kai::qsi8psumi32;
    const bool group_is_kr = f.group == Format::kr, bias = !sums && f.panel_head > 0, scale = !sums && f.panel_tail > 0;
    return {table, rows, kr, sr, group_is_kr, static_cast<uint8_t>(source_bits), bias, scale, f.block};
}

[[gnu::noinline]] void decode_rules(const kai_packer_rules& coded, kai_packer_rules* rules) {
    *rules = coded;
    rules->rows = decoded(coded.rows), rules->kr = decoded(coded.kr), rules->sr = decoded(coded.sr);
}

}  // namespace
}  // namespace kai

namespace {

[[maybe_unused]] constexpr uint64_t bit(kai_cpu_feature feature) {
    return uint64_t{1} << feature;
}

/// What the CPU must have for the sources of an ISA.
namespace needs {
#define KAI_HAS(FEATURE) bit(KAI_CPU_##FEATURE)
#define KAI_ISA(ISA, TITLE, FEATURES, ...) [[maybe_unused]] constexpr uint64_t ISA = FEATURES;
#include "kai/isas.def"
#undef KAI_HAS
}  // namespace needs

/// Signatures by the types of run and of the packed offset of the LHS, or LhsRows: an LHS that is not packed.
/// @{
struct LhsRows {};
#define KAI_SIGNATURE(SIGNATURE, RUN, LHS)                                      \
    [[maybe_unused]] constexpr kai_ukernel_signature signature_of(RUN*, LHS*) { \
        return SIGNATURE;                                                       \
    }
KAI_SIGNATURE(KAI_UKERNEL_MATMUL, kai_run_matmul_fn, kai_get_packed_offset_fn)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL, kai_run_matmul_f32_fn, kai_get_packed_offset_fn)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_BL, kai_run_matmul_bl_fn, kai_get_packed_offset_bl_fn)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_BL, kai_run_matmul_bl_f32_fn, kai_get_packed_offset_bl_fn)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_RHS_BL, kai_run_matmul_bl_fn, kai_get_packed_offset_fn)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_RHS_BL, kai_run_matmul_bl_f32_fn, kai_get_packed_offset_fn)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_LUT, kai_run_matmul_lut_f32_fn, kai_get_packed_offset_fn)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_QAI8, kai_run_matmul_qai8_fn, kai_get_packed_offset_fn)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_ROWS, kai_run_matmul_rows_fn, LhsRows)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_ROWS_QAI8, kai_run_matmul_qai8_fn, LhsRows)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_ROWS_STATIC, kai_run_matmul_rows_static_fn, LhsRows)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_PLAIN, kai_run_matmul_plain_fn, LhsRows)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_LOWP, kai_run_matmul_lowp_fn, LhsRows)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_LOWP_PLAIN, kai_run_matmul_lowp_plain_fn, LhsRows)
KAI_SIGNATURE(KAI_UKERNEL_MATMUL_INT32, kai_run_matmul_int32_fn, LhsRows)
KAI_SIGNATURE(KAI_UKERNEL_IMATMUL, kai_run_imatmul_fn, kai_get_packed_offset_chunks_fn)
KAI_SIGNATURE(KAI_UKERNEL_IMATMUL_QAI8, kai_run_imatmul_qai8_fn, kai_get_packed_offset_chunks_fn)
KAI_SIGNATURE(KAI_UKERNEL_IMATMUL_ROWS, kai_run_imatmul_rows_fn, LhsRows)
KAI_SIGNATURE(KAI_UKERNEL_IMATMUL_ROWS_QAI8, kai_run_imatmul_rows_qai8_fn, LhsRows)
KAI_SIGNATURE(KAI_UKERNEL_IMATMUL_ROWS_LOWP, kai_run_imatmul_rows_lowp_fn, LhsRows)
[[maybe_unused]] constexpr kai_ukernel_signature tiles_signature_of(kai_run_dwconv_tiles_fn*) {
    return KAI_UKERNEL_DWCONV_TILES;
}
[[maybe_unused]] constexpr kai_ukernel_signature tiles_signature_of(kai_run_dwconv_tiles_qai8_fn*) {
    return KAI_UKERNEL_DWCONV_TILES_QAI8;
}
#define KAI_SIGNATURE_OF(NAME) signature_of(&kai_run_##NAME, &kai_get_lhs_packed_offset_##NAME)
#define KAI_ROWS_SIGNATURE_OF(NAME) signature_of(&kai_run_##NAME, static_cast<LhsRows*>(nullptr))
/// @}

using kai::contains;

/// What k must be a multiple of, besides bl.
[[maybe_unused]] constexpr size_t k_multiple_of(kai_ukernel_signature signature, const kai::Format& rhs) {
    return signature == KAI_UKERNEL_MATMUL_LUT ? 32 : rhs.block;
}

/// What the sizes of a line depend on. VL(n) is of SME, SVE(n) of SVE.
[[maybe_unused]] constexpr uint64_t size_features_of(const char* sizes) {
    return contains(sizes, "VL(") ? bit(KAI_CPU_SME) : contains(sizes, "SVE(") ? bit(KAI_CPU_SVE) : 0;
}

[[maybe_unused]] constexpr kai_ukernel_rows rows_of(const char* m_step) {
    return contains(m_step, "ONE_ROW")          ? KAI_ROWS_ONE
           : m_step[0] == '1' && m_step[1] == 0 ? KAI_ROWS_EACH
                                                : KAI_ROWS_MANY;
}

/// Rows of an LHS panel, or 1 of an LHS that is not packed, for which the catalogue has 0.
[[maybe_unused]] constexpr kai::PanelRows at_least_one(kai::PanelRows rows) {
    return rows.count > 0 ? rows : kai::PanelRows(1);
}

/// A getter of the registry for what a micro-kernel has no function for.
#define KAI_SIZE(WHAT, NAME, VALUE) \
    []() -> size_t { return kai::checked(VALUE, kai::Getter{"get_" #WHAT " of ", #NAME}); }

/// @name Keys: numbers that stand for names, so that a search compares few strings
/// @{
/// Different names may have the same key. Steps are independent, not a chain: searches are part of planning time.
constexpr uint32_t key_of(const char* name) {
    uint32_t key = 1;
    for (uint32_t i = 0; name[i] != 0; ++i) {
        key += static_cast<unsigned char>(name[i]) * (2 * i + 1);
    }
    return key;
}

/// For each bucket of keys the numbers of the entries of a table that have one of them, in order: a search visits a few
/// entries of some hundred.
template <size_t count>
struct Chains {
    static constexpr uint16_t kEnd = UINT16_MAX;
    static constexpr size_t kBuckets = 256;
    static_assert(count < kEnd, "numbers have 16 bits");

    uint16_t first[kBuckets], next[count + 1];

    template <typename KeyOf>
    constexpr explicit Chains(KeyOf key) : first{}, next{} {
        for (uint16_t& bucket : first) {
            bucket = kEnd;
        }
        for (size_t i = count; i-- > 0;) {
            uint16_t& bucket = first[key(i) % kBuckets];
            next[i] = bucket, bucket = static_cast<uint16_t>(i);
        }
    }
    constexpr uint16_t of(uint32_t key) const {
        return first[key % kBuckets];
    }
};

using kai::lower;

constexpr bool same_ignoring_case(const char* a, const char* b) {
    size_t i = 0;
    while (a[i] != 0 && lower(a[i]) == lower(b[i])) {
        ++i;
    }
    return lower(a[i]) == lower(b[i]);
}
/// @}

/// @name Types of GGUF files, as bits
/// @{
struct FilePacker {
    uint32_t format;
    const char* source;
    kai_gguf_type_id type;
};
constexpr FilePacker kFilePackers[] = {
#define KAI_RHS_PACKER(SIGNATURE, ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    KAI_LINE_(KAI_FILE_##SIGNATURE, KAI_NO_FILE, ~)(FORMAT, SOURCE)
#define KAI_FILE_RHS_PACK_NXK_GGUF KAI_LINES(KAI_FILE)
#define KAI_FILE(FORMAT, SOURCE) {key_of(#FORMAT), #SOURCE, KAI_GGUF_##SOURCE},
#define KAI_NO_FILE(FORMAT, SOURCE)
#include "kai/ukernels/pack/packs.def"
};

/// Those that are packed to a format.
constexpr uint64_t types_packed_to(const char* format) {
    const uint32_t key = key_of(format);
    uint64_t types = 0;
    for (const FilePacker& p : kFilePackers) {
        types |= p.format == key ? uint64_t{1} << p.type : 0;
    }
    return types;
}

/// Those that are read in place: "ggq8_0" is Q8_0.
constexpr uint64_t types_in_place(const char* format) {
    uint64_t types = 0;
    for (const FilePacker& p : kFilePackers) {
        types |= same_ignoring_case(format + 2, p.source) ? uint64_t{1} << p.type : 0;
    }
    return types;
}
/// @}

/// @name Families
/// @{
/// Indices of kUkernels: that of a micro-kernel, and of the first one of a family. (With kBefore, this one has the
/// number of kFirst.)
enum UkernelIndex : int {
#define KAI_FAMILY(NAME, DST) kFirst_##NAME, kBefore_##NAME = kFirst_##NAME - 1,
#define KAI_OTHERS(ISA, NAME, ...) KAI_IF_BUILT(ISA, kPlace_##NAME, )
#include "kai/ukernels/families.def"
    kUkernelCount
};

/// Its micro-kernels are those up to the first one of the next family.
struct Family {
    const char* name;
    kai_datatype dst_type;
    uint32_t key;
    size_t first;
    uint64_t gguf_types;  ///< of any of them (kFamilies)
};
/// All of the catalogue. This build may have no micro-kernels of some.
constexpr Family kCatalogue[] = {
#define KAI_FAMILY(NAME, DST) {#NAME, kai_dt_##DST, key_of(#NAME), kFirst_##NAME, 0},
#include "kai/ukernels/families.def"
    {nullptr, kai_dt_unknown, 0, kUkernelCount, 0}};

constexpr const Family& family_at(UkernelIndex index) {
    const Family* family = kCatalogue;
    while (family[1].first <= static_cast<size_t>(index)) {
        ++family;
    }
    return *family;
}

/// Types of GGUF files that a micro-kernel multiplies with.
constexpr uint64_t kTypes[] = {
#define KAI_UKERNEL(ISA, NAME, LHS, RHS, ...) KAI_IF_BUILT(ISA, types_packed_to(#RHS), )
#define KAI_UKERNEL_ROWS KAI_UKERNEL
#define KAI_UKERNEL_FILE(ISA, NAME, LHS, RHS, ...) KAI_IF_BUILT(ISA, types_in_place(#RHS), )
#define KAI_OTHERS(ISA, ...) KAI_IF_BUILT(ISA, 0, )
#include "kai/ukernels/families.def"
    0};

struct Families {
    size_t count;
    Family of[sizeof(kCatalogue) / sizeof(kCatalogue[0])];
};
constexpr Families families_of_build() {
    Families list = {};
    for (const Family* family = kCatalogue; family->name != nullptr; ++family) {
        if (family->first != family[1].first) {
            Family& added = list.of[list.count++] = *family;
            for (size_t i = family->first; i < family[1].first; ++i) {
                added.gguf_types |= kTypes[i];
            }
        }
    }
    list.of[list.count].first = kUkernelCount;
    return list;
}
constexpr Families kFamilies = families_of_build();
constexpr Chains<kFamilies.count> kFamilyChains([](size_t i) { return kFamilies.of[i].key; });

constexpr struct {
    const char *family, *matmul;
} kIndirect[] = {
#define KAI_INDIRECT(FAMILY, MATMUL) {#FAMILY, #MATMUL},
#include "kai/ukernels/families.def"
};
/// @}

/// @name The order of the micro-kernels of a family, best first: that of the catalogue, but for its lines KAI_PREFER
/// @{
/// All lines of the catalogue, whether this build has the micro-kernel or not; kFirstLine_ and kBeforeLine_ as above.
enum Line : int {
#define KAI_FAMILY(NAME, DST) kFirstLine_##NAME, kBeforeLine_##NAME = kFirstLine_##NAME - 1,
#define KAI_OTHERS(ISA, NAME, ...) kLine_##NAME,
#include "kai/ukernels/families.def"
    kLineCount
};
constexpr Line kFirstLines[] = {
#define KAI_FAMILY(NAME, DST) kFirstLine_##NAME,
#include "kai/ukernels/families.def"
};
/// Those of kUkernels; and one more, so that there is one.
constexpr Line kBuiltLines[] = {
#define KAI_OTHERS(ISA, NAME, ...) KAI_IF_BUILT(ISA, kLine_##NAME, )
#include "kai/ukernels/families.def"
    kLineCount};

struct Preference {
    kai_cpu_core core;
    Line preferred, other;
};
constexpr Preference kPreferences[] = {
#define KAI_PREFER(CORE, NAME, OTHER) {KAI_CORE_##CORE, kLine_##NAME, kLine_##OTHER},
#include "kai/ukernels/families.def"
};

/// Whether each prefers a micro-kernel to one before it in its family.
constexpr bool change_families_inside() {
    for (const Preference& p : kPreferences) {
        bool inside = p.other < p.preferred;
        for (const Line first : kFirstLines) {
            inside = inside && (first <= p.other || first > p.preferred);
        }
        if (!inside) {
            return false;
        }
    }
    return true;
}
static_assert(change_families_inside());

/// Indices of kUkernels.
struct Order {
    uint16_t of[kUkernelCount + 1];
};
constexpr Order order_of_build(kai_cpu_core core) {
    int lines[kLineCount] = {}, places[kLineCount] = {};
    for (int i = 0; i < kLineCount; ++i) {
        lines[i] = i, places[i] = -1;
    }
    for (const Preference& p : kPreferences) {
        int at = 0;
        while (lines[at] != p.preferred) {
            ++at;
        }
        for (bool before = p.core != core; !before; --at) {
            before = lines[at - 1] == p.other;
            lines[at] = lines[at - 1], lines[at - 1] = p.preferred;
        }
    }
    for (int i = 0; i < kUkernelCount; ++i) {
        places[kBuiltLines[i]] = i;
    }
    Order order = {};
    int count = 0;
    for (const int line : lines) {
        if (places[line] >= 0) {
            order.of[count++] = static_cast<uint16_t>(places[line]);
        }
    }
    return order;
}
constexpr Order kOrders[KAI_CORE_COUNT] = {
    {},  // KAI_CORE_AUTO stands for another one
    order_of_build(KAI_CORE_GENERIC),
    order_of_build(KAI_CORE_CORTEX_A510),
    order_of_build(KAI_CORE_CORTEX_A55),
};

/// The class that a request means.
kai_cpu_core class_of(kai_cpu_core core) {
    if (core == KAI_CORE_AUTO) {
        return kai_cpu_fastest_core().core;
    }
    return static_cast<unsigned>(core) < KAI_CORE_COUNT ? core : KAI_CORE_GENERIC;
}
/// @}

/// @name Micro-kernels that begin inside a panel
/// @{
struct Columns {
    Line line;
    kai_run_matmul_columns_fn* run;
    uint32_t step;
};
constexpr Columns kColumns[] = {
#define KAI_COLUMNS(ISA, NAME, STEP) KAI_IF_BUILT(ISA, {kLine_##NAME, kai_columns_##NAME, STEP}, )
#include "kai/ukernels/families.def"
    {kLineCount, nullptr, 0}};

/// Those of a micro-kernel, or the last ones: none.
[[maybe_unused]] constexpr const Columns& columns_of(Line line) {
    const Columns* columns = kColumns;
    while (columns->line != line && columns->line != kLineCount) {
        ++columns;
    }
    return *columns;
}
/// @}

/// @name Micro-kernels for panels of SME that have other bits than those with SME
/// @{
constexpr Line kOtherBits[] = {
#define KAI_OTHER_BITS(NAME) kLine_##NAME,
#include "kai/ukernels/families.def"
};
[[maybe_unused]] constexpr bool has_other_bits(Line line) {
    bool has = false;
    for (const Line other : kOtherBits) {
        has = has || other == line;
    }
    return has;
}
/// @}

/// @name Tiles of micro-kernels for depthwise convolution
/// @{
struct DwconvTile {
    int place;  // in kUkernels
    kai_dwconv_tile tile;
};
constexpr DwconvTile kDwconvTiles[] = {
#define KAI_DWCONV_TILES(ISA, NAME, LHS, RHS, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH) \
    KAI_IF_BUILT(ISA, {kPlace_##NAME, {FILTER, FILTER, STRIDE, HEIGHT, WIDTH, (FILTER) == 0}}, )
#include "kai/ukernels/families.def"
    {kUkernelCount, {}}};
/// @}

const kai_ukernel kUkernels[] = {
#define KAI_ENTRY(ISA, NAME, SIGNATURE, LHS, RHS, SIZES, M_STEP, ...) \
    KAI_IF_BUILT(                                                     \
        ISA,                                                          \
        {#NAME,                                                       \
         family_at(kPlace_##NAME).name,                               \
         SIGNATURE,                                                   \
         family_at(kPlace_##NAME).dst_type,                           \
         #LHS,                                                        \
         #RHS,                                                        \
         needs::ISA | size_features_of(SIZES),                        \
         rows_of(M_STEP),                                             \
         size_features_of(SIZES),                                     \
         __VA_ARGS__,                                                 \
         kTypes[kPlace_##NAME],                                       \
         size_features_of(SIZES) & ~needs::ISA,                       \
         columns_of(kLine_##NAME).run,                                \
         columns_of(kLine_##NAME).step,                               \
         has_other_bits(kLine_##NAME),                                \
         {}}, )
/// @name The members of an entry: functions of the micro-kernel that it has
/// @{
#define KAI_STEPS_OF(NAME) kai_get_m_step_##NAME, kai_get_n_step_##NAME
#define KAI_FUNCTIONS_OF(NAME, LHS_OFFSET, RHS_OFFSET)                                                         \
    KAI_ANY(kai_get_##LHS_OFFSET##_##NAME), KAI_ANY(kai_get_##RHS_OFFSET##_##NAME), kai_get_dst_offset_##NAME, \
        kai_get_dst_size_##NAME, KAI_ANY(kai_run_##NAME)
#define KAI_ONLY(FUNCTION) nullptr, nullptr, nullptr, nullptr, KAI_ANY(FUNCTION)
/// @}
#define KAI_UKERNEL(ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                   \
    KAI_ENTRY(                                                                                             \
        ISA, NAME, KAI_SIGNATURE_OF(NAME), LHS, RHS, #MR #NR #M_STEP #N_STEP, #M_STEP, KAI_STEPS_OF(NAME), \
        kai_get_mr_##NAME, kai_get_nr_##NAME, kai_get_kr_##NAME, kai_get_sr_##NAME,                        \
        KAI_FUNCTIONS_OF(NAME, lhs_packed_offset, rhs_packed_offset), k_multiple_of(KAI_SIGNATURE_OF(NAME), kai::RHS))
#define KAI_UKERNEL_ROWS(ISA, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)                       \
    KAI_ENTRY(                                                                                              \
        ISA, NAME, KAI_ROWS_SIGNATURE_OF(NAME), LHS, RHS, #NR #M_STEP #N_STEP, #M_STEP, KAI_STEPS_OF(NAME), \
        KAI_SIZE(mr, NAME, 1), kai_get_nr_##NAME, kai_get_kr_##NAME, kai_get_sr_##NAME,                     \
        KAI_FUNCTIONS_OF(NAME, LHS_GETTER, rhs_packed_offset), 0)
#define KAI_UKERNEL_PLAIN(ISA, NAME, LHS, RHS, M_STEP, N_STEP)                                          \
    KAI_ENTRY(                                                                                          \
        ISA, NAME, KAI_ROWS_SIGNATURE_OF(NAME), LHS, RHS, #M_STEP #N_STEP, #M_STEP, KAI_STEPS_OF(NAME), \
        KAI_SIZE(mr, NAME, 1), KAI_SIZE(nr, NAME, 1), KAI_SIZE(kr, NAME, 1), KAI_SIZE(sr, NAME, 1),     \
        KAI_FUNCTIONS_OF(NAME, lhs_offset, rhs_offset), 0)
#define KAI_UKERNEL_FILE(ISA, NAME, LHS, RHS, MR, KR, SR, M_STEP, N_STEP)                               \
    KAI_ENTRY(                                                                                          \
        ISA, NAME, KAI_UKERNEL_MATMUL_FILE, LHS, RHS, #MR #M_STEP #N_STEP, #M_STEP, KAI_STEPS_OF(NAME), \
        kai_get_mr_##NAME, KAI_SIZE(nr, NAME, 1), kai_get_kr_##NAME, kai_get_sr_##NAME,                 \
        KAI_FUNCTIONS_OF(NAME, lhs_packed_offset, rhs_offset), kai::RHS.block)
#define KAI_IMATMUL(ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                   \
    KAI_ENTRY(                                                                                             \
        ISA, NAME, KAI_SIGNATURE_OF(NAME), LHS, RHS, #MR #NR #M_STEP #N_STEP, #M_STEP, KAI_STEPS_OF(NAME), \
        KAI_SIZE(mr, NAME, MR), KAI_SIZE(nr, NAME, NR), KAI_SIZE(kr, NAME, KR), KAI_SIZE(sr, NAME, SR),    \
        KAI_FUNCTIONS_OF(NAME, lhs_packed_offset, rhs_packed_offset), 0)
#define KAI_IMATMUL_ROWS(ISA, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP)                                   \
    KAI_ENTRY(                                                                                              \
        ISA, NAME, KAI_ROWS_SIGNATURE_OF(NAME), LHS, RHS, #NR #M_STEP #N_STEP, #M_STEP, KAI_STEPS_OF(NAME), \
        KAI_SIZE(mr, NAME, 1), KAI_SIZE(nr, NAME, NR), KAI_SIZE(kr, NAME, KR), KAI_SIZE(sr, NAME, SR),      \
        KAI_FUNCTIONS_OF(NAME, lhs_offset, rhs_packed_offset), 0)
// Sizes are text before anything expands them.
#define KAI_UNIFIED(ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP) \
    KAI_UNIFIED_ENTRY(                                                   \
        KAI_UKERNEL_UNIFIED, #MR #NR #M_STEP #N_STEP, #M_STEP, ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)
#define KAI_UNIFIED_BL(ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP) \
    KAI_UNIFIED_ENTRY(                                                      \
        KAI_UKERNEL_UNIFIED_BL, #MR #NR #M_STEP #N_STEP, #M_STEP, ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)
#define KAI_UNIFIED_ENTRY(SIGNATURE, SIZES, ROWS, ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                \
    KAI_ENTRY(                                                                                                        \
        ISA, NAME, SIGNATURE, LHS, RHS, SIZES, ROWS, KAI_SIZE(m_step, NAME, M_STEP), KAI_SIZE(n_step, NAME, N_STEP),  \
        KAI_SIZE(mr, NAME, at_least_one(MR)), KAI_SIZE(nr, NAME, NR), KAI_SIZE(kr, NAME, KR), KAI_SIZE(sr, NAME, SR), \
        KAI_ONLY(kai_##NAME), 0)
#define KAI_DWCONV(ISA, NAME, LHS, RHS, NR, M_STEP)                                                      \
    KAI_ENTRY(                                                                                           \
        ISA, NAME, KAI_UKERNEL_DWCONV, LHS, RHS, #NR #M_STEP, #M_STEP, KAI_SIZE(m_step, NAME, M_STEP),   \
        KAI_SIZE(n_step, NAME, 1), KAI_SIZE(mr, NAME, 1), KAI_SIZE(nr, NAME, NR), KAI_SIZE(kr, NAME, 1), \
        KAI_SIZE(sr, NAME, 1), KAI_ONLY(kai_run_##NAME), 0)
#define KAI_DWCONV_TILES(ISA, NAME, LHS, RHS, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH)                 \
    KAI_ENTRY(                                                                                       \
        ISA, NAME, tiles_signature_of(&kai_run_##NAME), LHS, RHS, #NR, "many", KAI_STEPS_OF(NAME),   \
        KAI_SIZE(mr, NAME, 1), kai_get_nr_##NAME, kai_get_kr_##NAME, KAI_SIZE(sr, NAME, 1), nullptr, \
        KAI_ANY(kai_get_rhs_packed_offset_##NAME), nullptr, nullptr, KAI_ANY(kai_run_##NAME), 0)
#include "kai/ukernels/families.def"
    {}  // the end; also keeps the table from being empty
};

/// @name The types by which functions are called (call.hpp) are those that they have
/// @{
template <typename A, typename B>
inline constexpr bool kSameType = false;
template <typename A>
inline constexpr bool kSameType<A, A> = true;

/// The type of `run`: with float*, or as it is.
template <bool floats, typename Run>
struct RunType {
    using Type = typename Run::Type;
};
template <typename Run>
struct RunType<true, Run> {
    using Type = typename kai::FloatsOf<Run>::Type::Type;
};

template <auto signature, bool floats, typename Run, typename LhsOffset, typename RhsOffset>
constexpr bool has_types(Run*, LhsOffset*, RhsOffset*) {
    using S = typename kai::FunctionsOf<signature>::Type;
    return kSameType<Run, typename RunType<floats, typename S::Run>::Type> &&
           kSameType<LhsOffset, typename S::LhsOffset::Type> && kSameType<RhsOffset, typename S::RhsOffset::Type>;
}
#define KAI_HAS_TYPES(ISA, NAME, SIGNATURE, RHS, LHS_GETTER, RHS_GETTER)                                            \
    KAI_IF_BUILT(ISA, static_assert(has_types<SIGNATURE, kai::has_floats(family_at(kPlace_##NAME).dst_type, #RHS)>( \
                          &kai_run_##NAME, &kai_get_##LHS_GETTER##_##NAME, &kai_get_##RHS_GETTER##_##NAME));)
#define KAI_UKERNEL(ISA, NAME, LHS, RHS, ...) \
    KAI_HAS_TYPES(ISA, NAME, KAI_SIGNATURE_OF(NAME), RHS, lhs_packed_offset, rhs_packed_offset)
#define KAI_IMATMUL KAI_UKERNEL
#define KAI_UKERNEL_ROWS(ISA, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER) \
    KAI_HAS_TYPES(ISA, NAME, KAI_ROWS_SIGNATURE_OF(NAME), RHS, LHS_GETTER, rhs_packed_offset)
#define KAI_UKERNEL_PLAIN(ISA, NAME, LHS, RHS, ...) \
    KAI_HAS_TYPES(ISA, NAME, KAI_ROWS_SIGNATURE_OF(NAME), RHS, lhs_offset, rhs_offset)
#define KAI_UKERNEL_FILE(ISA, NAME, LHS, RHS, ...) \
    KAI_HAS_TYPES(ISA, NAME, KAI_UKERNEL_MATMUL_FILE, RHS, lhs_packed_offset, rhs_offset)
#define KAI_IMATMUL_ROWS(ISA, NAME, LHS, RHS, ...) \
    KAI_HAS_TYPES(ISA, NAME, KAI_ROWS_SIGNATURE_OF(NAME), RHS, lhs_offset, rhs_packed_offset)
#include "kai/ukernels/families.def"
/// @}

/// @name Searches for a family
/// @{
kai_registry_entries entries_of(const Family& family) {
    return {kUkernels + family.first, kUkernels + (&family)[1].first};
}

/// NULL if this build has no micro-kernels of it.
const Family* find_family(const char* name) {
    const uint32_t key = key_of(name);
    for (size_t i = kFamilyChains.of(key); i != kFamilyChains.kEnd; i = kFamilyChains.next[i]) {
        if (kFamilies.of[i].key == key && strcmp(kFamilies.of[i].name, name) == 0) {
            return &kFamilies.of[i];
        }
    }
    return nullptr;
}

/// The same, faster where the caller has an entry of that family. (That of a copied entry is found by its name.)
const Family* find_family(const char* name, const kai_ukernel* member) {
    const auto at = reinterpret_cast<uintptr_t>(member), first = reinterpret_cast<uintptr_t>(&kUkernels[0]);
    if (member != nullptr && member->family == name && at >= first) {
        const size_t place = (at - first) / sizeof(kai_ukernel);
        for (size_t i = 0; i < kFamilies.count; ++i) {
            if (place < kFamilies.of[i + 1].first) {
                return &kFamilies.of[i];
            }
        }
    }
    return find_family(name);
}
/// @}

/// The table of rules of a packer, by its ISA: RHS packers whose panels are not whole vectors have one, except those of
/// chunks.
#define KAI_RHS_TABLE(SIGNATURE, ISA, NAME) KAI_LINE_(KAI_RHS_TABLE_OF_##SIGNATURE, KAI_RHS_TABLE_BY_ISA, ~)(ISA, NAME)
#define KAI_RHS_TABLE_OF_RHS_IMATMUL_PACK_KXN KAI_LINES(KAI_NO_TABLE)
#define KAI_RHS_TABLE_OF_RHS_IMATMUL_PACK_KXN_QS8CX_I32 KAI_LINES(KAI_NO_TABLE)
#define KAI_RHS_TABLE_OF_RHS_IMATMUL_PACK_NXK KAI_LINES(KAI_NO_TABLE)
#define KAI_RHS_TABLE_OF_RHS_IMATMUL_PACK_NXK_NR KAI_LINES(KAI_NO_TABLE)
#define KAI_RHS_TABLE_BY_ISA(ISA, NAME) KAI_LINE_(KAI_RHS_TABLE_##ISA, KAI_NO_TABLE, ~)(ISA, NAME)
#define KAI_RHS_TABLE_any KAI_LINES(KAI_TABLE)
#define KAI_RHS_TABLE_neon_bf16 KAI_LINES(KAI_TABLE)
#define KAI_TABLE(ISA, NAME) &kai_rules_##NAME
#define KAI_NO_TABLE(...) nullptr

#define KAI_RULES_GETTER(TABLE, FORMAT, ROWS, KR, SR, SOURCE)                                             \
    [](kai_packer_rules* rules) {                                                                         \
        static constexpr auto kCoded =                                                                    \
            kai::coded_rules(TABLE, kai::code_of(ROWS), KR, SR, kai::FORMAT, kai::element_bits(#SOURCE)); \
        kai::decode_rules(kCoded, rules);                                                                 \
    }

/// The function of a packer that takes a list of indices, by its signature.
#define KAI_RUN_ROWS(SIGNATURE, NAME) KAI_LINE_(KAI_RUN_ROWS_##SIGNATURE, KAI_NO_ROWS, ~)(NAME)
#define KAI_RUN_ROWS_LHS_PACK_BL KAI_LINES(KAI_ROWS)
#define KAI_RUN_ROWS_LHS_QUANT_PACK KAI_LINES(KAI_ROWS)
#define KAI_ROWS(NAME) KAI_ANY(kai_run_##NAME##_rows)
#define KAI_NO_ROWS(NAME) nullptr

#define KAI_PACKER(TABLE, SIGNATURE, ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE, ...)                                    \
    KAI_IF_BUILT(                                                                                                     \
        ISA,                                                                                                          \
        {#NAME, KAI_##SIGNATURE, #SOURCE, #FORMAT, needs::ISA, kai::accepts<kai::code_of(ROWS), KR, SR>, __VA_ARGS__, \
         KAI_RULES_GETTER(TABLE(SIGNATURE, ISA, NAME), FORMAT, ROWS, KR, SR, SOURCE),                                 \
         KAI_RUN_ROWS(SIGNATURE, NAME)}, )
const kai_packer kPackers[] = {
#define KAI_LHS_PACKER(SIGNATURE, ISA, NAME, ...)                                            \
    KAI_PACKER(                                                                              \
        KAI_NO_TABLE, SIGNATURE, ISA, NAME, __VA_ARGS__, KAI_ANY(kai_get_lhs_offset_##NAME), \
        KAI_ANY(kai_get_lhs_packed_offset_##NAME), KAI_ANY(kai_get_lhs_packed_size_##NAME), KAI_ANY(kai_run_##NAME))
#define KAI_LHS_IMATMUL_PACKER(SIGNATURE, ISA, NAME, ...)                                                    \
    KAI_PACKER(                                                                                              \
        KAI_NO_TABLE, SIGNATURE, ISA, NAME, __VA_ARGS__, nullptr, KAI_ANY(kai_get_lhs_packed_offset_##NAME), \
        KAI_ANY(kai_get_lhs_packed_size_##NAME), KAI_ANY(kai_run_##NAME))
#define KAI_RHS_PACKER(SIGNATURE, ISA, NAME, ...)                                             \
    KAI_PACKER(                                                                               \
        KAI_RHS_TABLE, SIGNATURE, ISA, NAME, __VA_ARGS__, KAI_ANY(kai_get_rhs_offset_##NAME), \
        KAI_ANY(kai_get_rhs_packed_offset_##NAME), KAI_ANY(kai_get_rhs_packed_size_##NAME), KAI_ANY(kai_run_##NAME))
#define KAI_UNIFIED_PACKER(SIGNATURE, ISA, NAME, ...) \
    KAI_PACKER(KAI_NO_TABLE, SIGNATURE, ISA, NAME, __VA_ARGS__, nullptr, nullptr, nullptr, KAI_ANY(kai_##NAME))
#define KAI_DWCONV_PACKER(SIGNATURE, ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE, SIZE)                        \
    KAI_PACKER(                                                                                            \
        KAI_NO_TABLE, SIGNATURE, ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE, nullptr, nullptr, KAI_ANY(SIZE), \
        KAI_ANY(kai_run_##NAME))
#include "kai/ukernels/pack/packs.def"
    {}};

/// @name The types of packers' functions, as those of micro-kernels
/// @{
template <auto signature, bool floats, typename Run, typename Packed, typename PackedOffset>
constexpr bool has_types_of_packer(Run*, Packed*, PackedOffset*) {
    using S = typename kai::FunctionsOf<signature>::Type;
    return kSameType<Run, typename RunType<floats, typename S::Run>::Type> &&
           kSameType<Packed, typename S::Packed::Type> && kSameType<PackedOffset, typename S::Packed::Type>;
}
#define KAI_HAS_TYPES_OF_PACKER(SIDE, SIGNATURE, ISA, NAME, FORMAT, SOURCE)                             \
    KAI_IF_BUILT(ISA,                                                                                   \
                 static_assert(has_types_of_packer<KAI_##SIGNATURE, kai::has_floats(#SOURCE, #FORMAT)>( \
                     &kai_run_##NAME, &kai_get_##SIDE##_packed_size_##NAME, &kai_get_##SIDE##_packed_offset_##NAME));)
#define KAI_HAS_SOURCE_OFFSET(SIDE, SIGNATURE, ISA, NAME)                     \
    KAI_IF_BUILT(ISA, static_assert(kSameType<                                \
                                    decltype(kai_get_##SIDE##_offset_##NAME), \
                                    typename kai::FunctionsOf<KAI_##SIGNATURE>::Type::SourceOffset::Type>);)
#define KAI_LHS_PACKER(SIGNATURE, ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    KAI_HAS_TYPES_OF_PACKER(lhs, SIGNATURE, ISA, NAME, FORMAT, SOURCE)     \
    KAI_HAS_SOURCE_OFFSET(lhs, SIGNATURE, ISA, NAME)
#define KAI_LHS_IMATMUL_PACKER(SIGNATURE, ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    KAI_HAS_TYPES_OF_PACKER(lhs, SIGNATURE, ISA, NAME, FORMAT, SOURCE)
#define KAI_RHS_PACKER(SIGNATURE, ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    KAI_HAS_TYPES_OF_PACKER(rhs, SIGNATURE, ISA, NAME, FORMAT, SOURCE)     \
    KAI_HAS_SOURCE_OFFSET(rhs, SIGNATURE, ISA, NAME)
#include "kai/ukernels/pack/packs.def"
/// @}

/// The formats of kPackers.
constexpr uint32_t kFormatOfPacker[] = {
#define KAI_OTHERS(SIGNATURE, ISA, NAME, FORMAT, ...) KAI_IF_BUILT(ISA, key_of(#FORMAT), )
#include "kai/ukernels/pack/packs.def"
    0};

static_assert(sizeof(kFormatOfPacker) / sizeof(kFormatOfPacker[0]) == sizeof(kPackers) / sizeof(kPackers[0]));

static_assert(sizeof(kUkernels) / sizeof(kUkernels[0]) == kUkernelCount + 1);
constexpr size_t kPackerCount = sizeof(kPackers) / sizeof(kPackers[0]) - 1;
constexpr Chains<kPackerCount> kPackerChains([](size_t i) { return kFormatOfPacker[i]; });

/// The entry of a table that has this name; NULL if there is none.
template <typename Entry>
const Entry* find_name(const Entry* table, size_t count, const char* name) {
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return nullptr;
}

/// Whether this CPU can tell the sizes of a micro-kernel, which it may lack the features to run.
bool sizes_known(const kai_ukernel& u) {
    return (u.size_features & ~kai_cpu_system_features()) == 0;
}

const kai_packer* matching_packer(bool lhs, const kai_ukernel& u, size_t index) {
    if (!sizes_known(u)) {
        return nullptr;
    }
    const uint32_t key = key_of(lhs ? u.lhs_format : u.rhs_format);
    // Packers of the micro-kernel's own kind come first.
    for (int round = 0; round < (kai::has_other_kind(u) ? 2 : 1); ++round) {
        for (size_t i = kPackerChains.of(key); i != kPackerChains.kEnd; i = kPackerChains.next[i]) {
            const kai_packer& p = kPackers[i];
            if (kFormatOfPacker[i] == key && kai_registry_runnable(p.features, nullptr, 0) &&
                kai::packs_for(p, u, lhs, round == 1) && index-- == 0) {
                return &p;
            }
        }
    }
    return nullptr;
}

/// Whether both read the same packed RHS. `a` can run on this CPU, `b` need not. Depthwise convolution: of an image or
/// of tiles.
bool same_rhs(const kai_ukernel& a, const kai_ukernel& b) {
    if (kai::is_depthwise(a) && a.signature != b.signature) {
        return false;
    }
    return &a == &b || (kai::same_name(a.rhs_format, b.rhs_format) && sizes_known(b) && a.get_nr() == b.get_nr() &&
                        a.get_kr() == b.get_kr() && a.get_sr() == b.get_sr());
}

/// Whether it is in portable C++: slower than any other.
bool is_portable(const kai_ukernel& u) {
    return u.features == 0;
}

/// Whether it multiplies int8 with Armv8.0: slower, whatever the number of rows, than any with dot products. Sums that
/// are looked up (weights of one bit, qsi1c32p) are not.
bool lacks_dot_products(const kai_ukernel& u) {
    return u.features == uint64_t{1} << KAI_CPU_NEON && u.lhs_format[0] == 'q' && u.rhs_format[3] != '1';
}

/// Whether it would be chosen for panels of SME, without an SME unit, before these are packed: others suit it better.
bool is_for_packed(const kai_ukernel& u, const kai_registry_request& request) {
    return u.size_only_features != 0 && request.same_rhs_as == nullptr;
}

/// How well it suits a request: the lower the better.
unsigned misfit(const kai_ukernel& u, const kai_registry_request& request) {
    constexpr unsigned kSlower = KAI_ROWS_ONE + 1;
    const size_t m = request.m;
    const unsigned rows = m <= 1 ? u.rows == KAI_ROWS_MANY : static_cast<unsigned>(u.rows);
    if (is_for_packed(u, request)) {
        return 3 * kSlower + rows;
    }
    return is_portable(u) ? 2 * kSlower : lacks_dot_products(u) ? kSlower + rows : rows;
}

/// The edit distance of two names: letters to change, insert or remove. Case is ignored.
size_t distance(const char* a, const char* b) {
    constexpr size_t kLongest = 63;
    const size_t length = strnlen(b, kLongest);
    size_t row[kLongest + 1];
    for (size_t j = 0; j <= length; ++j) {
        row[j] = j;
    }
    for (size_t i = 0; a[i] != 0; ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; ++j) {
            const size_t changed = diagonal + (lower(a[i]) != b[j]);
            diagonal = row[j + 1];
            const size_t less = row[j] < diagonal ? row[j] : diagonal;
            row[j + 1] = changed < less + 1 ? changed : less + 1;
        }
    }
    return row[length];
}

bool is_in_catalogue(const char* name) {
    for (const Family* family = kCatalogue; family->name != nullptr; ++family) {
        if (strcmp(family->name, name) == 0) {
            return true;
        }
    }
    return false;
}

void explain_no_family(const char* name, kai_registry_explain_fn* explain, void* context) {
    char reason[256];
    const char* nearest = nullptr;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < kFamilies.count; ++i) {
        const size_t d = distance(name, kFamilies.of[i].name);
        if (d < least) {
            least = d;
            nearest = kFamilies.of[i].name;
        }
    }
    if (is_in_catalogue(name)) {
        snprintf(reason, sizeof(reason), "this build has no micro-kernel of family \"%s\"", name);
    } else if (nearest != nullptr) {
        snprintf(reason, sizeof(reason), "no family named \"%.100s\"; nearest: \"%s\"", name, nearest);
    } else {
        snprintf(reason, sizeof(reason), "no family named \"%.100s\"; this build has no micro-kernels", name);
    }
    explain(context, nullptr, reason);
}

/// Why u is not the best kernel; the best one may be NULL.
void explain_not_best(
    const kai_ukernel& u, const kai_ukernel* best, const kai_registry_request& request, kai_cpu_core core, char* reason,
    size_t size) {
    const kai_ukernel* same = request.same_rhs_as;
    if (!kai_registry_runnable(u.features, reason, size)) {
        return;
    }
    if ((kai::run_features(u) & request.without) != 0) {
        snprintf(reason, size, "needs what the caller does without");
        return;
    }
    if (same != nullptr && !sizes_known(*same)) {
        snprintf(reason, size, "this CPU cannot tell the sizes of the packed RHS of %s", same->name);
    } else if (same != nullptr && !same_rhs(u, *same)) {
        snprintf(reason, size, "reads another packed RHS than %s", same->name);
    } else if (is_portable(u)) {
        snprintf(reason, size, "is portable: slower than %s", best->name);
    } else if (is_for_packed(u, request) && (u.rows != best->rows || is_portable(*best))) {
        snprintf(reason, size, "is for a RHS that is packed for SME");
    } else if (lacks_dot_products(u) && !lacks_dot_products(*best)) {
        snprintf(reason, size, "is for CPUs without dot products: slower than %s", best->name);
    } else if (u.rows == best->rows || (u.rows != KAI_ROWS_MANY && best->rows != KAI_ROWS_MANY)) {
        const bool after = &u > best;
        snprintf(
            reason, size, "%s %s%s%s", after ? "comes after" : "is slower than", best->name,
            after ? " in the catalogue" : " on cores like ", after ? "" : kai_cpu_core_name(core));
    } else {
        snprintf(
            reason, size, "%s",
            u.rows == KAI_ROWS_MANY   ? "is for many rows"
            : u.rows == KAI_ROWS_EACH ? "takes one row at a time"
                                      : "is for one row");
    }
}

}  // namespace

extern "C" {

size_t kai_registry_ukernel_count() {
    return kUkernelCount;
}

const kai_ukernel* kai_registry_ukernel(size_t index) {
    return index < kUkernelCount ? &kUkernels[index] : nullptr;
}

const kai_ukernel* kai_registry_ukernel_for(kai_cpu_core core, size_t index) {
    return index < kUkernelCount ? &kUkernels[kOrders[class_of(core)].of[index]] : nullptr;
}

size_t kai_registry_packer_count() {
    return kPackerCount;
}

const kai_packer* kai_registry_packer(size_t index) {
    return index < kPackerCount ? &kPackers[index] : nullptr;
}

const kai_dwconv_tile* kai_registry_dwconv_tile(const kai_ukernel* ukernel) {
    for (const DwconvTile* tile = kDwconvTiles; tile->place != kUkernelCount; ++tile) {
        if (strcmp(kUkernels[tile->place].name, ukernel->name) == 0) {
            return &tile->tile;
        }
    }
    return nullptr;
}
const kai_ukernel* kai_registry_find_ukernel(const char* name) {
    return find_name(kUkernels, kUkernelCount, name);
}

const kai_packer* kai_registry_find_packer(const char* name) {
    return find_name(kPackers, kPackerCount, name);
}

size_t kai_registry_family_count() {
    return kFamilies.count;
}

const char* kai_registry_family(size_t index) {
    return index < kFamilies.count ? kFamilies.of[index].name : nullptr;
}

bool kai_registry_runnable(uint64_t features, char* reason, size_t reason_size) {
    const uint64_t lacking = features & ~kai_cpu_features();
    if (lacking == 0) {
        return true;
    }
    const int index = __builtin_ctzll(lacking);
    const auto feature = static_cast<kai_cpu_feature>(index);
    if (reason == nullptr) {
        return false;
    }
    const char* name = kai_cpu_feature_name(feature);
    if (name == nullptr) {
        snprintf(reason, reason_size, "bit %d of the features means nothing to this library", index);
        return false;
    }
    char upper[16];
    size_t length = 0;
    for (; name[length] != 0 && length + 1 < sizeof(upper); ++length) {
        upper[length] = static_cast<char>(name[length] >= 'a' ? name[length] - 'a' + 'A' : name[length]);
    }
    upper[length] = 0;
    snprintf(reason, reason_size, "CPU lacks %s (%s)", upper, kai_cpu_query(feature).reason);
    return false;
}

const kai_packer* kai_registry_lhs_packer(const kai_ukernel* u, size_t index) {
    return matching_packer(true, *u, index);
}

const kai_packer* kai_registry_rhs_packer(const kai_ukernel* u, size_t index) {
    return matching_packer(false, *u, index);
}

const char* kai_registry_indirect_family(const char* matmul) {
    for (const auto& pair : kIndirect) {
        if (strcmp(pair.matmul, matmul) == 0) {
            return pair.family;
        }
    }
    return nullptr;
}

size_t kai_registry_gguf_families(uint32_t type_id, kai_registry_entries* families, size_t space) {
    const uint64_t type = type_id < 64 ? uint64_t{1} << type_id : 0;
    size_t count = 0;
    for (size_t i = 0; i < kFamilies.count; ++i) {
        if ((kFamilies.of[i].gguf_types & type) != 0) {
            if (count < space) {
                families[count] = entries_of(kFamilies.of[i]);
            }
            ++count;
        }
    }
    return count;
}

const kai_packer* kai_registry_gguf_packer(const kai_ukernel* u, uint32_t type_id) {
    if (type_id >= 64 || (u->gguf_types >> type_id & 1) == 0 || !sizes_known(*u)) {
        return nullptr;
    }
    const kai_gguf_type& type = *kai_gguf_find_type(type_id);
    const uint32_t key = key_of(u->rhs_format);
    for (size_t i = kPackerCount; i-- > 0;) {  // they come last in the catalogue
        const kai_packer& p = kPackers[i];
        if (kFormatOfPacker[i] == key && kai::packs_file_for(p, *u) &&
            kai::same_type_name(p.source_format, type.name) && kai_registry_runnable(p.features, nullptr, 0)) {
            return &p;
        }
    }
    return nullptr;
}

const kai_ukernel* kai_registry_best(
    const kai_registry_request* request, kai_registry_explain_fn* explain, void* context) {
    if (kai::bits_of(request->reserved) != 0) {
        if (explain != nullptr) {
            char reason[256];
            kai::write(reason, sizeof(reason), kai::violation(kai::say::reserved, "request"));
            explain(context, nullptr, reason);
        }
        return nullptr;
    }
    const char* name = request->family != nullptr ? request->family : "";
    const kai_ukernel *best = nullptr, *same = request->same_rhs_as;
    const Family* family = find_family(name, same);
    const size_t first = family != nullptr ? family->first : 0, end = family != nullptr ? family[1].first : 0;
    const uint64_t lacks = ~kai_cpu_features();
    const kai_cpu_core core = class_of(request->core);
    unsigned least = UINT_MAX;
    for (size_t i = first; i != end && least != 0; ++i) {
        const kai_ukernel* u = &kUkernels[kOrders[core].of[i]];
        const unsigned its = misfit(*u, *request);
        const bool is_allowed = ((u->features & lacks) | (kai::run_features(*u) & request->without)) == 0;
        if (its < least && is_allowed && (same == nullptr || same_rhs(*u, *same))) {
            best = u, least = its;
        }
    }
    if (explain == nullptr) {
        return best;
    }
    if (family == nullptr) {
        explain_no_family(name, explain, context);
        return nullptr;
    }
    for (size_t i = first; i != end; ++i) {
        const kai_ukernel* u = &kUkernels[i];
        char reason[256] = "chosen";
        if (u != best) {
            explain_not_best(*u, best, *request, core, reason, sizeof(reason));
        }
        explain(context, u, reason);
    }
    return best;
}

}  // extern "C"
