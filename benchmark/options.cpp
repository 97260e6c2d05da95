// The command line.
//
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <regex>

#include "benchmark/peer.hpp"

Options options;

namespace {

using std::string;
using Numbers = std::vector<size_t>;

const char* const kWhat[] = {"matmul", "end_to_end", "lhs_pack", "rhs_pack", "gemm", "conv", "by_hand"};

/// Calls visit(word) for each word of a comma-separated list.
template <typename Visit>
void for_each_word(const string& list, Visit visit) {
    for (size_t start = 0; start <= list.size();) {
        const size_t end = std::min(list.find(',', start), list.size());
        visit(list.substr(start, end - start));
        start = end + 1;
    }
}

[[noreturn]] void refuse(const string& flag, const string& what) {
    throw CLI::ValidationError(flag, what);
}

size_t number(const string& flag, const string& word) {
    if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != string::npos) {
        refuse(flag, "\"" + word + "\" is not a whole number");
    }
    return std::stoul(word);
}

Numbers positive_numbers(const string& flag, const string& list) {
    Numbers numbers;
    for_each_word(list, [&](const string& word) {
        numbers.push_back(number(flag, word));
        if (numbers.back() == 0) {
            refuse(flag, "0 is not allowed");
        }
    });
    return numbers;
}

void add_shapes(const string& list) {
    for_each_word(list, [](string word) {
        std::replace(word.begin(), word.end(), 'x', ',');
        const Numbers s = positive_numbers("--shapes", word);
        if (s.size() != 3) {
            refuse("--shapes", "takes MxNxK,MxNxK,...");
        }
        options.shapes.push_back({s[0], s[1], s[2]});
    });
}

/// "0,4-7"
void set_cpus(const string& list) {
    for_each_word(list, [](const string& word) {
        const size_t dash = word.find('-');
        const size_t first = number("--cpus", word.substr(0, dash));
        const size_t last = dash == string::npos ? first : number("--cpus", word.substr(dash + 1));
        if (first > last || last >= 4096) {
            refuse("--cpus", "takes numbers and ranges: 0,4-7");
        }
        for (size_t cpu = first; cpu <= last; ++cpu) {
            options.cpus.push_back(static_cast<int>(cpu));
        }
    });
}

void set_what(const string& list) {
    for_each_word(list, [](const string& word) {
        if (std::find(std::begin(kWhat), std::end(kWhat), word) == std::end(kWhat)) {
            refuse("--what", "\"" + word + "\" is none of matmul, end_to_end, lhs_pack, rhs_pack, gemm, conv, by_hand");
        }
        options.what.push_back(word);
    });
}

void set_regex(const string& flag, const string& expression, string* to) {
    try {
        const std::regex check(expression);
    } catch (const std::regex_error& error) {
        refuse(flag, error.what());
    }
    *to = expression;
}

}  // namespace

bool matches(const string& expression, const char* name) {
    return expression.empty() || std::regex_search(name, std::regex(expression));
}

bool Options::does(const char* one) const {
    return std::find(what.begin(), what.end(), one) != what.end();
}

bool parse(int argc, char** argv, int* status) {
    CLI::App app(
        "Measures the micro-kernels of libkleidiai on this CPU: the best one of each family, on a few shapes,\n"
        "unless told otherwise. Shares are of peaks that are measured at the start.",
        "kleidiai_bench");
    app.get_formatter()->column_width(24);
    app.footer(
        "\nFlags that begin with --benchmark_ go to Google Benchmark: --benchmark_filter=REGEX on names as\n"
        "matmul/<kernel>/MxNxK/threads:T, --benchmark_enable_random_interleaving=true, ...\n"
        "docs/benchmark.md explains the figures, and how to get good ones on phones, Macs and servers.");
    Options& o = options;
    bool quick = false;
    Numbers m = {1, 128}, n = {2048}, k = {2048};
    const auto on = [&](const char* group, const string& flag, const char* type, auto action, const char* help) {
        app.add_option_function<string>(
               flag, [flag, action](const string& value) { action(flag, value); }, help)
            ->type_name(type)
            ->group(group);
    };
    const auto size = [](size_t* to) {
        return [to](const string& flag, const string& value) { *to = positive_numbers(flag, value).back(); };
    };
    const auto list = [](Numbers* to) {
        return [to](const string& flag, const string& value) { *to = positive_numbers(flag, value); };
    };
    const auto regex = [](string* to) {
        return [to](const string& flag, const string& value) { set_regex(flag, value, to); };
    };
    const auto words = [](void (*set)(const string&)) {
        return [set](const string& /*flag*/, const string& value) { set(value); };
    };
    const char *which = "Which kernels", *model = "A language model", *where = "Shapes", *how = "How", *out = "Output";
    app.add_flag("--quick", quick, "the best of each family for this CPU (default)")->group(which);
    app.add_flag("--all", o.all, "all that this CPU can run, packers and the GEMM layer: minutes")->group(which);
    on(which, "--family", "REGEX", regex(&o.family), "families whose names match");
    on(which, "--kernel", "REGEX", regex(&o.kernel), "all kernels whose names match");
    on(which, "--what", "LIST", words(set_what),
       "matmul: the kernel alone (default); end_to_end: quantise and pack the\n"
       "LHS, multiply; lhs_pack; rhs_pack; gemm: the GEMM layer; by_hand: its\n"
       "kernels by kai_call; conv: convolutions, whose shapes are their own");
    app.add_option(
           "--model", o.model,
           "1b, 7b, 8b, 30b-a3b, with -q4_0, -q8_0 or -q4_k_m: tokens per second,\n"
           "with random weights of these shapes; no file is needed")
        ->type_name("NAME")
        ->group(model);
    app.add_flag("--peer", o.peer, "KleidiAI's library in the place of ours (./kai.sh bench --peer)")->group(which);
    app.add_flag("--rates", o.rates, "how fast workers with SME and the cores are: kai_gemm_problem.rates")
        ->group(which);
    on(model, "--prompt", "N", size(&o.prompt), "tokens of the prefill (128)");
    on(model, "--ctx", "N", size(&o.context), "rows of the cache that a token of decode sees (as --prompt)");
    on(model, "--model-mb", "MB", size(&o.model_mb), "memory for weights (half of what is free)");
    on(where, "-m", "LIST", list(&m), "rows: 1,128");
    on(where, "-n", "LIST", list(&n), "columns");
    on(where, "-k", "LIST", list(&k), "depths; all combinations are measured");
    on(where, "--shapes", "MxNxK,...", words(add_shapes), "or these");
    on(where, "--bl", "LENGTH", size(&o.block_length), "of the blocks that have a scale each (32)");
    on(how, "--threads", "LIST", list(&o.threads),
       "1,2,4: each computes a part of the columns\n(all CPUs for one row, otherwise 1)");
    on(how, "--cpus", "LIST", words(set_cpus), "4-7: pins thread i to the i-th of them");
    app.add_flag("--cold", o.cold, "weights come from memory: copies that no cache holds take turns (one row)")
        ->group(how);
    app.add_flag("--warm", o.warm, "weights stay where they are, also with one row")->group(how);
    on(how, "--cold-mb", "MB", size(&o.cold_mb), "size of these copies; implies --cold");
    on(how, "--sme-units", "N", size(&o.sme_units), "threads that can run SME at once, for the GEMM layer (1)");
    app.add_option("--seconds", o.seconds, "of each repetition (0.05)")
        ->check(CLI::Range(1e-6, 1000.0).description(""))
        ->type_name("S")
        ->group(how);
    app.add_option("--repetitions", o.repetitions, "the median counts (3)")
        ->check(CLI::Range(1, 1000).description(""))
        ->type_name("N")
        ->group(how);
    app.add_flag_callback(
           "--no-baseline", [&] { o.baseline = false; }, "no f32 kernel to compare with")
        ->group(how);
    app.add_flag_callback(
           "--no-peaks", [&] { o.peaks = false; }, "no shares of peaks, no roofline")
        ->group(how);
    app.add_option("--json", o.json, "Google Benchmark's JSON")->type_name("FILE")->group(out);
    app.add_option("--csv", o.csv, "a line for each measurement")->type_name("FILE")->group(out);
    app.add_option("--roofline", o.roofline, "a plot, SVG")->type_name("FILE")->group(out);
    app.allow_extras();
    try {
        app.parse(argc, argv);
        if (quick && o.all) {
            refuse("--quick", "excludes --all");
        }
        if (!o.peaks && !o.roofline.empty()) {
            refuse("--roofline", "excludes --no-peaks");
        }
        o.cold |= o.cold_mb != 0;
        if (o.cold && o.warm) {
            refuse("--warm", "excludes --cold");
        }
        if (o.peer && !has_peer()) {
            refuse("--peer", "this program is not linked with KleidiAI's library (docs/benchmark.md)");
        }
        if (o.peer && (!o.model.empty() || o.does("gemm") || o.does("conv") || o.does("by_hand"))) {
            refuse("--peer", "is for kernels and packers: KleidiAI has no GEMM layer");
        }
        if (!o.model.empty() && (o.all || !o.what.empty() || !o.kernel.empty() || !o.family.empty())) {
            refuse("--model", "measures a model, no kernels");
        }
        if (o.model.empty() && o.context != 0) {
            refuse("--ctx", "is for --model");
        }
        if (!o.model.empty() && !o.roofline.empty()) {
            refuse("--roofline", "is for kernels, not for --model");
        }
        if (o.rates && (!o.model.empty() || o.peer || o.all || quick || !o.what.empty() || !o.roofline.empty() ||
                        !o.csv.empty() || !o.json.empty())) {
            refuse("--rates", "measures nothing else, and writes no file");
        }
        o.rest = app.remaining();
        for (const string& flag : o.rest) {
            if (flag.rfind("--benchmark_", 0) != 0 && flag.rfind("--v=", 0) != 0) {
                refuse(flag, "there is no such flag; see --help");
            }
        }
        if (app.count("-m") + app.count("-n") + app.count("-k") != 0) {
            for (const size_t rows : m) {
                for (const size_t columns : n) {
                    for (const size_t depth : k) {
                        o.shapes.push_back({rows, columns, depth});
                    }
                }
            }
        }
    } catch (const CLI::ParseError& error) {
        *status = app.exit(error) != 0 ? 2 : 0;
        return false;
    }
    if (o.what.empty()) {
        o.what = o.all ? std::vector<string>(std::begin(kWhat), std::end(kWhat) - (o.peer ? 3 : 0))
                       : std::vector<string>{"matmul"};
    }
    return true;
}

std::vector<Shape> chosen_shapes(bool emulated) {
    if (!options.shapes.empty()) {
        return options.shapes;
    }
    if (emulated) {
        return {{1, 256, 256}, {16, 256, 256}};
    }
    if (options.all) {
        return {{1, 2048, 2048}, {1, 8192, 2048}, {1, 4096, 4096}, {64, 2048, 2048}, {256, 4096, 4096}};
    }
    return {{1, 2048, 2048}, {1, 4096, 4096}, {128, 2048, 2048}};
}
