// Prints docs/kernels.md: every micro-kernel and packer of the catalogues, whatever this build contains.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <cstring>
#include <string>

#include "kai/src/layout.hpp"

namespace {

/// "16vl" for VL(16): multiples of SVL / 32.
std::string size_text(const char* text) {
    const std::string s = text;
    if (s.rfind("VL(", 0) == 0) {
        return s.substr(3, s.size() - 4) + "vl";
    }
    return s == "0" ? "any" : s;
}

std::string isa_text(const std::string& isa) {
    if (isa == "any") {
        return "every host";
    }
    return isa == "neon_dotprod"  ? "NEON dotprod"
           : isa == "neon_i8mm"   ? "NEON i8mm"
           : isa == "neon"        ? "NEON"
           : isa == "sve_dotprod" ? "SVE dotprod"
           : isa == "sve_i8mm"    ? "SVE i8mm"
           : isa == "sme"         ? "SME"
                                  : "SME2";
}

const char* family_now = "";

void ukernel(
    const char* family, const char* isa, const char* name, const char* lhs, const char* rhs, const char* mr,
    const char* nr, const char* kr, const char* sr, const char* m_step, const char* n_step) {
    if (std::strcmp(family, family_now) != 0) {
        family_now = family;
        std::printf("\n### %s\n\n", family);
        std::printf(
            "| micro-kernel | needs | m_step x n_step | mr, nr, kr, sr | LHS | RHS |\n|---|---|---|---|---|---|\n");
    }
    std::printf(
        "| `%s` | %s | %s x %s | %s, %s, %s, %s | %s | %s |\n", name, isa_text(isa).c_str(), size_text(m_step).c_str(),
        size_text(n_step).c_str(), size_text(mr).c_str(), size_text(nr).c_str(), size_text(kr).c_str(),
        size_text(sr).c_str(), lhs, rhs);
}

void packer(
    const char* kind, const char* isa, const char* name, const char* format, const char* rows, const char* kr,
    const char* sr) {
    std::printf(
        "| `%s` | %s | %s | %s | %s, %s, %s |\n", name, isa_text(isa).c_str(), kind, format, size_text(rows).c_str(),
        size_text(kr).c_str(), size_text(sr).c_str());
}

}  // namespace

int main() {
    std::printf(
        "# Micro-kernels and packers\n\n"
        "Made from the catalogues (`kai/ukernels/matmul/*/ukernels.def`, `kai/ukernels/pack/packs.def`) by the target "
        "`update_docs`.\n"
        "Functions are `kai_run_<name>` and `kai_get_<what>_<name>`. `2vl` means 2 * SVL / 32, SVL being the streaming "
        "vector\n"
        "length in bits. Formats: [formats.md](formats.md); arithmetic: [arithmetic.md](arithmetic.md). Within a "
        "family the best\n"
        "micro-kernel comes first; those for one row (m_step 1) serve m = 1.\n\n"
        "## Micro-kernels\n");
#define KAI_STRING_(x) #x
#define KAI_STRING(x) KAI_STRING_(x)
#define KAI_UKERNEL(ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP) \
    ukernel(KAI_STRING(KAI_FAMILY), #ISA, #NAME, #LHS, #RHS, #MR, #NR, #KR, #SR, #M_STEP, #N_STEP);
#include "kai/ukernels/matmul/families.def"
    std::printf(
        "\n## Packers\n\n"
        "A packer serves the micro-kernels that read its format, if it accepts their sizes.\n\n"
        "| packer | needs | source | writes | mr or nr, kr, sr |\n|---|---|---|---|---|\n");
#define KAI_LHS_PACK_BL(ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    packer("LHS, " #SOURCE, #ISA, #NAME, #FORMAT, #ROWS, #KR, #SR);
#define KAI_LHS_PACK(ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    packer("LHS, " #SOURCE, #ISA, #NAME, #FORMAT, #ROWS, #KR, #SR);
#define KAI_LHS_QUANT_PACK(ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    packer("LHS, " #SOURCE, #ISA, #NAME, #FORMAT, #ROWS, #KR, #SR);
#define KAI_RHS_PACK_NXK_BL(ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    packer("RHS, N x K, " #SOURCE, #ISA, #NAME, #FORMAT, #ROWS, #KR, #SR);
#define KAI_RHS_PACK_NXK_BL_ZERO(ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    packer("RHS, N x K, " #SOURCE "; zero, bias, scale", #ISA, #NAME, #FORMAT, #ROWS, #KR, #SR);
#define KAI_RHS_PACK_CX(SIGNATURE, ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE)      \
    packer(                                                                      \
        std::strstr(#SIGNATURE, "KXN") ? "RHS, K x N, " #SOURCE "; scale, bias"  \
                                       : "RHS, N x K, " #SOURCE "; scale, bias", \
        #ISA, #NAME, #FORMAT, #ROWS, #KR, #SR);
#define KAI_RHS_PACK_KXN(ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    packer("RHS, K x N, " #SOURCE "; bias", #ISA, #NAME, #FORMAT, #ROWS, #KR, #SR);
#define KAI_RHS_PACK_NXK(ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE) \
    packer("RHS, N x K, " #SOURCE "; bias", #ISA, #NAME, #FORMAT, #ROWS, #KR, #SR);
#include "kai/ukernels/pack/packs.def"
    return 0;
}
