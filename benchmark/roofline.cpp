// A roofline: operations per second over operations per byte, both logarithmic. Ceilings are the measured peaks; a
// point for each measurement, with its number in the table. One panel for each number of threads.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "benchmark/machine.hpp"
#include "benchmark/report.hpp"

namespace {

using std::string;

constexpr double kWidth = 1000, kHeight = 560, kLeft = 70, kRight = 190, kTop = 40, kBottom = 50;
constexpr const char* kColours[] = {"#1f77b4", "#2ca02c", "#9467bd", "#d62728"};  // by Element

/// A logarithmic axis: maps a value to a position.
struct Axis {
    double first, last;  ///< Values at the ends: powers of 10.
    double from, to;     ///< Places.

    double at(double value) const {
        return from + (to - from) * std::log10(value / first) / std::log10(last / first);
    }
};

struct Point {
    double intensity, rate;
    const Case* c;
};

string escaped(const string& text) {
    string all;
    for (const char c : text) {
        all += c == '<' ? "&lt;" : c == '&' ? "&amp;" : string(1, c);
    }
    return all;
}

void label(std::FILE* file, double x, double y, const char* anchor, const char* colour, const string& text) {
    std::fprintf(
        file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, anchor, colour,
        escaped(text).c_str());
}

void line(std::FILE* file, double x0, double y0, double x1, double y1, const char* colour, const char* more = "") {
    std::fprintf(
        file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" %s/>\n", x0, y0, x1, y1, colour,
        more);
}

std::vector<Point> points_of(const std::vector<Case>& cases, const Peaks& peaks) {
    std::vector<Point> points;
    for (const Case& c : cases) {
        if (!c.seconds.empty() && c.macs() > 0 && c.bytes > 0 && c.kernel != nullptr && c.threads == peaks.threads) {
            points.push_back({2 * c.macs() / c.bytes, 2 * c.macs() / c.median(), &c});
        }
    }
    return points;
}

/// The legend below the plot: what the numbers at the points stand for, in two columns.
constexpr double kLegendLine = 14;
double legend_height(const std::vector<Point>& points) {
    return kLegendLine * double((points.size() + 1) / 2) + 20;
}
void legend(std::FILE* file, const std::vector<Case>& cases, const std::vector<Point>& points, double top) {
    const size_t lines = (points.size() + 1) / 2;
    for (size_t i = 0; i < points.size(); ++i) {
        const Case& c = *points[i].c;
        constexpr const char* kPrefix = "matmul_clamp_";
        string name = c.name;
        if (const size_t at = name.find(kPrefix); at != string::npos) {
            name.erase(at, std::strlen(kPrefix));
        }
        const string entry = std::to_string(number_of(cases, c)) + "  " + (c.what == "matmul" ? "" : c.what + " ") +
                             name + ", " + text(c.shape);
        label(
            file, i < lines ? kLeft : kWidth / 2 + 20, top + kLegendLine * double(i % lines + 1), "start",
            kColours[static_cast<size_t>(element_of(*c.kernel))], entry);
    }
}

void panel(std::FILE* file, const std::vector<Case>& cases, const Peaks& peaks, double top) {
    const std::vector<Point> points = points_of(cases, peaks);
    double least = 1e300, most = 0, left = 1, right = 100;
    for (const Peak& peak : peaks.loops) {
        most = std::max(most, 2 * peak.rate), least = std::min(least, 2 * peak.rate);
    }
    for (const Point& p : points) {
        most = std::max(most, p.rate), least = std::min(least, p.rate);
        left = std::min(left, p.intensity), right = std::max(right, p.intensity);
    }
    const auto down = [](double x) { return std::pow(10, std::floor(std::log10(x))); };
    const auto up = [](double x) { return std::pow(10, std::ceil(std::log10(x) + 1e-9)); };
    const Axis x = {down(left), up(right), kLeft, kWidth - kRight};
    const Axis y = {down(least), up(most), top + kHeight - kBottom, top + kTop};

    const string threads = std::to_string(peaks.threads) + (peaks.threads > 1 ? " threads" : " thread");
    label(
        file, kLeft, top + 24, "start", "black",
        "Roofline, " + threads + (options.cold ? ", cold weights" : "") +
            (is_emulated() ? ": TIMES OF AN EMULATOR, not of a CPU" : ""));
    for (double v = x.first; v <= x.last * 1.01; v *= 10) {
        line(file, x.at(v), y.from, x.at(v), y.to, "#ddd");
        char text[32];
        std::snprintf(text, sizeof(text), "%g", v);
        label(file, x.at(v), y.from + 18, "middle", "black", text);
    }
    for (double v = y.first; v <= y.last * 1.01; v *= 10) {
        line(file, x.from, y.at(v), x.to, y.at(v), "#ddd");
        char text[32];
        std::snprintf(text, sizeof(text), "%g", 1e-9 * v);
        label(file, x.from - 6, y.at(v) + 4, "end", "black", text);
    }
    label(file, (x.from + x.to) / 2, y.from + 38, "middle", "black", "operations per byte of operands and results");
    label(file, x.from - 6, y.to - 10, "end", "black", "GOP/s");

    // Memory: rate = bytes per second * intensity, up to the highest ceiling.
    const double start = std::max(x.first, y.first / peaks.reading);
    const double end = std::min(
        x.last,
        2 *
            std::max_element(
                peaks.loops.begin(), peaks.loops.end(), [](const Peak& a, const Peak& b) { return a.rate < b.rate; })
                ->rate /
            peaks.reading);
    if (start < end) {
        line(
            file, x.at(start), y.at(start * peaks.reading), x.at(end), y.at(end * peaks.reading), "black",
            "stroke-width=\"1.5\"");
        char text[64];
        std::snprintf(text, sizeof(text), "%.1f GB/s", 1e-9 * peaks.reading);
        label(file, x.at(start) + 20, y.at(start * peaks.reading) + 4, "start", "black", text);
    }
    std::vector<Peak> sorted = peaks.loops;
    std::sort(sorted.begin(), sorted.end(), [](const Peak& a, const Peak& b) { return a.rate < b.rate; });
    double lowest = 1e300;  // labels do not cover each other
    for (const Peak& peak : sorted) {
        const char* colour = kColours[static_cast<size_t>(peak.element)];
        const double ridge = std::clamp(2 * peak.rate / peaks.reading, x.first, x.last), at = y.at(2 * peak.rate);
        line(file, x.at(ridge), at, x.to, at, colour, "stroke-dasharray=\"6 3\"");
        lowest = std::min(at + 4, lowest - 13);
        char text[32];
        std::snprintf(text, sizeof(text), ": %.3g", 2e-9 * peak.rate);
        label(file, x.to + 6, lowest, "start", colour, string(name_of(peak.element)) + " " + peak.name + text);
    }
    for (const Point& p : points) {
        const char* colour = kColours[static_cast<size_t>(element_of(*p.c->kernel))];
        const double px = x.at(p.intensity), py = y.at(p.rate);
        char text[64];
        std::snprintf(text, sizeof(text), ": %.3g GOP/s", 1e-9 * p.rate);
        std::fprintf(
            file, "<g><circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\" fill-opacity=\"0.7\"/><title>%s</title>\n",
            px, py, colour, escaped(p.c->full_name() + text).c_str());
        label(file, px + 5, py - 3, "start", colour, std::to_string(number_of(cases, *p.c)));
        std::fprintf(file, "</g>\n");
    }
    legend(file, cases, points, top + kHeight);
}

}  // namespace

bool write_roofline(const std::vector<Case>& cases, const string& path) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
        std::perror(path.c_str());
        return false;
    }
    double height = 0;
    for (const Peaks& peaks : measured_peaks()) {
        height += kHeight + legend_height(points_of(cases, peaks));
    }
    std::fprintf(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"%g\" height=\"%g\" fill=\"white\"/>\n",
        kWidth, height, kWidth, height);
    double top = 0;
    for (const Peaks& peaks : measured_peaks()) {
        panel(file, cases, peaks, top);
        top += kHeight + legend_height(points_of(cases, peaks));
    }
    std::fprintf(file, "</svg>\n");
    const bool written = std::ferror(file) == 0;
    return std::fclose(file) == 0 && written;
}
