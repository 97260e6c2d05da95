// kai-pack: packs weights for a micro-kernel and a vector length into a file (docs/file.md), on any host.
//
//     kai-pack pack model.kai --name layers.0.up --weights up.npy --transposed --vector-length 512
//         --kernel matmul_clamp_f32_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa
//     kai-pack inspect model.kai
//     kai-pack verify model.kai
//
// The command line only: CLI11 takes an optimiser long (kai_optimise_little).
//
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tools/kai_pack/kai_pack.hpp"

int main(int argc, char** argv) {
    kai_pack_tool::Options o;
    CLI::App app("Packs weights for Arm micro-kernels into files that are mapped and used in place.", "kai-pack");
    app.require_subcommand(1);
    CLI::App* p = app.add_subcommand("pack", "packs a tensor; creates the file, or adds to it");
    p->add_option("file", o.out, "the file of packed weights")->required();
    p->add_option("--name", o.name, "name of the tensor")->required();
    p->add_option("--kernel", o.kernel, "micro-kernel that will read it (docs/kernels.md)")->required();
    p->add_option("--vector-length", o.vector_length, "bits of the CPU's SVE or SME vectors, if the kernel has such");
    const CLI::Validator exists(
        [](std::string& name) { return CLI::ExistingFile(kai_pack_tool::file_of(name)); }, "FILE", "exists");
    p->add_option(
         "--weights", o.weights,
         ".npy (f32, f16), FILE.safetensors:TENSOR, or raw as the kernel's kind says (kai_gemm.h)")
        ->required()
        ->check(exists);
    p->add_option(
         "--type", o.type,
         "of raw weights: f32, f16, bf16; for a kernel of int8 or int4 f32 (quantised, "
         "symmetric) or the type of rows of a GGUF file, as q4_k")
        ->check(CLI::IsMember(kai_pack_tool::type_names(), CLI::ignore_case));
    p->add_flag("--transposed", o.transposed, "the weights are N x K, not K x N");
    p->add_option("--n", o.n, "columns");
    p->add_option("--k", o.k, "depth");
    p->add_option("--bl", o.bl, "length of a block of k");
    p->add_option("--count", o.count, "matrices, one after the other");
    p->add_option("--scale", o.scale, "scales, as kai_gemm_weights has them")->check(exists);
    p->add_option("--scale-columns", o.scale_columns, "8-bit floats: columns that have the same scales (1)");
    p->add_option("--zero", o.zero, "zeros, f32 [n][k / bl]")->check(exists);
    p->add_option("--bias", o.bias, "f32 [n] (static int8: int32)")->check(exists);
    p->add_flag("--bias-apart", o.bias_apart, "behind the panels, for plans with alpha, beta or conversions");
    p->add_option("--zero-point", o.zero_point, "of int4 with a scale per column: 8 or 0")
        ->check(CLI::IsMember({"0", "8"}));
    p->add_option("--a-zero-point", o.a_zero_point, "static int8: zero point of A");
    p->add_option("--multiplier", o.multiplier, "static int8: scale of A / scale of C");
    p->add_option("--lut", o.lut, "int2: four weights")->expected(4);
    p->add_option(
         "--table", o.table,
         "the weights are indices of 4 bits, N x K, of these 16 numbers, or of nf4, fp4 or iq4nl: records of a kernel "
         "with a table (int8), or for a kernel of floats nibbles, the first one high, with --scale and --bl")
        ->expected(1, 16);
    p->add_flag("--replace", o.replace, "a tensor of this name");
    p->callback([&] { kai_pack_tool::pack(o); });
    CLI::App* j = app.add_subcommand("join", "puts the tensors of several files into one");
    j->add_option("file", o.out, "the file to write")->required();
    j->add_flag("--force", o.force, "replaces a file that exists");
    j->add_option("files", o.in, "files to read")->required()->check(CLI::ExistingFile);
    j->callback([&] { kai_pack_tool::join(o); });
    CLI::App* i = app.add_subcommand("inspect", "lists the tensors, and whether this CPU can use them");
    i->add_option("file", o.out)->required()->check(CLI::ExistingFile);
    i->callback([&] { kai_pack_tool::inspect(o); });
    CLI::App* v = app.add_subcommand("verify", "reads all tensors and compares their checksums");
    v->add_option("file", o.out)->required()->check(CLI::ExistingFile);
    v->callback([&] { kai_pack_tool::verify(o); });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "kai-pack: %s\n", e.what());
        return 1;
    }
    return 0;
}
