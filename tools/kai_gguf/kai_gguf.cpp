// What kai-gguf does.
//
// SPDX-License-Identifier: Apache-2.0
#include "tools/kai_gguf/kai_gguf.hpp"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kai/gemm/kai_gemm_file.h"
#include "kai/gemm/kai_gguf_file.h"
#include "kai/packed_file/tensor.hpp"
#include "tools/files.hpp"

namespace kai_gguf_tool {

using std::string;
using tools::fail;
using tools::Mapping;
using tools::Output;

const std::map<string, std::vector<kai_cpu_feature>>& isas() {
    static const std::map<string, std::vector<kai_cpu_feature>> all = {
        {"portable", {}},
        {"neon", {KAI_CPU_NEON}},
        {"dotprod", {KAI_CPU_NEON, KAI_CPU_FP16, KAI_CPU_DOTPROD}},
        {"i8mm", {KAI_CPU_NEON, KAI_CPU_FP16, KAI_CPU_DOTPROD, KAI_CPU_BF16, KAI_CPU_I8MM}},
        {"sme", {KAI_CPU_NEON, KAI_CPU_FP16, KAI_CPU_DOTPROD, KAI_CPU_BF16, KAI_CPU_I8MM, KAI_CPU_SME}},
        {"sme2", {KAI_CPU_NEON, KAI_CPU_FP16, KAI_CPU_DOTPROD, KAI_CPU_BF16, KAI_CPU_I8MM, KAI_CPU_SME, KAI_CPU_SME2}},
    };
    return all;
}

const std::map<string, kai_datatype>& floats() {
    static const std::map<string, kai_datatype> all = {{"f32", kai_dt_f32}, {"f16", kai_dt_f16}, {"bf16", kai_dt_bf16}};
    return all;
}

namespace {

void check(kai_gemm_file_status status, const string& what) {
    if (status != KAI_GEMM_FILE_OK) {
        fail(what + ": " + kai_gemm_file_status_text(status));
    }
}

/// A GGUF file and its tensors.
struct Model {
    string path;
    Mapping mapping;
    kai_gguf_file file = {};
    std::vector<uint8_t> index;
    std::vector<kai_gguf_tensor> tensors;

    explicit Model(const string& name) : path(name), mapping(name) {
        if (mapping.size() == 0) {
            fail(path + ": empty");
        }
        size_t at = 0;
        kai_gguf_file_status status = kai_gguf_file_open(mapping.data(), mapping.size(), &file, &at);
        check(status, at);
        index.resize(file.index_size);
        status = kai_gguf_file_index(&file, index.data(), index.size(), &at);
        check(status, at);
        for (kai_gguf_tensor t = {}; kai_gguf_file_next_tensor(&file, &t);) {
            tensors.push_back(t);
        }
    }

private:
    void check(kai_gguf_file_status status, size_t at) const {
        if (status != KAI_GGUF_FILE_OK) {
            fail(path + ", byte " + std::to_string(at) + ": " + kai_gguf_file_status_text(status));
        }
    }
};

string name_of(const kai_gguf_tensor& t) {
    return string(t.name, t.name_length);
}

string shape_of(const kai_gguf_tensor& t) {
    string text;
    for (size_t i = 0; i < std::max<size_t>(t.dimensions, 1); ++i) {
        text += (i != 0 ? " x " : "") + std::to_string(t.shape[i]);
    }
    return text;
}

// ---- what becomes of a tensor ----

/// kai_dt_unknown: not floats.
kai_datatype datatype_of(const kai_gguf_type& type) {
    return type.id == KAI_GGUF_F32    ? kai_dt_f32
           : type.id == KAI_GGUF_F16  ? kai_dt_f16
           : type.id == KAI_GGUF_BF16 ? kai_dt_bf16
                                      : kai_dt_unknown;
}

struct Choice {
    kai_gemm_tensor tensor = {};
    const char* kernel = nullptr;
    string name;
    string why_not;  // empty: it is packed
};

/// A tensor of a file with one or more matrices; others stay where they are.
Choice choose(const kai_gguf_tensor& t, const Options& o) {
    Choice c;
    c.name = name_of(t);
    if (t.type == nullptr) {
        c.why_not = "unknown type";
    } else if (t.rows == 1) {
        c.why_not = "a vector";
    } else if (c.name.size() > KAI_GEMM_FILE_NAME_MAX) {
        c.why_not = "the name is too long";
    }
    if (!c.why_not.empty()) {
        return c;
    }
    uint64_t features = o.isa.empty() ? kai_cpu_features() : 0;
    for (const kai_cpu_feature feature : o.isa.empty() ? std::vector<kai_cpu_feature>() : isas().at(o.isa)) {
        features |= uint64_t{1} << feature;
    }
    const size_t bits = o.vector_length != 0 ? o.vector_length : 8 * kai_cpu_sme_bytes();
    kai_gemm_file_status status = kai_gemm_tensor_for_gguf(t.type->id, features, bits, &c.tensor, &c.kernel);
    if (status == KAI_GEMM_FILE_NO_PACKER && !o.dense.empty()) {
        status = kai_gemm_tensor_for_dense(floats().at(o.dense), features, bits, &c.tensor, &c.kernel);
        c.tensor.type = datatype_of(*t.type);
        if (c.tensor.type == kai_dt_unknown) {
            c.tensor.kind = KAI_GEMM_GGUF, c.tensor.gguf_type = t.type->id;
        }
    }
    if (status == KAI_GEMM_FILE_NO_PACKER) {
        c.why_not = !o.dense.empty()                         ? "no kernel of " + o.dense
                    : datatype_of(*t.type) != kai_dt_unknown ? "floats (--dense)"
                                                             : "no kernel: dequantise (--dense)";
        return c;
    }
    check(status, status == KAI_GEMM_FILE_BAD_VECTOR ? "--vector-length" : c.name);
    c.tensor.n = static_cast<size_t>(t.shape[1]), c.tensor.k = t.k;
    c.tensor.count = t.rows / c.tensor.n;
    check(kai_gemm_tensor_measure(&c.tensor), c.name);
    return c;
}

// ---- all cores ----

/// task(i) for every i < count, on all threads; the bar shows how many are done. The first failure is thrown.
void parallel(size_t threads, size_t count, const string& what, const std::function<void(size_t)>& task) {
    std::atomic<size_t> next{0}, done{0};
    std::atomic_flag failed = ATOMIC_FLAG_INIT;
    std::exception_ptr failure;
    const auto work = [&](const tools::Progress* progress) {
        for (size_t i = next++; i < count; i = next++) {
            try {
                task(i);
            } catch (...) {
                if (!failed.test_and_set()) {
                    failure = std::current_exception();
                }
                next = count;
            }
            ++done;
            if (progress != nullptr) {
                progress->at(done, count);
            }
        }
    };
    std::vector<std::thread> others;
    for (size_t i = 1; i < threads; ++i) {
        others.emplace_back(work, nullptr);
    }
    {
        const tools::Progress progress(what);
        work(&progress);
        for (std::thread& thread : others) {
            thread.join();
        }
        progress.at(count, count);
    }
    if (failure != nullptr) {
        std::rethrow_exception(failure);
    }
}

/// Panels of a matrix, a piece of work.
struct Part {
    size_t tensor, matrix, first, columns;
};

/// Parts of about a megabyte of the file each.
std::vector<Part> parts_of(const std::vector<kai_gemm_tensor>& tensors) {
    constexpr size_t kPart = size_t{1} << 20;
    std::vector<Part> parts;
    for (size_t i = 0; i < tensors.size(); ++i) {
        const kai_gemm_tensor& t = tensors[i];
        const size_t nr = t.format.nr, panel = std::max<size_t>(t.panels_size / ((t.n + nr - 1) / nr), 1);
        const size_t step = std::max<size_t>(kPart / panel, 1) * nr;
        for (size_t matrix = 0; matrix < t.count; ++matrix) {
            for (size_t n = 0; n < t.n; n += step) {
                parts.push_back({i, matrix, n, std::min(step, t.n - n)});
            }
        }
    }
    return parts;
}

/// The rows of a part.
kai_gemm_weights rows_of(const kai_gguf_tensor& source, const kai_gemm_tensor& t, size_t matrix, size_t first) {
    kai_gemm_weights w = {};
    w.b = static_cast<const uint8_t*>(source.data) + (matrix * t.n + first) * source.row_size;
    return w;
}

/// Whether each matrix ends with the tag of what the header says of it.
bool has_its_tags(const kai_gemm_tensor& t) {
    const kai::gemm::Tag tag = kai_gemm_tensors::tag_of(t);
    for (size_t i = 0; i < t.count && !t.untagged; ++i) {
        if (std::memcmp(static_cast<const uint8_t*>(t.data) + (i + 1) * t.stride - sizeof(tag), &tag, sizeof(tag)) !=
            0) {
            return false;
        }
    }
    return true;
}

}  // namespace

void list(const Options& o) {
    const Model model(o.model);
    std::printf(
        "%s: version %u, %zu pairs, %zu tensors, aligned to %zu, %zu bytes\n", o.model.c_str(), model.file.version,
        model.file.pair_count, model.file.tensor_count, model.file.alignment, model.mapping.size());
    size_t before = 0, packed = 0, left = 0;
    for (const kai_gguf_tensor& t : model.tensors) {
        const Choice c = choose(t, o);
        std::printf(
            "%s\n    %s, %s, %zu bytes\n", c.name.c_str(),
            t.type != nullptr ? t.type->name : ("type " + std::to_string(t.type_id)).c_str(), shape_of(t).c_str(),
            t.size);
        if (!c.why_not.empty()) {
            std::printf("    stays: %s\n", c.why_not.c_str());
            left += t.size;
            continue;
        }
        std::printf(
            "    packed as %s, nr %zu, kr %zu, sr %zu, %zu bytes\n    %s\n", c.tensor.format.name, c.tensor.format.nr,
            c.tensor.format.kr, c.tensor.format.sr, c.tensor.size, c.kernel);
        before += t.size, packed += c.tensor.size;
    }
    std::printf("%zu bytes become %zu packed, %zu stay\n", before, packed, left);
}

void pack(const Options& o) {
    Output out(o.packed, {o.model}, o.force ? Output::Existing::replaced : Output::Existing::refused);
    const Model model(o.model);
    std::vector<Choice> choices;
    std::map<string, const kai_gguf_tensor*> sources;
    for (const kai_gguf_tensor& t : model.tensors) {
        Choice c = choose(t, o);
        if (c.why_not.empty()) {
            sources[c.name] = &t;
            choices.push_back(std::move(c));
        }
    }
    if (choices.empty()) {
        fail(o.model + ": no tensor is packed");
    }
    std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.name < b.name; });
    std::vector<kai_gemm_tensor> tensors;
    for (const Choice& c : choices) {
        tensors.push_back(c.tensor);
        tensors.back().name = c.name.c_str();
    }
    size_t size = 0;
    check(kai_gemm_file_lay_out(tensors.data(), tensors.size(), &size), o.packed);
    uint8_t* packed = out.create(size);
    const std::vector<Part> parts = parts_of(tensors);
    parallel(o.threads, parts.size(), "packing", [&](size_t i) {
        const Part& part = parts[i];
        const kai_gemm_tensor& t = tensors[part.tensor];
        const kai_gemm_weights w = rows_of(*sources.at(t.name), t, part.matrix, 0);
        check(
            kai_gemm_tensor_pack(&t, part.matrix, true, &w, part.first, part.columns, packed + t.offset, t.size),
            t.name);
    });
    parallel(o.threads, tensors.size(), "checksums", [&](size_t i) {
        tensors[i].checksum = kai_gemm_file_checksum(0, packed + tensors[i].offset, tensors[i].size);
    });
    check(kai_gemm_file_write_header(tensors.data(), tensors.size(), packed, size), o.packed);
    out.publish();
    std::printf("%s: %zu of %zu tensors, %zu bytes\n", o.packed.c_str(), tensors.size(), model.tensors.size(), size);
}

/// Compares panel by panel: a thread needs the memory of one.
void verify(const Options& o) {
    const Model model(o.model);
    const Mapping packed(o.packed);
    kai_gemm_file file;
    if (packed.size() == 0) {
        fail(o.packed + ": empty");
    }
    check(kai_gemm_file_open(packed.data(), packed.size(), &file), o.packed);
    std::vector<kai_gemm_tensor> tensors(file.count);
    std::vector<kai_gguf_tensor> sources(file.count);
    for (size_t i = 0; i < file.count; ++i) {
        kai_gemm_tensor& t = tensors[i];
        kai_gguf_tensor& source = sources[i];
        check(kai_gemm_file_tensor(&file, i, &t), o.packed);
        const bool there = kai_gguf_file_find_tensor(&model.file, t.name, &source) == KAI_GGUF_FILE_OK;
        const bool is_it = there && source.type != nullptr &&
                           (t.kind == KAI_GEMM_GGUF    ? t.gguf_type == source.type->id
                            : t.kind == KAI_GEMM_DENSE ? t.type == datatype_of(*source.type)
                                                       : false);
        if (!is_it || t.bias || t.k != source.k || t.n != source.shape[1] || t.n * t.count != source.rows) {
            fail(string(t.name) + ": " + (there ? "not packed from the tensor of this name" : "not in " + o.model));
        }
    }
    const std::vector<Part> parts = parts_of(tensors);
    std::vector<std::atomic<bool>> differ(tensors.size());
    parallel(o.threads, parts.size(), "comparing", [&](size_t i) {
        const Part& part = parts[i];
        const kai_gemm_tensor& t = tensors[part.tensor];
        const size_t nr = t.format.nr, size = t.panels_size / ((t.n + nr - 1) / nr);
        std::vector<uint8_t> panel(size);
        for (size_t n = part.first; n < part.first + part.columns; n += nr) {
            kai_gemm_tensor one = t;
            one.n = std::min(nr, t.n - n), one.count = 1;
            one.untagged = true;  // nothing but the panel
            const kai_gemm_weights w = rows_of(sources[part.tensor], t, part.matrix, n);
            check(kai_gemm_tensor_pack(&one, 0, true, &w, 0, one.n, panel.data(), panel.size()), t.name);
            const auto* is = static_cast<const uint8_t*>(t.data) + part.matrix * t.stride + n / nr * size;
            if (std::memcmp(is, panel.data(), size) != 0) {
                differ[part.tensor] = true;
            }
        }
    });
    size_t wrong = 0;
    for (size_t i = 0; i < tensors.size(); ++i) {
        const char* what = differ[i]                                                 ? "differs from the file's rows"
                           : kai_gemm_tensor_verify(&tensors[i]) != KAI_GEMM_FILE_OK ? "wrong checksum"
                           : !has_its_tags(tensors[i])                               ? "wrong tag"
                                                                                     : nullptr;
        wrong += what != nullptr;
        std::printf("%s: %s\n", tensors[i].name, what != nullptr ? what : "right");
    }
    if (wrong != 0) {
        fail(std::to_string(wrong) + " of " + std::to_string(tensors.size()) + " tensors are wrong");
    }
}

void rows(const Options& o) {
    const Model model(o.model);
    kai_gguf_tensor t;
    if (kai_gguf_file_find_tensor(&model.file, o.name.c_str(), &t) != KAI_GGUF_FILE_OK) {
        fail(o.model + ": no tensor " + o.name);
    }
    std::vector<float> row(t.k);
    for (const uint32_t i : o.rows) {
        const kai_gguf_file_status status = kai_gguf_tensor_rows(&t, &i, 1, kai_dt_f32, row.data(), 0);
        if (status != KAI_GGUF_FILE_OK) {
            fail(o.name + ", row " + std::to_string(i) + ": " + kai_gguf_file_status_text(status));
        }
        for (size_t k = 0; k < row.size(); ++k) {
            std::printf("%s%.9g", k != 0 ? " " : "", static_cast<double>(row[k]));
        }
        std::printf("\n");
    }
}

}  // namespace kai_gguf_tool
