// Prints docs/formats/: panels of three formats, packed by the library, with the place of every byte as layout.hpp has
// it; and where everything is in a panel of each format that a micro-kernel reads.
//
//     format_drawings examples.md | layouts.md | qai8dxp.svg | qsi4c32p.svg | qsi4cxp.svg
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "kai/engines/core/layout.hpp"
#include "kai/ukernels/families.h"

namespace {

using Bytes = std::vector<uint8_t>;

std::string text(const char* format, ...) {
    char buffer[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return buffer;
}

/// Of one of the numbers that a panel stores per row.
struct Field {
    const char* name;
    enum Type { f16, f32, i32 } type;

    size_t size() const {
        return type == f16 ? 2 : 4;
    }
    std::string value(const uint8_t* bytes) const {
        if (type == f16) {
            const unsigned bits = bytes[0] | bytes[1] << 8;
            return text("%g", std::ldexp((bits & 0x3ff) | 0x400, static_cast<int>(bits >> 10 & 31) - 25));
        }
        if (type == f32) {
            float value = 0;
            std::memcpy(&value, bytes, sizeof value);
            return text("%g", static_cast<double>(value));
        }
        int32_t value = 0;
        std::memcpy(&value, bytes, sizeof value);
        return text("%d", value);
    }
};

/// Neighbouring bytes that belong together.
struct Piece {
    size_t offset, size;
    int row;  // -1: a number of each row
    std::string what, brief;
};

/// A panel as a packer wrote it.
struct Example {
    const kai::Format& format;
    const char *row, *source, *packer, *shape, *input;
    kai::Tile tile;
    size_t rows, k, bl;  // rows: the ones that exist. bl: all of k for formats without blocks
    std::vector<Field> before_block, after_panel;
    Bytes source_bytes;
    size_t source_line;
    Bytes panel;
    std::vector<bool> written;

    /// The panel from first to last byte.
    std::vector<Piece> pieces() const;
};

void fail(const char* message) {
    std::fprintf(stderr, "format_drawings: %s\n", message);
    std::exit(1);
}

std::string range(size_t first, size_t last) {
    return first == last ? text("%zu", first) : text("%zu-%zu", first, last);
}

std::vector<Piece> Example::pieces() const {
    struct Byte {
        int row = -1;
        std::vector<size_t> values;  // along k, from the lowest bits on
        const Field* field = nullptr;
        size_t block = 0;
    };
    std::vector<Byte> bytes(panel.size());
    auto own = [&](size_t at) -> Byte& {
        if (at >= bytes.size()) {
            fail("the layout leaves the panel");
        }
        return bytes[at];
    };
    auto fields = [&](const std::vector<Field>& list, size_t at, size_t block) {
        for (const Field& field : list) {
            for (size_t i = 0; i < field.size() * tile.rows; ++i, ++at) {
                own(at).field = &field;
                own(at).block = block;
            }
        }
        return at;
    };
    for (size_t b = 0; b < k / bl; ++b) {
        fields(before_block, format.head(tile, k, bl, b), b);
        for (size_t r = 0; r < tile.rows; ++r) {
            for (size_t i = 0; i < bl; ++i) {
                Byte& byte = own(format.elements(tile, bl, b) + format.at(tile, bl, r, i).byte);
                byte.row = static_cast<int>(r);
                byte.values.push_back(b * bl + i);
                byte.block = b;
            }
        }
    }
    if (fields(after_panel, format.panel_end(tile, k, bl), 0) != panel.size() && !after_panel.empty()) {
        fail("the fields do not end with the panel");
    }

    std::vector<Piece> result;
    for (size_t at = 0, next = 0; at < bytes.size(); at = next) {
        const Byte& first = bytes[at];
        if (!first.field && first.row < 0) {
            fail("the layout has a gap");
        }
        next = at + 1;
        while (
            next < bytes.size() && bytes[next].field == first.field && bytes[next].block == first.block &&
            (first.field || (bytes[next].row == first.row && bytes[next].values[0] == first.values[0] + (next - at)))) {
            ++next;
        }
        Piece piece = {at, next - at, first.row, {}, {}};
        if (first.field) {
            piece.what = text("%s of %ss 0-%zu", first.field->name, row, tile.rows - 1);
            if (bl != k) {
                piece.what = text("block %zu, ", first.block) + piece.what;
            }
            piece.brief = first.field->name;
        } else {
            const Byte& last = bytes[next - 1];
            piece.what = text("%s %d, k = ", row, first.row) + range(first.values[0], last.values[0]);
            piece.brief = range(first.values[0], last.values[0]);
            if (first.values.size() == 2) {
                piece.what += " low, " + range(first.values[1], last.values[1]) + " high";
                piece.brief += " & " + range(first.values[1], last.values[1]);
            }
        }
        result.push_back(piece);
    }
    return result;
}

// ---- the examples ----

/// Packs twice into memory of different contents: what differs was not written.
template <typename Pack>
void fill(Example& example, size_t size, Pack pack) {
    Bytes other(size, 0xff);
    example.panel.assign(size, 0);
    pack(example.panel.data());
    pack(other.data());
    for (size_t i = 0; i < size; ++i) {
        example.written.push_back(example.panel[i] == other[i]);
    }
}

const Field kF16Scale = {"f16 scale", Field::f16};

Example qai8dxp() {
    Example e = {
        kai::qai8dxp,
        "row",
        "f32",
        "lhs_quant_pack_qai8dxp_f32",
        "m = 3, k = 20, mr = 4, kr = 16, sr = 2",
        "Row 0 is -64, 0.5, 1, 1.5, ... 9, 63.5: quantised with scale 0.5 and zero point 0. Row 1 is 0, 1, 2, ... 18,\n"
        "127.5: scale 0.5, zero point -128. Row 2 is 3 everywhere: scale 3 / 255, zero point -128. k is rounded up to\n"
        "32 with copies of the last value. Row 3 does not exist: its bytes (`..`) are not written.",
        {4, 16, 2},
        3,
        32,
        32,
        {},
        {{"-zero point", Field::i32}, {"f32 scale", Field::f32}},
        {},
        0,
        {},
        {}};
    float rows[3][20];
    for (size_t i = 0; i < 20; ++i) {
        const float x = static_cast<float>(i);
        rows[0][i] = i == 0 ? -64.0F : i == 19 ? 63.5F : x * 0.5F;
        rows[1][i] = i == 19 ? 127.5F : x;
        rows[2][i] = 3;
    }
    fill(e, kai_get_lhs_packed_size_lhs_quant_pack_qai8dxp_f32(3, 20, 4, 16, 2), [&](void* panel) {
        kai_run_lhs_quant_pack_qai8dxp_f32(3, 20, 4, 16, 2, 0, rows[0], sizeof rows[0], panel);
    });
    return e;
}

/// The nibble of the examples: ascending and descending again, one more for each column.
unsigned nibble(size_t column, size_t i) {
    return static_cast<unsigned>((i % 32 < 16 ? i % 16 : 15 - i % 16) + column) % 16;
}

Example qsi4c32p() {
    Example e = {
        kai::qsi4c32p,
        "column",
        "qsu4c32s16s0",
        "rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0",
        "n = 3, k = 64, bl = 32, nr = 4, kr = 16, sr = 2",
        "The source is three rows of two records, exactly as a GGUF file stores Q4_0: f16 scale, then 16 bytes; byte "
        "j\n"
        "holds value j in its low nibble and value j + 16 in its high nibble, each plus 8. In the panel nibbles are\n"
        "two's complement (the source's XOR 8), and column 3, which does not exist, is a copy of column 2.",
        {4, 16, 2},
        4,
        64,
        32,
        {kF16Scale},
        {},
        {},
        36,
        {},
        {}};
    const uint16_t scales[] = {0x3800, 0x3c00, 0x3e00, 0x4000, 0x4100, 0x4200};  // 0.5, 1, 1.5, ... 3
    for (size_t n = 0; n < 3; ++n) {
        for (size_t b = 0; b < 2; ++b) {
            e.source_bytes.push_back(static_cast<uint8_t>(scales[n * 2 + b]));
            e.source_bytes.push_back(static_cast<uint8_t>(scales[n * 2 + b] >> 8));
            for (size_t j = 0; j < 16; ++j) {
                e.source_bytes.push_back(static_cast<uint8_t>(nibble(n + 8 * b, j) | nibble(n + 8 * b, j + 16) << 4));
            }
        }
    }
    const struct kai_rhs_pack_qs4cxs1s0_param params = {1, 8};
    const size_t size = kai_get_rhs_packed_size_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0(3, 64, 4, 16, 32);
    fill(e, size, [&](void* panel) {
        kai_run_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0(
            1, 3, 64, 4, 16, 2, 32, e.source_bytes.data(), nullptr, panel, 0, &params);
    });
    return e;
}

Example qsi4cxp() {
    Example e = {
        kai::qsi4cxp,
        "column",
        "qs4cxs1s0",
        "rhs_pack_nxk_qsi4cxp_qs4cxs1s0",
        "n = 4, k = 32, nr = 4, kr = 16, sr = 2, rhs_zero_point = 8",
        "The source is four rows of 16 bytes; byte j holds value 2j in its low nibble and value 2j + 1 in its high\n"
        "nibble, each plus 8. The scales are 0.25, 0.5, 0.75 and 1, the biases 0, 1, 2 and 3. The panel stores the "
        "sum\n"
        "of a column, here -16, times 16, and the scale divided by 16: the kernels multiply by 16 * value.",
        {4, 16, 2},
        4,
        32,
        32,
        {},
        {{"16 * sum", Field::i32}, {"f32 scale / 16", Field::f32}, {"f32 bias", Field::f32}},
        {},
        16,
        {},
        {}};
    for (size_t n = 0; n < 4; ++n) {
        for (size_t j = 0; j < 16; ++j) {
            e.source_bytes.push_back(static_cast<uint8_t>(nibble(n, 2 * j) | nibble(n, 2 * j + 1) << 4));
        }
    }
    const float scales[] = {0.25F, 0.5F, 0.75F, 1}, biases[] = {0, 1, 2, 3};
    const struct kai_rhs_pack_qs4cxs1s0_param params = {1, 8};
    fill(e, kai_get_rhs_packed_size_rhs_pack_nxk_qsi4cxp_qs4cxs1s0(4, 32, 4, 16, 2), [&](void* panel) {
        kai_run_rhs_pack_nxk_qsi4cxp_qs4cxs1s0(
            1, 4, 32, 4, 16, 2, e.source_bytes.data(), biases, scales, panel, 0, &params);
    });
    return e;
}

// ---- output ----

std::string hex(const Example& e, size_t at) {
    return e.written[at] ? text("%02x", e.panel[at]) : "..";
}

void markdown(const Example& e) {
    std::printf(
        "\n## %s\n\n`%s`, %s.\n\n%s\n\n![a panel of %s](%s.svg)\n\n", e.format.name, e.packer, e.shape, e.input,
        e.format.name, e.format.name);
    if (!e.source_bytes.empty()) {
        std::printf("Source, `%s`:\n\n", e.source);
        for (size_t at = 0; at < e.source_bytes.size(); ++at) {
            std::printf("%s%02x", at % e.source_line == 0 ? (at == 0 ? "    " : "\n    ") : " ", e.source_bytes[at]);
        }
        std::printf("\n\n");
    }
    std::printf("Panel, %zu bytes:\n\n    byte\n", e.panel.size());
    for (const Piece& piece : e.pieces()) {
        std::string bytes;
        for (size_t i = 0; i < piece.size; ++i) {
            bytes += hex(e, piece.offset + i) + " ";
        }
        std::string values;
        if (piece.row < 0) {
            for (const std::vector<Field>* list : {&e.before_block, &e.after_panel}) {
                for (const Field& field : *list) {
                    if (piece.brief == field.name) {
                        for (size_t r = 0; r < e.rows; ++r) {
                            values += (r ? ", " : " ") + field.value(&e.panel[piece.offset + r * field.size()]);
                        }
                    }
                }
            }
            values = ":" + values;
        }
        std::printf("    %4zu  %-48s%s%s\n", piece.offset, bytes.c_str(), piece.what.c_str(), values.c_str());
    }
}

std::string escaped(const std::string& text) {
    const size_t at = text.find('&');
    return at == std::string::npos ? text : text.substr(0, at) + "&amp;" + text.substr(at + 1);
}

/// 32 bytes in a line; a colour for each row, grey for numbers; what is there above the bytes.
void svg(const Example& e) {
    const size_t per_line = 32, cell = 26, top = 54, line = 52, lines = (e.panel.size() + per_line - 1) / per_line;
    static const char* const kColours[] = {"#cfe3f5", "#d6ecd2", "#fbe5c8", "#eed7ee"};
    std::printf(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\" width=\"%zu\" height=\"%zu\">\n"
        "<style>text{font:11px sans-serif;fill:#222}.b{font-family:monospace;text-anchor:middle}"
        ".t{font-size:14px;font-weight:bold}</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
        "<text x=\"8\" y=\"20\" class=\"t\">%s, %s</text>\n",
        48 + per_line * cell, top + lines * line, 48 + per_line * cell, top + lines * line, e.format.name, e.shape);
    for (size_t r = 0; r < e.tile.rows; ++r) {
        std::printf(
            "<rect x=\"%zu\" y=\"28\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%zu\" y=\"38\">%s %zu</text>\n",
            8 + r * 90, kColours[r], 24 + r * 90, e.row, r);
    }
    for (const Piece& piece : e.pieces()) {
        for (size_t at = piece.offset, n = 0; at < piece.offset + piece.size; at += n) {
            n = piece.offset + piece.size - at;
            n = n < per_line - at % per_line ? n : per_line - at % per_line;
            const size_t x = 40 + at % per_line * cell, y = top + at / per_line * line;
            if (at % per_line == 0) {
                std::printf("<text x=\"30\" y=\"%zu\" text-anchor=\"end\">%zu</text>\n", y + 31, at);
            }
            std::printf(
                "<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"36\" fill=\"%s\" stroke=\"#666\"/>\n"
                "<text x=\"%zu\" y=\"%zu\">%s</text>\n",
                x, y, n * cell, piece.row < 0 ? "#e8e8e8" : kColours[piece.row], x + 4, y + 13,
                at == piece.offset ? escaped(piece.brief).c_str() : "");
            for (size_t i = 0; i < n; ++i) {
                std::printf(
                    "<text x=\"%zu\" y=\"%zu\" class=\"b\">%s</text>\n", x + i * cell + cell / 2, y + 30,
                    hex(e, at + i).c_str());
            }
        }
    }
    std::printf("</svg>\n");
}

// ---- all formats ----

/// A format with the tiles for which it has the same layout.
struct Layout {
    const kai::Format* format;
    size_t group;
    std::vector<kai::Tile> tiles;
};

/// One line for elements of all rows that lie together, or for numbers.
void outline(const Layout& layout) {
    const kai::Format& format = *layout.format;
    const kai::Tile tile = layout.tiles[0];
    const bool any_block =
        std::strstr(format.name, "c32") != nullptr || std::strstr(format.name, "d32") != nullptr || format.table;
    const bool blocks = any_block && format.block == 0, in_parts = format.bits < 8 && 8 % format.bits != 0;
    const size_t bl = format.block != 0 ? format.block : format.padded(tile, format.bits >= 16 ? 2 * layout.group : 32);
    const size_t k = blocks ? 2 * bl : bl, size = blocks ? format.stride(tile, k, bl) : format.stride(tile, k);
    struct Byte {
        size_t row = 0;
        std::string what;            // of numbers
        std::vector<size_t> values;  // of elements, along k
    };
    std::vector<Byte> bytes(size);
    auto numbers = [&](size_t at, size_t per_row, const std::string& what) {
        for (size_t i = 0; i < tile.rows * per_row; ++i) {
            bytes.at(at + i).what = what;
        }
    };
    numbers(0, format.panel_head, "at the start");
    numbers(size - tile.rows * format.panel_tail, format.panel_tail, "at the end");
    for (size_t b = 0; b < k / bl; ++b) {
        numbers(format.head(tile, k, bl, b), format.block_head, text("of block %zu", b));
        numbers(format.tail(tile, bl, b), format.block_tail, text("of block %zu", b));
        if (in_parts) {
            numbers(format.elements(tile, bl, b), bl * format.bits / 8, text("elements of block %zu", b));
        }
        for (size_t r = 0; r < tile.rows; ++r) {
            for (size_t i = 0; i < bl && !in_parts; ++i) {
                const kai::Format::At at = format.at(tile, bl, r, i);
                for (size_t part = 0; part < (format.bits + 7) / 8; ++part) {
                    Byte& byte = bytes.at(format.elements(tile, bl, b) + at.byte + part);
                    byte.row = r;
                    byte.values.push_back(b * bl + i);
                }
            }
        }
    }

    std::string sizes;
    for (const kai::Tile& t : layout.tiles) {
        sizes += text("%skr %zu, sr %zu", sizes.empty() ? "" : " or ", t.kr, t.sr);
    }
    std::printf(
        "\n`%s`, %s: %zu bytes for k = %zu%s\n\n", format.name, sizes.c_str(), size, k,
        blocks ? text(", bl = %zu", bl).c_str() : "");
    std::vector<std::string> lines;  // of elements, not printed yet
    auto print_elements = [&] {
        for (size_t i = 0; i < lines.size(); ++i) {
            if (lines.size() <= 4 || i < 2 || i + 1 == lines.size()) {
                std::printf("%s", lines[i].c_str());
            } else if (i == 2) {
                std::printf("          ...\n");
            }
        }
        lines.clear();
    };
    for (size_t at = 0, next = 0; at < size; at = next) {
        const Byte& first = bytes[at];
        next = at + 1;
        while (next < size && bytes[next].row == first.row && bytes[next].what == first.what) {
            ++next;
        }
        if (!first.what.empty()) {
            print_elements();
            std::printf("    %4zu  %zu bytes of numbers, %s\n", at, next - at, first.what.c_str());
            continue;
        }
        // Elements of row 0; the other rows follow with as many.
        const size_t each = next - at;
        const Byte& last = bytes[next - 1];
        std::string what = "k = ";
        if (format.bits == 1) {
            what += range(first.values.front(), first.values.back()) + ", from the lowest bit up";
        }
        for (size_t i = 0; i < first.values.size() && format.bits != 1; ++i) {
            static const char* const kPlaces[][4] = {{" low", " high"}, {" lowest", " second", " third", " highest"}};
            const size_t from = first.values[i], to = last.values[i];
            what += i ? ", " : "";
            if (format.bits < 8 && to - from + 1 > each) {
                what +=
                    text("%zu, %zu%s", from, bytes[at + 1].values[i], each > 2 ? text(", ... %zu", to).c_str() : "");
            } else {
                what += range(from, to);
            }
            what += format.bits < 8 ? kPlaces[format.bits == 2][i] : "";
        }
        next = at + tile.rows * each;
        for (size_t i = at; i < next; ++i) {
            if (i >= size || bytes[i].row != (i - at) / each) {
                fail("rows do not take turns");
            }
        }
        lines.push_back(text("    %4zu  %zu byte%s of each row: %s\n", at, each, each == 1 ? "" : "s", what.c_str()));
    }
    print_elements();
}

void outlines() {
    std::printf(
        "# Layouts of all formats\n\n"
        "Where everything is in a panel of 4 rows (RHS: columns), for each format that a micro-kernel reads, written "
        "by\n"
        "`tools/format_drawings.cpp` (target `update_docs`) from `kai/engines/core/layout.hpp`. At byte 32, `8 bytes "
        "of\n"
        "each row: k = 8-15` means: from there on 8 bytes of row 0 with these values, then 8 bytes of row 1, and so "
        "on.\n"
        "*low* and *high* are the nibbles of these bytes. A panel with more rows differs only in their number. The\n"
        "numbers (scales, sums, biases) are explained in [formats.md](../formats.md).\n");
    std::vector<Layout> layouts;
    auto add = [&](const kai::Format& format, size_t kr, size_t sr) {
        const kai::Tile tile = {4, kr, sr};
        auto same = [&](const Layout& l) { return l.format == &format && l.group == format.group_size(tile); };
        auto layout = std::find_if(layouts.begin(), layouts.end(), same);
        if (layout == layouts.end()) {
            layout = layouts.insert(layout, {&format, format.group_size(tile), {}});
        }
        auto known = [&](const kai::Tile& t) { return t.kr == kr && t.sr == sr; };
        if (std::none_of(layout->tiles.begin(), layout->tiles.end(), known)) {
            layout->tiles.push_back(tile);
        }
    };
#define KAI_UKERNEL(ISA, NAME, LHS, RHS, MR, NR, KR, SR, ...) add(kai::LHS, KR, SR), add(kai::RHS, KR, SR);
#define KAI_UKERNEL_ROWS(ISA, NAME, LHS, RHS, NR, KR, SR, ...) add(kai::RHS, KR, SR);
#define KAI_IMATMUL KAI_UKERNEL
#define KAI_IMATMUL_ROWS KAI_UKERNEL_ROWS
#define KAI_UNIFIED(ISA, NAME, LHS, RHS, MR, NR, KR, SR, ...) add(kai::RHS, KR, SR);
#include "kai/ukernels/families.def"
    std::sort(layouts.begin(), layouts.end(), [](const Layout& a, const Layout& b) {
        const int names = std::strcmp(a.format->name, b.format->name);
        return names != 0 ? names < 0 : a.group < b.group;
    });
    for (const Layout& layout : layouts) {
        outline(layout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string file = argc == 2 ? argv[1] : "";
    const Example examples[] = {qai8dxp(), qsi4c32p(), qsi4cxp()};
    if (file == "examples.md") {
        std::printf(
            "# Packed formats, byte by byte\n\n"
            "Panels of three formats ([formats.md](../formats.md)) as the library packs them. This page and its "
            "drawings\n"
            "are written by `tools/format_drawings.cpp` (target `update_docs`): the bytes come from the packers, the\n"
            "places from `kai/engines/core/layout.hpp`.\n");
        for (const Example& example : examples) {
            markdown(example);
        }
        return 0;
    }
    if (file == "layouts.md") {
        outlines();
        return 0;
    }
    for (const Example& example : examples) {
        if (file == example.format.name + std::string(".svg")) {
            svg(example);
            return 0;
        }
    }
    std::fprintf(stderr, "usage: format_drawings examples.md|layouts.md|qai8dxp.svg|qsi4c32p.svg|qsi4cxp.svg\n");
    return 2;
}
