"""The libraries for Bazel.

As in cmake/KaiSources.cmake there are no lists of files: the stem of a source names its instruction set. Those of
kai/isas.def are in @kai_isas, which isas.bzl makes. test/integrate/bazel_test.py compares files, flags and definitions
with those of CMake.

SPDX-License-Identifier: Apache-2.0
"""

load("@kai_isas//:isas.bzl", "ISAS")
load("@rules_cc//cc:defs.bzl", "cc_library")

_COPTS = [
    "-std=c++17",
    "-O2",
    "-fPIC",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-ffunction-sections",
    "-fdata-sections",
]

# Results are specified to the last bit, whatever --copt says, which stands before these (cmake/KaiFloats.cmake).
_FLOAT_RULES = [
    "-fno-fast-math",
    "-fno-unsafe-math-optimizations",
    "-fno-associative-math",
    "-fno-reciprocal-math",
    "-fno-finite-math-only",
    "-fsigned-zeros",
    "-ffp-contract=off",
    "-fno-math-errno",
]

_AARCH64_COPTS = ["-ffixed-x18"]
_AARCH64_ELF_COPTS = ["-mbranch-protection=bti", "-mno-outline-atomics"]

def isa_of(path):
    """The instruction set that the stem of a source names; as in kai_find_sources.

    Args:
      path: of the source.
    Returns:
      a key of ISAS.
    """
    stem = path.split("/")[-1].split(".")[0] + "_"
    found = "neon" if path.endswith(".S") else "any"
    length = 0
    for isa in ISAS:
        if len(isa) > length and "_" + isa + "_" in stem:
            found = isa
            length = len(isa)
    return found

def _aarch64(values, elf = []):
    chosen = select({"//:aarch64": values, "//conditions:default": []})
    if elf:
        chosen += select({"//:aarch64_linux": elf, "//:aarch64_android": elf, "//conditions:default": []})
    return chosen

def kai_libraries(name):
    """Defines the library `name`, the GEMM layer, gemm, and attention.

    Args:
      name: of the library of micro-kernels, packers and the registry.
    """
    headers = native.glob(["kai/*.h", "kai/ukernels/**/*.h"])
    native.exports_files(["LICENSE"])

    # Headers are found from the root of the repository: "kai/...".
    cc_library(
        name = name + "_headers",
        hdrs = headers,
        textual_hdrs = native.glob(["kai/ukernels/**/*.def"]),
        includes = ["."],
    )
    cc_library(
        name = name + "_private",
        textual_hdrs = native.glob([
            "kai/*.hpp",
            "kai/*.def",
            "kai/engines/**/*.def",
            "kai/engines/**/*.h",
            "kai/engines/**/*.hpp",
            "kai/engines/**/*.inc",
        ]),
        deps = [name + "_headers"],
        visibility = ["//visibility:private"],
    )

    groups = {}
    for path in native.glob(["kai/*.cpp", "kai/engines/*/*.cpp", "kai/engines/*/*.S"]):
        isa = isa_of(path)
        if path.endswith(".S"):
            kind = "assembly"
        elif path == "kai/kai_registry.cpp":
            kind = "registry"
        elif path.startswith("kai/engines/portable/"):
            kind = "portable"
        elif path.startswith("kai/engines/"):
            kind = "engines"
        else:
            kind = "common"
        key = (isa, kind)
        groups[key] = groups.get(key, []) + [path]

    everywhere = []
    on_aarch64 = []
    for key in sorted(groups):
        isa, kind = key
        copts = []
        defines = ["KAI_PREFETCH_BYTES=0", "KLEIDIAI_ASSERTIONS=0"]
        if kind == "assembly":
            if isa in ["sme2", "sme_mop4", "sme_f8f32"]:
                copts = select({
                    "//:encode_sme2": ["-include", "kai/engines/asm/sme2_gas.inc"],
                    "//conditions:default": [],
                })
        else:
            if kind == "portable":
                copts = ["-O3"]  # for GCC to vectorise
            if kind in ["portable", "engines"]:
                copts = copts + ["-ffreestanding"]
            own = _AARCH64_COPTS + ["-march=" + ISAS[isa]]
            copts = _COPTS + _FLOAT_RULES + copts + _aarch64(own, _AARCH64_ELF_COPTS)
        if kind == "registry":
            defines = defines + select({
                "//:aarch64": ["KAI_BUILD_" + i + "=1" for i in ISAS],
                "//conditions:default": ["KAI_BUILD_" + i + ("=1" if i == "any" else "=0") for i in ISAS],
            })
        library = "_".join([name, isa, kind])
        cc_library(
            name = library,
            srcs = groups[key],
            copts = copts,
            local_defines = defines,
            linkstatic = True,
            alwayslink = True,  # the archives need each other; --gc-sections drops what a program does not call
            tags = ["manual"],
            visibility = ["//visibility:private"],
            deps = [name + "_private"],
        )
        if isa == "any":
            everywhere.append(library)
        else:
            on_aarch64.append(library)

    cc_library(
        name = name,
        visibility = ["//visibility:public"],
        deps = [name + "_headers"] + everywhere + _aarch64(on_aarch64),
    )
    cc_library(
        name = "gemm_assembly",
        srcs = native.glob(["kai/conv/*.S"]),
        textual_hdrs = native.glob(["kai/conv/*.h"]),
        local_defines = ["KAI_PREFETCH_BYTES=0", "KLEIDIAI_ASSERTIONS=0"],
        linkstatic = True,
        alwayslink = True,
        tags = ["manual"],
        visibility = ["//visibility:private"],
        deps = [name + "_private"],
    )
    cc_library(
        name = "gemm",
        srcs = native.glob([
            "kai/gemm/*.cpp",
            "kai/gemm/*.hpp",
            "kai/conv/*.cpp",
            "kai/conv/*.hpp",
            "kai/gguf_file/*.cpp",
            "kai/packed_file/*.cpp",
            "kai/packed_file/*.hpp",
        ]),
        hdrs = native.glob(["kai/gemm/*.h"]),
        textual_hdrs = native.glob(["kai/gemm/*.def", "kai/conv/*.h"]),
        copts = _COPTS + _FLOAT_RULES + _aarch64(_AARCH64_COPTS, _AARCH64_ELF_COPTS),
        local_defines = ["KAI_PREFETCH_BYTES=0", "KLEIDIAI_ASSERTIONS=0"],
        visibility = ["//visibility:public"],
        deps = [name, name + "_private"] + _aarch64(["gemm_assembly"]),
    )
    _attention(name)

def _attention(name):
    """Attention, a library of its own; as in kai_libraries, stems name instruction sets.

    Args:
      name: of the library of micro-kernels.
    """
    groups = {}
    for path in native.glob(["kai/attention/*.cpp", "kai/attention/*.S"]):
        kind = "assembly" if path.endswith(".S") else path.split("/")[-1].split(".")[0]
        kind = kind if kind in ["kernels", "block_portable", "cache", "assembly"] else "common"
        key = (isa_of(path), kind)
        groups[key] = groups.get(key, []) + [path]
    headers = native.glob(["kai/attention/*.h", "kai/attention/*.hpp", "kai/gemm/*.hpp"])
    everywhere = []
    on_aarch64 = []
    for isa, kind in sorted(groups):
        copts = []
        defines = ["KAI_PREFETCH_BYTES=0", "KLEIDIAI_ASSERTIONS=0"]
        if kind != "assembly":
            own = _AARCH64_COPTS + ["-march=" + ISAS[isa]]
            copts = ["-O3"] if kind in ["block_portable", "cache"] else []  # for GCC to vectorise
            copts = _COPTS + _FLOAT_RULES + copts + _aarch64(own, _AARCH64_ELF_COPTS)
        if kind == "kernels":
            defines = defines + select({
                "//:aarch64": ["KAI_BUILD_" + i + "=1" for i in ISAS],
                "//conditions:default": ["KAI_BUILD_" + i + ("=1" if i == "any" else "=0") for i in ISAS],
            })
        library = "_".join(["attention", isa, kind])
        cc_library(
            name = library,
            srcs = groups[(isa, kind)],
            textual_hdrs = headers,
            copts = copts,
            local_defines = defines,
            linkstatic = True,
            alwayslink = True,
            tags = ["manual"],
            visibility = ["//visibility:private"],
            deps = ["gemm", name + "_private"],
        )
        if isa == "any":
            everywhere.append(library)
        else:
            on_aarch64.append(library)
    cc_library(
        name = "attention",
        visibility = ["//visibility:public"],
        deps = ["gemm"] + everywhere + _aarch64(on_aarch64),
    )
