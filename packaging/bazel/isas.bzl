"""The instruction sets of kai/isas.def, for kai.bzl.

Bazel reads no files while it loads a package, but a repository rule may: kai_isas writes what kai.bzl loads.

SPDX-License-Identifier: Apache-2.0
"""

def _isas(table):
    """The instruction sets, in the order of the table, with the -march of their C++ sources."""
    isas = {}
    for line in table.split("\n"):
        if line.startswith("KAI_ISA("):
            isas[line[len("KAI_ISA("):].split(",")[0]] = line.split("\"")[3]
    return isas

def _kai_isas(repository_ctx):
    isas = _isas(repository_ctx.read(repository_ctx.attr.table))
    repository_ctx.file("BUILD.bazel", "")
    repository_ctx.file("isas.bzl", "ISAS = " + repr(isas) + "\n")

kai_isas = repository_rule(
    implementation = _kai_isas,
    attrs = {"table": attr.label(default = "//:kai/isas.def")},
    doc = "A repository with isas.bzl, which defines ISAS: the -march of each instruction set.",
)
