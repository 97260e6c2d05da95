// kai-gguf: what is in a GGUF file, and its tensors packed for micro-kernels (docs/gguf.md), on any host.
//
//     kai-gguf list model.gguf
//     kai-gguf pack model.gguf model.kai --for sme2 --vector-length 512 --dense bf16
//     kai-gguf verify model.gguf model.kai
//     kai-gguf rows model.gguf token_embd.weight 17 42
//
// The command line only: CLI11 takes an optimiser long (kai_optimise_little).
//
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tools/kai_gguf/kai_gguf.hpp"

int main(int argc, char** argv) {
    kai_gguf_tool::Options o;
    o.threads = std::max(std::thread::hardware_concurrency(), 1U);
    CLI::App app("Lists GGUF files and packs their tensors for Arm micro-kernels.", "kai-gguf");
    app.require_subcommand(1);
    const auto add_cpu = [&](CLI::App* command) {
        std::vector<std::string> names;
        for (const auto& isa : kai_gguf_tool::isas()) {
            names.push_back(isa.first);
        }
        command->add_option("--for", o.isa, "instruction set of the CPU that will multiply; otherwise of this CPU")
            ->check(CLI::IsMember(names));
        command->add_option("--vector-length", o.vector_length, "bits of its SME vectors");
        command->add_option("--dense", o.dense, "packs matrices that no kernel of integers reads, as f32, f16 or bf16")
            ->check(CLI::IsMember(kai_gguf_tool::floats()));
    };
    const auto add_model = [&](CLI::App* command) {
        command->add_option("model", o.model, "the GGUF file")->required()->check(CLI::ExistingFile);
    };
    const auto add_threads = [&](CLI::App* command) {
        command->add_option("--threads", o.threads, "otherwise as many as there are cores")->check(CLI::Range(1, 1024));
    };
    CLI::App* l = app.add_subcommand("list", "the tensors, and what becomes of each");
    add_model(l);
    add_cpu(l);
    l->callback([&] { kai_gguf_tool::list(o); });
    CLI::App* p =
        app.add_subcommand("pack", "packs what micro-kernels read into a file that is mapped and used in place");
    add_model(p);
    p->add_option("packed", o.packed, "the file to write")->required();
    p->add_flag("--force", o.force, "replaces a file that exists");
    add_cpu(p);
    add_threads(p);
    p->callback([&] { kai_gguf_tool::pack(o); });
    CLI::App* v = app.add_subcommand("verify", "packs again and compares");
    add_model(v);
    v->add_option("packed", o.packed, "the packed file")->required()->check(CLI::ExistingFile);
    add_threads(v);
    v->callback([&] { kai_gguf_tool::verify(o); });
    CLI::App* r = app.add_subcommand("rows", "prints rows of a tensor as floats");
    add_model(r);
    r->add_option("tensor", o.name, "its name")->required();
    r->add_option("rows", o.rows, "numbers of rows")->required();
    r->callback([&] { kai_gguf_tool::rows(o); });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "kai-gguf: %s\n", e.what());
        return 1;
    }
    return 0;
}
