// The head, the table, CSV. (The JSON is Google Benchmark's.)
//
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "benchmark/machine.hpp"

using std::string;

string time_text(double seconds) {
    const char* const units[] = {"s", "ms", "us", "ns"};
    size_t unit = 0;
    while (seconds < 1 && unit < 3) {
        seconds *= 1e3, ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.*f %s", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds, units[unit]);
    return text;
}

string number_text(double x) {
    if (x <= 0) {
        return "-";
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.*f", x < 10 ? 2 : x < 100 ? 1 : 0, x);
    return text;
}

string percent_text(double part, double whole) {
    if (whole <= 0 || part <= 0) {
        return "-";
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.0f%%", 100 * part / whole);
    return text;
}

const char* limit_of(const Limit& limit) {
    constexpr double kMuch = 0.5;
    if (limit.memory <= 0 && limit.multiply <= 0) {
        return "";
    }
    if (limit.memory > 1.05) {
        return limit.multiply >= kMuch ? "multiply" : "cache";
    }
    return std::max(limit.memory, limit.multiply) < kMuch ? "neither"
           : limit.memory > limit.multiply                ? "memory"
                                                          : "multiply";
}

string limit_text(const Limit& limit) {
    const string word = limit_of(limit);
    if (word.empty()) {
        return "";
    }
    const string memory = percent_text(limit.memory, 1) + " of " + number_text(1e-9 * limit.reading) + " GB/s";
    const string multiply = limit.multiply > 0 ? percent_text(limit.multiply, 1) + " of " +
                                                     number_text(1e-9 * limit.peak) + " GOP/s, " + limit.peak_name
                                               : "no peak to compare with";
    return word == "memory"     ? "memory: " + memory
           : word == "multiply" ? "multiplying: " + multiply
           : word == "cache"    ? "weights are in a cache; multiplying: " + multiply
                                : "neither; memory: " + memory + "; multiplying: " + multiply;
}

namespace {

const Peaks* peaks_with(size_t threads) {
    for (const Peaks& peaks : measured_peaks()) {
        if (peaks.threads == threads) {
            return &peaks;
        }
    }
    return nullptr;
}

/// Figures of a case; 0 if there is none.
struct Figures {
    double seconds, operations, bytes, peak, reading, over_f32, macs_per_cycle;
    const char* peak_name;
};

/// The f32 case that the others are compared with.
const Case* f32_of(const std::vector<Case>& cases, const Case& c) {
    const auto is_it = [&](const Case& other) {
        return other.is_f32 && other.what == c.what && other.threads == c.threads && text(other.shape) == text(c.shape);
    };
    const auto found = std::find_if(cases.begin(), cases.end(), is_it);
    return found != cases.end() ? &*found : nullptr;
}

Figures figures_of(const std::vector<Case>& cases, const Case& c) {
    Figures f = {};
    f.seconds = c.median(), f.peak_name = "";
    f.operations = 2 * c.macs() / f.seconds, f.bytes = c.bytes / f.seconds;
    if (const Peaks* peaks = peaks_with(c.threads)) {
        f.reading = peaks->reading;
        if (const Peak* peak = c.kernel != nullptr && c.macs() > 0 ? peaks->of(*c.kernel) : nullptr) {
            f.peak = 2 * peak->rate, f.peak_name = peak->name;
        }
    }
    if (const Case* f32 = c.macs() > 0 ? f32_of(cases, c) : nullptr) {
        f.over_f32 = f32->median() / f.seconds;
    }
    f.macs_per_cycle = c.cycles > 0 ? c.macs() / c.cycles : 0;
    return f;
}

Limit limit_of(const Figures& f, const Case& c) {
    const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
    return {
        share(f.bytes, f.reading),
        share(f.operations, f.peak),
        f.reading,
        f.peak,
        f.peak > 0 ? f.peak_name : nullptr,
        c.threads};
}

/// Above the names.
const char* heading(const Case& c) {
    return !c.family.empty() ? "matmul_clamp_..." : c.what == "conv" ? "layer" : "weights";
}

const char* meaning(const string& what) {
    static const std::map<string, const char*> texts = {
        {"matmul", "the micro-kernel alone, operands packed"},
        {"end_to_end", "quantise and pack the LHS, multiply"},
        {"lhs_pack", "quantise and pack the LHS"},
        {"rhs_pack", "pack the RHS"},
        {"gemm", "the GEMM layer, all of it"},
        {"conv", "all of a convolution; m pixels, n channels of the output"},
        {"by_hand", "the kernels of the GEMM layer, by kai_call"}};
    return texts.at(what);
}

/// The common prefix of kernel names.
string short_name(const string& name) {
    constexpr const char* kPrefix = "matmul_clamp_";
    return name.rfind(kPrefix, 0) == 0 ? name.substr(std::strlen(kPrefix)) : name;
}

/// One line per kernel and reason; a single line for all kernels that need an extension this CPU lacks.
void print_skipped(const std::vector<Case>& cases) {
    struct Line {
        string reason;
        std::vector<string> names, shapes;
    };
    const auto insert = [](std::vector<string>* to, const string& text) {
        if (std::find(to->begin(), to->end(), text) == to->end()) {
            to->push_back(text);
        }
    };
    std::vector<Line> lines;
    for (const Case& c : cases) {
        if (c.skipped.empty()) {
            continue;
        }
        const string name = short_name(c.name);
        const bool lacks = c.kernel != nullptr && !kai_registry_runnable(c.kernel->features, nullptr, 0);
        const auto is_it = [&](const Line& l) { return l.reason == c.skipped && (lacks || l.names[0] == name); };
        auto there = std::find_if(lines.begin(), lines.end(), is_it);
        if (there == lines.end()) {
            there = lines.insert(there, {c.skipped, {}, {}});
        }
        insert(&there->names, name);
        insert(&there->shapes, text(c.shape));
    }
    for (const Line& line : lines) {
        string shapes;
        for (const string& shape : line.shapes) {
            shapes += (shapes.empty() ? "" : ", ") + shape;
        }
        if (line.names.size() == 1) {
            std::printf("skipped: %s: %s (%s)\n", line.names[0].c_str(), line.reason.c_str(), shapes.c_str());
        } else {
            std::printf("skipped: %zu kernels: %s\n", line.names.size(), line.reason.c_str());
        }
    }
}

void print_peaks() {
    if (measured_peaks().empty()) {
        return;
    }
    const auto row = [](const string& name, const char* unit, auto figure) {
        std::printf("  %-30s", name.c_str());
        for (const Peaks& peaks : measured_peaks()) {
            std::printf(" %10s", number_text(figure(peaks)).c_str());
        }
        std::printf("  %s\n", unit);
    };
    std::printf("%-10s %-21s", "peaks", "threads:");
    for (const Peaks& peaks : measured_peaks()) {
        std::printf(" %10zu", peaks.threads);
    }
    std::printf("\n");
    const Peaks& first = measured_peaks().front();
    for (size_t i = 0; i < first.loops.size(); ++i) {
        row(string(name_of(first.loops[i].element)) + " " + first.loops[i].name, "GOP/s",
            [i](const Peaks& p) { return 2e-9 * p.loops[i].rate; });
    }
    row("reading memory", "GB/s", [](const Peaks& p) { return 1e-9 * p.reading; });
}

}  // namespace

void print_head() {
    for (const auto& [word, text] : describe_machine()) {
        std::printf("%-10s %s\n", word.c_str(), text.c_str());
    }
    const Cycles cycles;
    const double hertz = measured_peaks().empty() ? 0 : measured_peaks().front().hertz;
    std::printf(
        "%-10s %s\n", "cycles",
        !cycles.counts() ? ("not counted: " + cycles.reason()).c_str()
        : hertz > 0 ? ("by perf events, in user mode; " + number_text(1e-9 * hertz) + " GHz while multiplying").c_str()
                    : "by perf events, in user mode");
    print_peaks();
    if (options.warm) {
        std::printf("%-10s warm: the same at each run\n", "weights");
    } else {
        std::printf(
            "%-10s cold%s: copies that fill %zu MiB take turns\n", "weights", options.cold ? "" : " with one row",
            beyond_caches() >> 20);
    }
    if (is_emulated()) {
        std::printf(
            "\n*** EMULATED: this program runs under an emulator. Every time, rate and share below is the\n"
            "*** emulator's and says nothing about any CPU. The peaks are not reliable even for that.\n");
    }
    std::fflush(stdout);
}

void print_table(const std::vector<Case>& cases) {
    print_skipped(cases);
    string title;
    bool noisy = false;
    for (const Case& c : cases) {
        if (c.seconds.empty()) {
            continue;
        }
        char now[200];
        std::snprintf(
            now, sizeof(now), "%s: %s. m x n x k = %zu x %zu x %zu, %zu thread%s%s", c.what.c_str(), meaning(c.what),
            c.shape.m, c.shape.n, c.shape.k, c.threads, c.threads > 1 ? "s" : "",
            options.is_cold(c.shape) ? ", cold" : "");
        if (title != now) {
            title = now;
            std::printf(
                "\n%s\n%3s %-49s%8s %7s%6s%6s%6s%6s%7s\n", now, "#", heading(c), "time", "GOP/s", "peak", "GB/s",
                "read", "x f32", c.threads > 1 ? "idle" : "MAC/cy");
        }
        const Figures f = figures_of(cases, c);
        const string name = short_name(c.name);
        std::printf("%3zu %-49s", number_of(cases, c), name.c_str());
        if (name.size() > 49) {
            std::printf("\n%53s", "");
        }
        noisy |= c.spread() > 0.1;
        std::printf(
            "%8s%c%7s%6s%6s%6s%6s%7s\n", time_text(f.seconds).c_str(), c.spread() > 0.1 ? '~' : ' ',
            number_text(1e-9 * f.operations).c_str(), percent_text(f.operations, f.peak).c_str(),
            number_text(1e-9 * f.bytes).c_str(), percent_text(f.bytes, f.reading).c_str(),
            number_text(f.over_f32).c_str(),
            (c.threads > 1 ? percent_text(c.idle, 1) : number_text(f.macs_per_cycle)).c_str());
        if (const string limit = limit_text(limit_of(f, c)); !limit.empty()) {
            std::printf("    %s\n", limit.c_str());
        }
    }
    if (noisy) {
        std::printf("\n~ repetitions differ by more than 10 %%: is the machine busy or hot?\n");
    }
    if (is_emulated()) {
        std::printf("\n*** EMULATED: these are not the times of a CPU.\n");
    }
}

bool write_csv(const std::vector<Case>& cases, const string& path) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
        std::perror(path.c_str());
        return false;
    }
    std::fprintf(
        file,
        "number,what,name,kernel,family,m,n,k,threads,cold,emulated,seconds,spread,gops,peak_gops,peak_name,"
        "gb_per_s,read_gb_per_s,times_f32,cycles,idle,limit,skipped,library,date,machine,cpus,compiler,governor\n");
    const auto quoted = [](const string& text) {
        string all = "\"";
        for (const char c : text) {
            all += c == '"' ? "\"\"" : string(1, c);
        }
        return all + "\"";
    };
    string origin;
    for (const char* word : {"library", "date", "machine", "cpus", "compiler", "governor"}) {
        origin += "," + quoted(described(word));
    }
    for (const Case& c : cases) {
        if (c.skipped.empty() && c.seconds.empty()) {
            continue;
        }
        std::fprintf(
            file, "%zu,%s,%s,%s,%s,%zu,%zu,%zu,%zu,%d,%d,", number_of(cases, c), c.what.c_str(), c.name.c_str(),
            c.kernel != nullptr ? c.kernel->name : "", c.family.c_str(), c.shape.m, c.shape.n, c.shape.k, c.threads,
            options.is_cold(c.shape), is_emulated());
        if (c.seconds.empty()) {
            std::fprintf(file, ",,,,,,,,,,,%s%s\n", quoted(c.skipped).c_str(), origin.c_str());
            continue;
        }
        const Figures f = figures_of(cases, c);
        const auto figure = [&](double x) { x > 0 ? std::fprintf(file, "%.6g,", x) : std::fprintf(file, ","); };
        std::fprintf(file, "%.6g,%.3g,", f.seconds, c.spread());
        figure(1e-9 * f.operations), figure(1e-9 * f.peak);
        std::fprintf(file, "%s,", quoted(f.peak_name).c_str());
        figure(1e-9 * f.bytes), figure(1e-9 * f.reading), figure(f.over_f32), figure(c.cycles);
        figure(c.idle);
        std::fprintf(file, "%s,%s\n", limit_of(limit_of(f, c)), origin.c_str());
    }
    const bool written = std::ferror(file) == 0;
    return std::fclose(file) == 0 && written;
}

size_t number_of(const std::vector<Case>& cases, const Case& c) {
    size_t number = 0;
    for (const Case& other : cases) {
        number += !other.seconds.empty();
        if (&other == &c) {
            return c.seconds.empty() ? 0 : number;
        }
    }
    return 0;
}
