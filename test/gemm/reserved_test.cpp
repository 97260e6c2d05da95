// Room for members of later versions: no word of it may be set in what a program passes, and what the library makes has
// zeros there.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kai/gemm/kai_conv.h"
#include "kai/gemm/kai_gemm_file.h"
#include "kai/gemm/kai_gguf_file.h"
#include "kai/kai_call.h"
#include "test/gemm/experiment.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

/// try_it() with each word of the room set in turn, then with none. `reserved` is part of what it passes.
template <size_t N, typename Try>
void for_each_word(uint64_t (&reserved)[N], Try try_it) {
    for (size_t i = 0; i < N; ++i) {
        for (const unsigned bit : {0U, 63U}) {
            SCOPED_TRACE("word " + std::to_string(i));
            reserved[i] = uint64_t{1} << bit;
            try_it(true);
            reserved[i] = 0;
        }
    }
    try_it(false);
}

/// Whether it is the last member: a structure keeps its size while new members take room from the front.
template <typename Struct, size_t N>
bool ends_with(const Struct& structure, const uint64_t (&reserved)[N]) {
    return reinterpret_cast<const char*>(&reserved[N]) == reinterpret_cast<const char*>(&structure + 1);
}

template <size_t N>
bool is_zero(const uint64_t (&reserved)[N]) {
    return std::all_of(reserved, reserved + N, [](uint64_t word) { return word == 0; });
}

/// Memory as a program finds it on its stack.
template <typename Struct>
Struct garbage() {
    Struct structure;
    std::memset(static_cast<void*>(&structure), 0xA5, sizeof(structure));
    return structure;
}

TEST(GemmReserved, EndsEveryStructure) {
#define EXPECT_ENDS(STRUCT)                                               \
    do {                                                                  \
        const STRUCT structure = {};                                      \
        EXPECT_TRUE(ends_with(structure, structure.reserved)) << #STRUCT; \
    } while (0)
    EXPECT_ENDS(kai_gemm_problem);
    EXPECT_ENDS(kai_gemm_plan);
    EXPECT_ENDS(kai_gemm_weights);
    EXPECT_ENDS(kai_gemm_source);
    EXPECT_ENDS(kai_gemm_result);
    EXPECT_ENDS(kai_gemm_operands);
    EXPECT_ENDS(kai_gemm_work);
    EXPECT_ENDS(kai_gemm_product);
    EXPECT_ENDS(kai_gemm_cost);
    EXPECT_ENDS(kai_gemm_tensor);
    EXPECT_ENDS(kai_gemm_file);
    EXPECT_ENDS(kai_conv_problem);
    EXPECT_ENDS(kai_conv_plan);
    EXPECT_ENDS(kai_conv_operands);
    EXPECT_ENDS(kai_conv_work);
    EXPECT_ENDS(kai_gguf_file);
    EXPECT_ENDS(kai_gguf_pair);
    EXPECT_ENDS(kai_gguf_value);
    EXPECT_ENDS(kai_gguf_tensor);
    EXPECT_ENDS(kai_ukernel);
    EXPECT_ENDS(kai_registry_request);
    EXPECT_ENDS(kai_registry_call);
    EXPECT_ENDS(kai_call);
#undef EXPECT_ENDS
}

TEST(GemmReserved, OfAProblem) {
    kai_gemm_problem p = kai_gemm_problem_of(5, 20, 64);
    EXPECT_TRUE(is_zero(p.reserved));
    for_each_word(p.reserved, [&](bool refused) {
        auto plan = garbage<kai_gemm_plan>();
        EXPECT_EQ(kai_gemm_make_plan(&p, &plan), refused ? KAI_GEMM_RESERVED : KAI_GEMM_OK);
        EXPECT_EQ(plan.reason, refused ? SAID(reserved, "problem") : "");
        EXPECT_TRUE(is_zero(plan.reserved));
    });
}

Case constant_b() {
    Case c;
    c.p = kai_gemm_problem_of(5, 20, 64);
    c.p.b_constant = c.p.bias = true;
    c.m = 5;
    return c;
}

TEST(GemmReserved, OfWeights) {
    const Case c = constant_b();
    Experiment e(c);
    ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
    kai_gemm_weights w = e.weights[0];
    for_each_word(w.reserved, [&](bool refused) {
        std::vector<uint8_t> packed(e.plan.packed_b_size, 0xA5);
        const kai_gemm_status status = refused ? KAI_GEMM_RESERVED : KAI_GEMM_OK;
        const auto unit = kai_gemm_pack_b_unit(&e.plan, 0, &w, packed.data(), packed.size(), nullptr, 0, 0);
        const auto all = kai_gemm_pack_b(&e.plan, 0, &w, packed.data(), packed.size(), nullptr, 0, nullptr, nullptr);
        EXPECT_EQ(unit, status);
        EXPECT_EQ(all, status);
        if (refused) {
            char text[200];
            kai_gemm_explain_pack_b(&e.plan, 0, &w, packed.data(), packed.size(), nullptr, 0, text, sizeof(text));
            EXPECT_EQ(text, SAID(reserved, "weights") + "\n");
            EXPECT_TRUE(std::all_of(packed.begin(), packed.end(), [](uint8_t byte) { return byte == 0xA5; }));
        }
    });
}

TEST(GemmReserved, OfOperands) {
    const Case c = constant_b();
    Experiment e(c);
    ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
    ASSERT_EQ(e.pack(), KAI_GEMM_OK);
    kai_gemm_operands x = e.x;
    void* workspace = e.workspace[0].data();
    const size_t size = e.plan.workspace_size;
    const auto expect_refused = [&](const char* name) {
        return [&, name](bool refused) {
            const kai_gemm_status status = refused ? KAI_GEMM_RESERVED : KAI_GEMM_OK;
            auto work = garbage<kai_gemm_work>();
            EXPECT_EQ(kai_gemm_begin(&e.plan, &x, workspace, size, &work), status) << name;
            EXPECT_EQ(is_zero(work.reserved), !refused);
            EXPECT_EQ(kai_gemm_run(&e.plan, &x, workspace, size, nullptr, nullptr), status) << name;
            if (refused) {
                char text[200];
                kai_gemm_explain_run(&e.plan, &x, workspace, size, text, sizeof(text));
                EXPECT_EQ(text, SAID(reserved, name) + "\n");
                return;
            }
            auto cost = garbage<kai_gemm_cost>();
            EXPECT_EQ(kai_gemm_estimate(&work, &cost), KAI_GEMM_OK);
            EXPECT_TRUE(is_zero(cost.reserved));
        };
    };
    for_each_word(x.a.reserved, expect_refused("operands.a"));
    for_each_word(x.b.reserved, expect_refused("operands.b"));
    for_each_word(x.c.reserved, expect_refused("operands.c"));
    for_each_word(x.reserved, expect_refused("operands"));
    e.check();
}

TEST(GemmReserved, OfATensor) {
    kai_gemm_tensor tensor = {};
    ASSERT_EQ(kai_gemm_tensor_for("matmul_clamp_f32_f32_f32p16x1b_1x16_portable", 0, &tensor), KAI_GEMM_FILE_OK);
    tensor.name = "w", tensor.n = 20, tensor.k = 8, tensor.count = 1;
    const std::vector<float> floats(20 * 8);
    kai_gemm_weights w = {};
    w.b = floats.data();
    size_t size = 0;
    ASSERT_EQ(kai_gemm_file_lay_out(&tensor, 1, &size), KAI_GEMM_FILE_OK);
    std::vector<uint8_t> file(size + 64);
    uint8_t* bytes = file.data() + (64 - reinterpret_cast<uintptr_t>(file.data()) % 64) % 64;
    const auto pack = [&] {
        return kai_gemm_tensor_pack(&tensor, 0, true, &w, 0, 20, bytes + tensor.offset, tensor.size);
    };
    for_each_word(tensor.reserved, [&](bool refused) {
        const kai_gemm_file_status status = refused ? KAI_GEMM_FILE_RESERVED : KAI_GEMM_FILE_OK;
        kai_gemm_tensor measured = tensor;
        EXPECT_EQ(kai_gemm_tensor_measure(&measured), status);
        EXPECT_EQ(kai_gemm_file_lay_out(&measured, 1, &size), status);
        EXPECT_EQ(pack(), status);
        tensor.checksum = kai_gemm_file_checksum(0, bytes + tensor.offset, tensor.size);
        EXPECT_EQ(kai_gemm_file_write_header(&tensor, 1, bytes, size), status);
        char reason[200];
        const kai_gemm_file_status usable = kai_gemm_tensor_usable(&tensor, reason, sizeof(reason));
        EXPECT_EQ(usable == KAI_GEMM_FILE_RESERVED, refused);
        if (refused) {
            EXPECT_EQ(reason, SAID(reserved, "tensor"));
        }
        // Describing it cannot fail: planning does.
        kai_gemm_problem p = kai_gemm_problem_of(5, 0, 0);
        kai_gemm_tensor_describe(&tensor, &p);
        kai_gemm_plan plan;
        EXPECT_EQ(kai_gemm_make_plan(&p, &plan) == KAI_GEMM_RESERVED, refused);
    });
    for_each_word(
        w.reserved, [&](bool refused) { EXPECT_EQ(pack(), refused ? KAI_GEMM_FILE_RESERVED : KAI_GEMM_FILE_OK); });

    auto opened = garbage<kai_gemm_file>();
    ASSERT_EQ(kai_gemm_file_open(bytes, size, &opened), KAI_GEMM_FILE_OK);
    EXPECT_TRUE(is_zero(opened.reserved));
    auto found = garbage<kai_gemm_tensor>();
    ASSERT_EQ(kai_gemm_file_find(&opened, "w", &found), KAI_GEMM_FILE_OK);
    EXPECT_TRUE(is_zero(found.reserved));
}

/// A GGUF file with one pair and one tensor, of one f32.
std::vector<uint8_t> small_gguf() {
    std::vector<uint8_t> bytes;
    const auto add = [&](auto value) {
        const auto* first = reinterpret_cast<const uint8_t*>(&value);
        bytes.insert(bytes.end(), first, first + sizeof(value));
    };
    const auto add_text = [&](const std::string& text) {
        add(uint64_t{text.size()});
        bytes.insert(bytes.end(), text.begin(), text.end());
    };
    bytes = {'G', 'G', 'U', 'F'};
    add(uint32_t{3}), add(uint64_t{1}), add(uint64_t{1});
    add_text("key"), add(uint32_t{KAI_GGUF_U8}), add(uint8_t{7});
    add_text("w"), add(uint32_t{1}), add(uint64_t{1}), add(uint32_t{KAI_GGUF_F32}), add(uint64_t{0});
    bytes.resize((bytes.size() + 31) / 32 * 32);
    add(1.0F);
    return bytes;
}

TEST(GemmReserved, OfWhatIsReadFromAGgufFile) {
    const std::vector<uint8_t> bytes = small_gguf();
    auto file = garbage<kai_gguf_file>();
    ASSERT_EQ(kai_gguf_file_open(bytes.data(), bytes.size(), &file, nullptr), KAI_GGUF_FILE_OK);
    EXPECT_TRUE(is_zero(file.reserved));
    kai_gguf_pair first = {};
    ASSERT_TRUE(kai_gguf_file_next_pair(&file, &first));
    auto pair = garbage<kai_gguf_pair>();
    ASSERT_EQ(kai_gguf_file_find_pair(&file, "key", &pair), KAI_GGUF_FILE_OK);
    EXPECT_TRUE(is_zero(pair.reserved));
    auto value = garbage<kai_gguf_value>();
    size_t at = 0;
    ASSERT_TRUE(kai_gguf_pair_next(&pair, &at, &value));
    EXPECT_TRUE(is_zero(value.reserved));
    auto tensor = garbage<kai_gguf_tensor>();
    ASSERT_EQ(kai_gguf_file_find_tensor(&file, "w", &tensor), KAI_GGUF_FILE_OK);
    EXPECT_TRUE(is_zero(tensor.reserved));
}

}  // namespace
}  // namespace test::gemm
