// Prints docs/kernels.md: every micro-kernel and packer of the catalogues, whatever this build contains. The argument
// is tools/where.txt.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "kai/engines/core/layout.hpp"
#include "kai/ukernels/families.h"

namespace {

/// "16vl" for VL(16), "4 sve" for SVE(4): multiples of SVL / 32 and of VL / 32.
std::string size_text(const char* text) {
    const std::string s = text;
    if (s.rfind("VL(", 0) == 0) {
        return s.substr(3, s.size() - 4) + "vl";
    }
    if (s.rfind("SVE(", 0) == 0) {
        return s.substr(4, s.size() - 5) + " sve";
    }
    return s == "0" ? "any" : s == "ONE_ROW" || s == "ANY_ROWS" ? "1" : s;
}

/// How many rows a call may have, by the m_step of the catalogue.
std::string rows_text(const std::string& m_step) {
    return m_step == "ONE_ROW" ? "0, 1" : m_step == "1" ? "any, one by one" : "any";
}

std::string isa_text(const std::string& isa) {
#define KAI_ISA(ISA, TITLE, ...) \
    if (isa == #ISA) {           \
        return TITLE;            \
    }
#include "kai/isas.def"
    return isa;
}

/// The file with the code of a micro-kernel or packer: of its assembly, or else of its C++. By name.
std::map<std::string, std::string> code_files;

/// Reads names, below each its files, below these their functions: indented by 0, 2 and 4 spaces.
bool read_code_files(const char* path) {
    std::ifstream index(path);
    std::string name;
    for (std::string line; std::getline(index, line);) {
        const size_t indent = line.find_first_not_of(' ');
        if (indent == 0) {
            name = line;
        } else if (indent == 2) {
            const std::string file = line.substr(line.rfind('/') + 1);
            const bool assembly = file.back() == 'S' && line.find("/core/") == std::string::npos;
            std::string& best = code_files[name];
            if (best.empty() || (assembly && best.back() != 'S')) {
                best = file;
            }
        }
    }
    return !code_files.empty();
}

const char* code_text(const char* name) {
    const auto found = code_files.find(name);
    if (found == code_files.end()) {
        std::fprintf(stderr, "where.txt does not have %s: build update_where in build/aarch64-clang first\n", name);
        std::exit(1);
    }
    return found->second.c_str();
}

void family(const char* name) {
    std::printf("\n### %s\n\n", name);
    std::printf(
        "| micro-kernel | needs | m | m_step x n_step | mr, nr, kr, sr | LHS | RHS | code |\n"
        "|---|---|---|---|---|---|---|---|\n");
}

void ukernel(
    const char* isa, const char* name, const char* lhs, const char* rhs, const char* mr, const char* nr, const char* kr,
    const char* sr, const char* m_step, const char* n_step) {
    std::printf(
        "| `%s` | %s | %s | %s x %s | %s, %s, %s, %s | %s | %s | %s |\n", name, isa_text(isa).c_str(),
        rows_text(m_step).c_str(), size_text(m_step).c_str(), size_text(n_step).c_str(), size_text(mr).c_str(),
        size_text(nr).c_str(), size_text(kr).c_str(), size_text(sr).c_str(), lhs, rhs, code_text(name));
}

/// What a packer of this signature reads: SOURCE stands for the source format.
const char* source_text(const std::string& signature) {
    static const std::map<std::string, const char*> texts = {
        {"LHS_PACK_BL", "LHS, SOURCE"},
        {"LHS_PACK", "LHS, SOURCE"},
        {"LHS_QUANT_PACK", "LHS, SOURCE"},
        {"LHS_IMATMUL_PACK", "LHS, by pointers, SOURCE"},
        {"LHS_PACK_UNIFIED", "LHS, SOURCE (unified)"},
        {"RHS_PACK_NXK_BL", "RHS, N x K, SOURCE"},
        {"RHS_PACK_NXK_BL_ZERO", "RHS, N x K, SOURCE; zero, bias, scale"},
        {"RHS_PACK_NXK_BL_BF16", "RHS, N x K, SOURCE; scale, bias"},
        {"RHS_PACK_KXN_BL_BF16", "RHS, K x N, SOURCE; scale, bias"},
        {"RHS_PACK_NXK_F8", "RHS, N x K, SOURCE; scale, bias"},
        {"RHS_PACK_KXN_F8", "RHS, K x N, SOURCE; scale, bias"},
        {"RHS_PACK_NXK_QS4CX", "RHS, N x K, SOURCE; scale, bias"},
        {"RHS_PACK_KXN_QS4CX", "RHS, K x N, SOURCE; scale, bias"},
        {"RHS_PACK_NXK_QSI8CX", "RHS, N x K, SOURCE; scale, bias"},
        {"RHS_PACK_KXN_QSI8CX", "RHS, K x N, SOURCE; scale, bias"},
        {"RHS_PACK_NXK_QSU2CX", "RHS, N x K, SOURCE; scale, bias"},
        {"RHS_PACK_KXN_QS8CX_I32", "RHS, K x N, SOURCE; scale, bias"},
        {"RHS_PACK_KXN", "RHS, K x N, SOURCE; bias"},
        {"RHS_PACK_NXK", "RHS, N x K, SOURCE; bias"},
        {"RHS_PACK_KXN_NR", "RHS, K x N, SOURCE; bias"},
        {"RHS_IMATMUL_PACK_KXN", "RHS, chunks of K x N, SOURCE; bias"},
        {"RHS_IMATMUL_PACK_NXK", "RHS, chunks of N x K, SOURCE; bias"},
        {"RHS_IMATMUL_PACK_KXN_QS8CX_I32", "RHS, chunks of K x N, SOURCE; scale, bias"},
        {"RHS_PACK_KXN_UNIFIED", "RHS, K x N, SOURCE (unified)"},
        {"RHS_PACK_NXK_UNIFIED", "RHS, N x K, SOURCE (unified)"},
        {"RHS_PACK_KXN_UNIFIED_BL", "RHS, K x N, SOURCE; bf16 scales per block, bias (unified)"},
        {"RHS_PACK_NXK_UNIFIED_BL", "RHS, N x K, SOURCE; bf16 scales per block, bias (unified)"},
        {"RHS_PACK_NXK_UNIFIED_GGUF", "RHS, N x K, SOURCE of a GGUF file (unified)"},
        {"LHS_PACK_UNIFIED_MR", "LHS, SOURCE (unified)"},
        {"RHS_PACK_KXN_UNIFIED_NR", "RHS, K x N, SOURCE (unified)"},
        {"RHS_PACK_NXK_UNIFIED_NR", "RHS, N x K, SOURCE (unified)"},
        {"RHS_IMATMUL_PACK_NXK_NR", "RHS, chunks of N x K, SOURCE; bias"},
        {"RHS_DWCONV_PACK", "filter, SOURCE; bias"},
        {"RHS_DWCONV_PACK_QS8CX_I32", "filter, SOURCE; scale, bias"},
        {"RHS_PACK_NXK_GGUF", "RHS, N x K, SOURCE of a GGUF file"},
        {"RHS_PACK_NXK_TABLE", "RHS, N x K, SOURCE; table"}};
    return texts.at(signature);
}

void packer(
    const char* signature, const char* source, const char* isa, const char* name, const char* format, const char* rows,
    const char* kr, const char* sr) {
    std::string kind = source_text(signature);
    kind.replace(kind.find("SOURCE"), 6, source);
    if (std::string(source) == "qau8" || std::string(source) == "qsi8") {  // the micro-kernel takes the bias
        kind.erase(kind.find(';'));
    }
    std::printf(
        "| `%s` | %s | %s | %s | %s, %s, %s | %s |\n", name, isa_text(isa).c_str(), kind.c_str(), format,
        size_text(rows).c_str(), size_text(kr).c_str(), size_text(sr).c_str(), code_text(name));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 || !read_code_files(argv[1])) {
        std::fprintf(stderr, "kernel_table tools/where.txt > docs/kernels.md\n");
        return 1;
    }
    std::printf(
        "# Micro-kernels and packers\n\n"
        "Generated from the catalogues (`kai/ukernels/matmul/*/ukernels.def`, `kai/ukernels/pack/packs.def`) by the "
        "target `update_docs`.\n\n"
        "- Functions are `kai_run_<name>` and `kai_get_<what>_<name>`; those of the unified API are `kai_<name>`.\n"
        "- Sizes: `2vl` means 2 * SVL / 32, where SVL is the streaming vector length in bits; `4 sve` means four SVE "
        "vectors of 32-bit words.\n"
        "- Within a family the best micro-kernel comes first.\n"
        "- The column m says how many rows a call may have. GEMV kernels accept one row only, or process any number, "
        "one by one.\n"
        "- The column code names the file with its assembly, or with its C++ where it has none; `./kai.sh where "
        "<name>` "
        "says all files and lines.\n\n"
        "Formats: [formats.md](formats.md); arithmetic: [arithmetic.md](arithmetic.md).\n\n"
        "## Micro-kernels\n");
#define KAI_FAMILY(NAME, DST) family(#NAME);
#define KAI_UKERNEL(ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP) \
    ukernel(#ISA, #NAME, #LHS, #RHS, #MR, #NR, #KR, #SR, #M_STEP, #N_STEP);
#define KAI_UKERNEL_ROWS(ISA, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, ...) \
    ukernel(#ISA, #NAME, #LHS ", as it is", #RHS, "-", #NR, #KR, #SR, #M_STEP, #N_STEP);
#define KAI_UKERNEL_PLAIN(ISA, NAME, LHS, RHS, M_STEP, N_STEP) \
    ukernel(#ISA, #NAME, #LHS ", as it is", #RHS ", as it is", "-", "-", "-", "-", #M_STEP, #N_STEP);
#define KAI_UKERNEL_FILE(ISA, NAME, LHS, RHS, MR, KR, SR, M_STEP, N_STEP) \
    ukernel(#ISA, #NAME, #LHS, #RHS ", as it is", #MR, "-", #KR, #SR, #M_STEP, #N_STEP);
#define KAI_IMATMUL(...) KAI_UKERNEL(__VA_ARGS__)
#define KAI_IMATMUL_ROWS(ISA, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP) \
    ukernel(#ISA, #NAME, #LHS ", by pointers", #RHS, "-", #NR, #KR, #SR, #M_STEP, #N_STEP);
#define KAI_UNIFIED(ISA, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                                       \
    ukernel(                                                                                                   \
        #ISA, #NAME, #MR[0] == '0' ? #LHS ", as it is" : #LHS, #RHS, #MR[0] == '0' ? "-" : #MR, #NR, #KR, #SR, \
        #M_STEP, #N_STEP);
#define KAI_DWCONV_TILES(ISA, NAME, ELEMENT, RHS, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH) \
    ukernel(#ISA, #NAME, #ELEMENT ", by pointers", #RHS, "-", #NR, #KR, "1", #HEIGHT " x " #WIDTH, #NR);
#define KAI_DWCONV(ISA, NAME, ELEMENT, RHS, NR, M_STEP) \
    ukernel(#ISA, #NAME, #ELEMENT ", an image", #RHS, "-", #NR, "1", "1", #M_STEP, "all columns");
#include "kai/ukernels/families.def"
    std::printf(
        "\n## Packers\n\n"
        "A packer can be used with every micro-kernel that reads its format, if it accepts the kernel's sizes.\n\n"
        "| packer | needs | source | writes | mr or nr, kr, sr | code |\n"
        "|---|---|---|---|---|---|\n");
#define KAI_OTHERS(SIGNATURE, ISA, NAME, FORMAT, ROWS, KR, SR, SOURCE, ...) \
    packer(#SIGNATURE, #SOURCE, #ISA, #NAME, #FORMAT, #ROWS, #KR, #SR);
#include "kai/ukernels/pack/packs.def"
    return 0;
}
