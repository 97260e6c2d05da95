#!/usr/bin/env python3
"""The tables and plots of predicted cycles: docs/performance/*.md and *.svg, and the summary in docs/performance.md.

  cycles_table.py ANCHORS.csv CLANG.csv GCC.csv            prints a table of what was measured (`./kai.sh cycles`)
  cycles_table.py --update ANCHORS.csv CLANG.csv GCC.csv   takes these figures into docs/performance/cycles.csv, writes
  cycles_table.py --newer ANCHORS.csv CLANG.csv            makes docs/performance/newer-cores.csv of them, writes
  cycles_table.py --write                                  writes the pages again from docs/performance/cycles.csv
  cycles_table.py --check                                  exit status 1 if a page is not what --write would write

Figures are MAC per cycle (kernels: more is better) or cycles per source element (packers: less is better); the speed-up
is that of the Clang build over the anchor, of which the faster compiler counts.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import math
import pathlib
import re
import sys
from xml.sax.saxutils import escape

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
PAGES = DOCS / "performance"
DATA = PAGES / "cycles.csv"
FIELDS = ["function", "shape", "cpu", "clang", "gcc", "anchor", "speed_up"]
# Of the page of newer cores: classes of kernels, and a figure with what limits it in each row. Shares: of the cycles.
CLASSES = DOCS.parent / "tools" / "cycles" / "classes.csv"
NEWER_DATA = PAGES / "newer-cores.csv"
NEWER_FIELDS = ["class", "function", "shape", "cpu", "clang", "anchor", "speed_up", "bound", "dispatch", "units",
                "waits"]
BEGIN, END = "<!-- written by tools/cycles_table.py -->\n", "<!-- end -->\n"

# The models that are published, in this order.
CPUS = ["inorder-a53", "cortex-a57", "cortex-a72", "neoverse-n1", "neoverse-n3", "neoverse-v2", "neoverse-v1",
        "inorder-a55", "inorder-a510", "c1-ultra-sme"]
# Those of a page of their own, a few functions of each class.
NEWER = ["olympus", "neoverse-v3", "c1-ultra", "oryon-1", "ampere1b", "inorder-c1-nano"]

# Page, title, functions. The first match counts.
FAMILIES = [
    ("lhs-packers", "LHS packers", r"(^|_)lhs_.*pack_|pack_lhs_"),
    ("rhs-packers", "RHS packers", r"(^|_)rhs_.*pack_|pack_rhs_"),
    ("qai8dxp_qsi4c32p", "int8 per row x int4 in blocks", r"_qai8dxp\w*_qsi4c32p"),
    ("qai8dxp_qsi4cxp", "int8 per row x int4 per channel", r"_qai8dxp\w*_qsi4cxp"),
    ("qai8dxp_qsi8cxp", "int8 per row x int8 per channel", r"_qai8dxp\w*_qsi8cxp"),
    ("qai8dxp_qsu2cxp", "int8 per row x int2 per channel", r"_qai8dxp\w*_qsu2cxp"),
    ("qsi8d32p_qsi4c32p", "int8 or f16 x int4, both in blocks", r"_(qsi8d32p|f16p)\w*_qsi4c32p"),
    ("qsi8d32p_qsi1c32p", "int8 x one bit, both in blocks", r"_qsi8d32p\w*_qsi1c32p"),
    ("qsi8d32p_qsi2c32p", "int8 x int2, both in blocks", r"_qsi8d32p\w*_qsi2c32p"),
    ("qsi8d32p_qsi8c32p", "int8 x int8, both in blocks", r"_qsi8d32p\w*_qsi8c32p"),
    ("qsi8d32p_qlu4c32p", "int8 x indices of a table, both in blocks", r"_qsi8d32p\w*_qlu4c"),
    ("inplace", "Rows of GGUF files where they lie", r"_ggq"),
    ("qsi8d256p", "int8 x super-blocks", r"_qsi8d(16x)?256p"),
    ("qsi8d32p_qau5c32p", "int8 x 5 bits with a minimum, both in blocks", r"_qsi8d32p\w*_qau5c32p"),
    ("qsi8d32p_qai4c32p", "int8 or f16 x int4 with zeros, both in blocks", r"_(qsi8d32p|f16p)\w*_qai4c32p"),
    ("static-int", "static int8, int4 and uint8", r"matmul_\w*(_qai8|_qau8|_qasu8|_u8p)"),
    ("bf16", "bf16", r"matmul_clamp_f(16|32)_(bf16_)?bf16p"),
    ("f32", "f32", r"matmul_clamp_f32_f32"),
    ("f16", "f16", r"matmul_clamp_(f16|f32)_f16"),
    ("dwconv", "depthwise convolution", r"dwconv_clamp"),
    ("other", "others", r""),
]
GROUPS = [("NEON", r""), ("SVE, vectors of 256 bits", r"_sve"), ("SME, vectors of 512 bits", r"_sme")]


# ---- figures ----

def measured(path):
    """(function, shape) -> CPU -> row; of several rows the one with the fewest cycles."""
    best = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            cell = best.setdefault((row["name"], row["shape"].replace(",", " ")), {})
            if row["cpu"] not in cell or int(row["cycles"]) < int(cell[row["cpu"]]["cycles"]):
                cell[row["cpu"]] = row
    return {key: {cpu: row for cpu, row in cells.items() if cpu in CPUS + NEWER} for key, cells in best.items()}


def measured_classes(anchors, figures):
    """Rows of newer-cores.csv, from what load_anchors and measured return."""
    rows = []
    with open(CLASSES) as file:
        cases = list(csv.DictReader(file))
    for case in cases:
        name, words = case["function"], set(case["shape"].split())
        cells = next((cells for key, cells in figures.items() if key[0] == name and words <= set(key[1].split())), {})
        for cpu in case["models"].split() or NEWER:
            if cpu not in cells:
                raise SystemExit(f"cycles_table.py: not measured: {name} {case['shape']} on {cpu}")
            ours, theirs = cells[cpu], anchors.get((name, case["shape"]), {}).get(cpu)
            rows.append({**case, "cpu": cpu, "clang": figure(ours), "anchor": figure(theirs),
                         "speed_up": f"{int(theirs['cycles']) / int(ours['cycles']):.3f}" if theirs else "",
                         "bound": f"{int(ours['macs']) / float(ours['busiest_cycles']):.1f}",
                         "dispatch": ours["dispatch_share"], "units": ours["unit_share"], "waits": ours["wait_share"]})
    return rows


def load_anchors(path):
    """The same of the anchors: a row for each function and shape, a column of cycles for each CPU."""
    anchors = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            key = row.pop("name"), row.pop("shape")
            sizes = dict(order(key)[1])
            amount = sizes["k"] * sizes.get("m", 1) * sizes.get("n", 1)
            for cpu, cycles in row.items():
                if cycles:
                    anchors.setdefault(key, {})[cpu] = {
                        "cycles": cycles, "mac_per_cycle": round(amount / int(cycles), 3),
                        "cycles_per_element": round(int(cycles) / amount, 4) if is_packer(key) else 0}
    return anchors


def figure(row):
    if row is None:
        return ""
    per_element = float(row["cycles_per_element"] or 0)
    return f"{per_element:.3f}" if per_element else f"{float(row['mac_per_cycle']):.1f}"


def joined(anchors, clang, gcc):
    """(function, shape) -> CPU -> figures, from the files of the cycle prediction."""
    figures = {}
    for key, cells in clang.items():
        for cpu, ours in cells.items():
            theirs = anchors.get(key, {}).get(cpu)
            figures.setdefault(key, {})[cpu] = {
                "clang": figure(ours), "gcc": figure(gcc.get(key, {}).get(cpu)), "anchor": figure(theirs),
                "speed_up": f"{int(theirs['cycles']) / int(ours['cycles']):.2f}" if theirs else ""}
    return figures


def load():
    figures = {}
    with open(DATA) as file:
        for row in csv.DictReader(file):
            figures.setdefault((row["function"], row["shape"]), {})[row["cpu"]] = row
    return figures


def save(figures):
    rows = [{"function": key[0], "shape": key[1], "cpu": cpu, **figures[key][cpu]}
            for key in sorted(figures, key=order) for cpu in columns([figures[key]])]
    save_rows(DATA, FIELDS, rows)


def load_newer():
    with open(NEWER_DATA) as file:
        return list(csv.DictReader(file))


def save_rows(path, fields, rows):
    with open(path, "w") as file:
        out = csv.DictWriter(file, fields, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


# ---- what belongs together ----

def order(key):
    """m = 2, 4, 8, 48 of a function in this order."""
    return key[0], [(name, int(value)) for name, value in re.findall(r"(\w+)=(\d+)", key[1])]


def is_packer(key):
    return "_pack_" in key[0]


def page_of(key):
    return next(page for page, _, pattern in FAMILIES if re.search(pattern, key[0]))


def group_of(key):
    return [title for title, pattern in GROUPS if re.search(pattern, key[0])][-1]


def kind_of(key):
    return {"static-int": "static integers", "f32": "floats", "f16": "floats", "bf16": "floats"}.get(
        page_of(key), "quantised weights")


def columns(cells, cpus=CPUS + NEWER):
    present = {cpu for cell in cells for cpu in cell}
    return [cpu for cpu in cpus if cpu in present]


def of_models(figures, cpus):
    """The figures of these models, without functions that have none."""
    some = {key: {cpu: cell for cpu, cell in cells.items() if cpu in cpus} for key, cells in figures.items()}
    return {key: cells for key, cells in some.items() if cells}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def speed_ups(figures, keys):
    return [float(cell["speed_up"]) for key in keys for cell in figures[key].values() if cell["speed_up"]]


# ---- Markdown ----

def table(figures, keys):
    cpus = columns([figures[key] for key in keys])
    lines = [f"| function, shape | {' | '.join(cpus)} |", "|---" + "|---" * len(cpus) + "|"]
    for key in keys:
        cells = []
        for cpu in cpus:
            cell = figures[key].get(cpu)
            speed_up = f", {cell['speed_up']}x" if cell and cell["speed_up"] else ""
            cells.append(f"{cell['clang']} / {cell['gcc'] or '-'}{speed_up}" if cell else "")
        lines.append(f"| `{key[0]}` {key[1]} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page(title, name, figures, keys):
    unit = "Cycles per source element" if is_packer(keys[0]) else "MAC per cycle"
    drawn = "all shapes" if is_packer(keys[0]) else "the most rows of each kernel"
    text = [f"# {title}\n\n{BEGIN}{unit}, predicted: \"Clang 19 / GCC 12\", then the speed-up over the anchor"
            f" ([how to read it](../performance.md)).\n\n![{unit}, {drawn}]({name}.svg)\n"]
    for group, _ in GROUPS:
        some = [key for key in keys if group_of(key) == group]
        if some:
            text.append(f"\n## {group}\n\n{table(figures, some)}")
    return "".join(text) + END


def reason(row):
    """What keeps a figure that is more than 3 % below its bound from it: d, p, both, or l; "" of others."""
    if share(row) >= 0.97:
        return ""
    dispatch, units = float(row["dispatch"]), float(row["units"])
    if row["waits"]:    # in order: half of what is lost, or more, is waiting for operands
        return "l" if float(row["waits"]) >= (1 - share(row)) / 2 else "p"
    return ("d" if dispatch >= 0.9 else "") + ("p" if units >= 0.9 else "") or "l"


def share(row):
    return float(row["clang"]) / float(row["bound"])


def newer_page(rows, intro):
    """Of docs/performance/newer-cores.md: by model, then by class many rows, one, images; what is behind the anchor."""
    def listing(head, lines):
        return f"| {head} |\n|{'---|' * (head.count('|') + 1)}\n" + "".join(f"| {line} |\n" for line in lines)

    def shown(row):
        why = reason(row)
        ours = f"**{row['clang']}**" if why else row["clang"]
        return f"{ours} / {row['anchor'] or '-'} / {row['bound']} {why}".strip()

    models, behind, cases = [], [], {}
    for row in rows:
        cases.setdefault((row["class"], row["function"], row["shape"]), {})[row["cpu"]] = row
        if row["speed_up"] and float(row["speed_up"]) < 0.99:
            behind.append(f"{row['cpu']} | `{row['function']}` {row['shape']} | {row['clang']} | {row['anchor']}")
    for model in NEWER:
        of_model = [row for row in rows if row["cpu"] == model]
        ratios = [float(row["speed_up"]) for row in of_model if row["speed_up"]]
        reasons = [reason(row) for row in of_model]
        models.append(" | ".join(map(str, (
            model, f"{mean(ratios):.2f}x", f"{min(ratios):.2f}x to {max(ratios):.2f}x", len(ratios), len(of_model),
            f"{100 * mean([share(row) for row in of_model]):.0f} %",
            *(reasons.count(why) for why in ("d", "p", "dp", "l"))))))
    text = [intro, listing("model | speed-up, geometric mean | range | with an anchor | figures | "
                           "of the bound, geometric mean | below it: d | p | dp | l", models)]
    for title, pattern in (("Many rows", r"\bm=(?!1 )"), ("One row", r"\bm=1 "), ("Depthwise convolution", r"^side=")):
        lines = [f"{case[0]} | `{case[1]}` {case[2].replace(' ', ',')} | " + " | ".join(
            shown(cells[model]) if model in cells else "" for model in NEWER)
            for case, cells in cases.items() if re.search(pattern, case[2])]
        text.append(f"\n## {title}\n\n" + listing(f"class | function, shape | {' | '.join(NEWER)}", lines))
    text.append("\n## More than 1 % behind the anchor\n\n")
    text.append(listing("model | function, shape | ours | anchor", behind) if behind else "None.\n")
    return "".join(text) + END


def summary(figures):
    """Of docs/performance.md: a row for each family, then one for each kind of micro-kernel."""
    lines = ["| family | functions | figures | speed-up, geometric mean | range |", "|---|---|---|---|---|"]
    rows = [(f"[{title}](performance/{name}.md)", [key for key in figures if page_of(key) == name])
            for name, title, _ in FAMILIES]
    rows += [("all micro-kernels", [key for key in figures if not is_packer(key)]),
             ("all packers", [key for key in figures if is_packer(key)]), ("all", list(figures))]
    for title, keys in rows:
        ratios = speed_ups(figures, keys)
        if keys:
            row = [title, len({key[0] for key in keys}), sum(len(figures[key]) for key in keys)]
            row += [f"{mean(ratios):.2f}x", f"{min(ratios):.2f}x to {max(ratios):.2f}x"] if ratios else ["", ""]
            lines.append("| " + " | ".join(map(str, row)) + " |")
    lines += ["", "Geometric means by the number of rows:", "",
              "| micro-kernels | one row | 2 to 15 rows | 16 rows or more |", "|---|---|---|---|"]
    for group, _ in GROUPS:
        for kind in ("quantised weights", "static integers", "floats"):
            cells = []
            for low, high in ((1, 1), (2, 15), (16, math.inf)):
                keys = [key for key in figures if not is_packer(key) and group_of(key) == group and
                        kind_of(key) == kind and low <= dict(order(key)[1])["m"] <= high]
                ratios = speed_ups(figures, keys)
                cells.append(f"{mean(ratios):.2f}x" if ratios else "")
            if any(cells):
                lines.append(f"| {group.split(',')[0]}, {kind} | {' | '.join(cells)} |")
    return BEGIN + "\n".join(lines) + "\n" + END


# ---- plots ----

OURS, ANCHOR, GRID = "#1f6fb2", "#b8b8b8", "#e4e4e4"
LABEL, PANEL, ROW = 500, 170, 24  # pixels


def plot(title, figures, keys):
    """Horizontal bars: a row for each function, a panel for each CPU, one block of panels for each group."""
    if is_packer(keys[0]):
        unit = "cycles per element (less is better)"
    else:
        unit = "MAC per cycle (more is better)"
        most = {}
        for key in keys:
            most[key[0]] = key  # the last shape has the most rows
        keys = sorted(most.values(), key=order)
    blocks = [(group, [key for key in keys if group_of(key) == group]) for group, _ in GROUPS]
    blocks = [(group, some, columns([figures[key] for key in some])) for group, some in blocks if some]
    width = LABEL + PANEL * max(len(cpus) for _, _, cpus in blocks)
    out, y = [], 50
    for group, some, cpus in blocks:
        out.append(f'<text x="8" y="{y + 14}" class="h">{escape(group)}</text>')
        for i, cpu in enumerate(cpus):
            out.append(f'<text x="{LABEL + i * PANEL}" y="{y + 14}" class="h">{cpu}</text>')
        y += 24
        for key in some:
            sizes = " ".join(re.findall(r"\b[mn]r=.*?sr=\d+|\bm=1\b" if is_packer(key) else r"\bm=\d+", key[1]))
            label = re.sub(r"^matmul_(clamp_)?(?!pack)", "", key[0]) + ", " + sizes
            out.append(f'<text x="{LABEL - 8}" y="{y + 15}" text-anchor="end">{escape(label)}</text>')
            y += ROW
        for i, cpu in enumerate(cpus):
            x, top = LABEL + i * PANEL, y - ROW * len(some)
            cells = [figures[key].get(cpu) for key in some]
            ours = max(float(cell["clang"]) for cell in cells if cell)
            largest = min(2 * ours, max([ours] + [float(cell["anchor"]) for cell in cells if cell and cell["anchor"]]))
            scale = (PANEL - 60) / largest  # longer bars are cut off, with their figure
            out.append(f'<path d="M{x} {top}V{y}" stroke="{GRID}"/>')
            for j, cell in enumerate(cells):
                if cell is None:
                    continue
                row, length = top + j * ROW, float(cell["clang"]) * scale
                out.append(bar(x, row + 4, length, OURS))
                out.append(f'<text x="{x + length + 4:.1f}" y="{row + 13}">{cell["clang"]}</text>')
                if cell["anchor"]:
                    theirs, end = float(cell["anchor"]), x + largest * scale + 4
                    out.append(bar(x, row + 13, min(theirs, largest) * scale, ANCHOR))
                    if theirs > largest:
                        out.append(f'<text x="{end:.1f}" y="{row + 22}">... {cell["anchor"]}</text>')
        y += 16
    style = "text{font:11px sans-serif;fill:#222}.h{font-weight:bold}.t{font-size:14px;font-weight:bold}"
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}">',
            f"<style>{style}</style>",
            f'<rect width="{width}" height="{y}" fill="#fff"/>',
            f'<text x="8" y="22" class="t">{escape(title)}: {unit}, predicted</text>',
            bar(8, 32, 12, OURS), '<text x="24" y="41">this library, Clang 19</text>',
            bar(168, 32, 12, ANCHOR), '<text x="184" y="41">anchor</text>']
    return "\n".join(head + out + ["</svg>", ""])


def bar(x, y, length, colour):
    return f'<path d="M{x} {y}h{length:.1f}v8h-{length:.1f}z" fill="{colour}"/>'


# ---- files ----

def pages(figures, newer):
    """Path -> text of everything that is generated."""
    bars = {}
    for row in newer:
        bars.setdefault((row["function"], row["shape"]), {})[row["cpu"]] = row
    written = (PAGES / "newer-cores.md").read_text().split(BEGIN)[0]
    texts = {PAGES / "newer-cores.md": newer_page(newer, written + BEGIN),
             PAGES / "newer-cores.svg": plot("newer cores", bars, sorted(bars, key=order))}
    for name, title, _ in FAMILIES:
        keys = sorted((key for key in figures if page_of(key) == name), key=order)
        if keys:
            path = PAGES / f"{name}.md"
            after = path.read_text().partition(END)[2] if path.exists() else ""    # written by hand
            texts[path] = page(title, name, figures, keys) + after
            texts[PAGES / f"{name}.svg"] = plot(title, figures, keys)
    main_page = DOCS / "performance.md"
    parts = main_page.read_text().split(BEGIN, 1)
    if len(parts) != 2 or END not in parts[1]:
        raise SystemExit("cycles_table.py: docs/performance.md has no place for the summary")
    texts[main_page] = parts[0] + summary(figures) + parts[1].split(END, 1)[1]
    return texts


def main():
    arguments = sys.argv[1:]
    mode = arguments.pop(0) if arguments and arguments[0].startswith("--") else "--print"
    files = {"--print": 3, "--update": 3, "--newer": 2, "--write": 0, "--check": 0}
    if len(arguments) != files.get(mode, -1):
        raise SystemExit(__doc__)
    anchors, *ours = [load_anchors(arguments[0]), *(measured(path) for path in arguments[1:])] if arguments else [{}]
    if mode == "--print":
        new = joined(anchors, *ours)
        for name, title, _ in FAMILIES:
            for group, _ in GROUPS:
                keys = sorted((k for k in new if page_of(k) == name and group_of(k) == group), key=order)
                if keys:
                    print(f"**{title}, {group}**\n\n{table(new, keys)}")
        return
    figures = load()
    if mode == "--update":
        for key, cells in of_models(joined(anchors, *ours), CPUS).items():
            figures.setdefault(key, {}).update(cells)
        save(figures)
    if mode == "--newer":
        save_rows(NEWER_DATA, NEWER_FIELDS, measured_classes(anchors, *ours))
    texts = pages(figures, load_newer())
    if mode == "--check":
        stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
        stale += [path for path in PAGES.glob("*") if path not in texts and path.suffix == ".svg"]
        if stale:
            raise SystemExit("\n".join(f"{path}: run tools/cycles_table.py --write" for path in stale))
        return
    for path, text in texts.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
