// A graph compiler's use of the GEMM layer: layers are planned and their weights packed when the graph is compiled; the
// workspace is part of the memory plan, because its size is known then.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../common/aligned_memory.hpp"
#include "kai/gemm/kai_gemm.h"

inline void require(kai_gemm_status status) {
    if (status != KAI_GEMM_OK) {
        throw std::runtime_error(kai_gemm_status_text(status));
    }
}

/// y = x W + b, then perhaps ReLU: as the graph has it.
struct Layer {
    size_t n, k;
    const float *weights, *bias;  // K x N
    bool relu;
};

/// A layer of the program. Offsets: where things are in the constants and in the arena.
struct Node {
    kai_gemm_plan plan;
    size_t weights, in, out;
};

/// What the compiler makes. Nothing in it points to what it was made from.
struct Program {
    std::vector<Node> nodes;
    AlignedMemory constants;
    size_t constants_size, arena_size, workspace;
};

/// Compiles a chain of layers for up to `rows` rows and `units` threads that work at the same time.
inline Program compile(const std::vector<Layer>& layers, size_t rows, size_t units) {
    Program program = {};
    const auto place = [](size_t& end, size_t size) {
        const size_t start = end;
        end += (size + 63) / 64 * 64;
        return start;
    };
    // Plan. The tensors between layers: two places, each layer reads one and writes the other.
    size_t widest = layers.front().k, workspace = 0;
    for (const Layer& layer : layers) {
        kai_gemm_problem problem = kai_gemm_problem_of(rows, layer.n, layer.k);
        problem.b_constant = problem.bias = true;
        problem.clamp_min = layer.relu ? 0 : problem.clamp_min;
        problem.units = units;
        Node node = {};
        require(kai_gemm_make_plan(&problem, &node.plan));
        node.weights = place(program.constants_size, node.plan.packed_b_size);
        widest = std::max(widest, layer.n);
        workspace = std::max(workspace, node.plan.workspace_size);  // one layer runs at a time
        program.nodes.push_back(node);
    }
    const size_t tensors[] = {
        place(program.arena_size, rows * widest * sizeof(float)),
        place(program.arena_size, rows * widest * sizeof(float))};
    program.workspace = place(program.arena_size, workspace);
    // Pack.
    program.constants = allocate(program.constants_size);
    for (size_t i = 0; i < layers.size(); ++i) {
        Node& node = program.nodes[i];
        node.in = tensors[i % 2], node.out = tensors[(i + 1) % 2];
        kai_gemm_weights weights = {};
        weights.b = layers[i].weights, weights.bias = layers[i].bias;
        const AlignedMemory scratch = allocate(node.plan.pack_workspace_size);
        require(kai_gemm_pack_b(
            &node.plan, 0, &weights, static_cast<char*>(program.constants.get()) + node.weights,
            node.plan.packed_b_size, scratch.get(), node.plan.pack_workspace_size, nullptr, nullptr));
    }
    return program;
}
