#!/usr/bin/env python3
"""Checks the Markdown files of this repository: check_docs.py CHECK

  links     relative links lead to files that exist, and their #fragments to headings; pages that sources name exist
  tables    rows of a table are lines, and have the columns of its head
  naming    docs/naming.md explains every part of every name in docs/kernels.md, and every name of a format
  formats   the numbers that docs/formats.md lists for a format take the bytes that docs/formats/layouts.md has, which
            is printed from layout.hpp
  families  docs/families.md has every family of docs/kernels.md, with its instruction sets
  versions  packages and documents have the version numbers of kai_common.h
  mentions  what is named in code style exists: files, commands of kai.sh, functions and types, options KLEIDIAI_...
  words     README.md has at most 700 words and 90 lines, a page at most 2,500, unless a program writes it; the index
            docs/README.md leads to every page
  snippets  code below a comment that names a file, <!-- examples/... -->, consists of lines of that file
  figures   numbers with a point or comma in a row of README.md stand in one line of the page to which it leads
  style     pages have no history (CHANGELOG.md has it), no filler, British spelling, sentences of 45 words at most
  statuses  docs/errors.md has every status of the public headers
  commands  each command in a code block is run by a test that exists, or COMMANDS says why not

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
NOT_OURS = {"build", ".git", ".cache", "node_modules"}
SOURCES = {".h", ".hpp", ".cpp", ".c", ".S", ".inc", ".def", ".py", ".sh", ".cmake", ".txt", ".yml"}

# Pages that programs write.
GENERATED = {"docs/kernels.md", "docs/which-kernel.md", "docs/messages.md", "docs/formats/layouts.md",
             "docs/formats/examples.md"}


def markdown_files():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in NOT_OURS and not name.startswith("build-")]
        yield from (pathlib.Path(folder) / name for name in files if name.endswith(".md"))


def prose(path):
    """The text without code, which has no links."""
    text = re.sub(r"^ *```.*?^ *```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: "`" * len(code.group()), text)


def fragments(path):
    """What GitHub makes of headings: lower case, hyphens for spaces, no punctuation."""
    text = re.sub(r"^ *```.*?^ *```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    found, count = set(), {}
    for title in re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.add(slug if slug not in count else f"{slug}-{count[slug]}")
        count[slug] = count.get(slug, 0) + 1
    return found


def links():
    complaints, count = [], 0
    for path in markdown_files():
        for target in re.findall(r"\]\(\s*<?([^)\s>]+)", prose(path)):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, fragment = target.partition("#")
            file = (path.parent / name).resolve() if name else path
            if not file.exists():
                complaints.append(f"{path.relative_to(ROOT)}: no file {target}")
            elif fragment and file.suffix == ".md" and fragment not in fragments(file):
                complaints.append(f"{path.relative_to(ROOT)}: no heading {target}")
    for folder in ("kai", "test", "tools", "cmake", "examples", "benchmark", "packaging", ".github"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in SOURCES and path.is_file():
                for page in re.findall(r"\bdocs/[\w/-]+\.md\b", path.read_text(errors="replace")):
                    count += 1
                    if not (ROOT / page).exists():
                        complaints.append(f"{path.relative_to(ROOT)}: no page {page}")
    return complaints, f"{count} relative links and names of pages"


def tables():
    complaints, count = [], 0
    for path in markdown_files():
        text = re.sub(r"^ *```.*?^ *```", lambda code: "\n" * code.group().count("\n"), path.read_text(),
                      flags=re.MULTILINE | re.DOTALL)
        columns = 0
        for number, line in enumerate(text.splitlines(), 1):
            bars = len(re.findall(r"(?<!\\)\|", line)) if re.match(" {0,3}\\|", line) else 0
            if bars == 0 and columns != 0 and line.strip() and not line.startswith("<!--"):
                complaints.append(f"{path.relative_to(ROOT)}:{number}: a line within a table")
            elif bars != 0 and (bars != (columns or bars) or not line.rstrip().endswith("|")):
                complaints.append(f"{path.relative_to(ROOT)}:{number}: a row with other columns than the first one")
            count += bars != 0
            columns = columns or bars if bars else 0
    return complaints, f"{count} rows of tables"


def naming():
    """A part between underscores must consist of what the first columns of the tables of naming.md list."""
    text = (ROOT / "docs/naming.md").read_text()
    tokens = {token for row in re.findall(r"^\| (`.*?) \|", text.split("## Sizes")[0], re.MULTILINE)
              for token in re.findall(r"`([^`]+)`", row)}
    part = re.compile("(?:%s)+" % "|".join(re.escape(token).replace("N", r"\d+") for token in tokens))
    kernels = (ROOT / "docs/kernels.md").read_text()
    names = set(re.findall(r"^\| `(\w+)`", kernels, re.MULTILINE))
    formats = (ROOT / "docs/formats.md").read_text().split("## Elements")[0]
    names |= {name for row in re.findall(r"^\| (`.*?) \|", formats, re.MULTILINE)
              for name in re.findall(r"`(\w+)`", row)}
    complaints = [f"docs/naming.md does not explain '{piece}' of {name}"
                  for name in sorted(names) for piece in name.split("_") if not part.fullmatch(piece)]
    return complaints, f"{len(names)} names"


def formats():
    """Bytes per row of the panel: of each block, at the start, at the end."""
    drawn = {}
    for name, lines in re.findall(r"^`(\w+)`, kr.*\n\n((?: {4}.*\n)+)", (ROOT / "docs/formats/layouts.md").read_text(),
                                  re.MULTILINE):
        found = {place: int(count) // 4 for count, place in
                 re.findall(r"(\d+) bytes of numbers, (of block 0|at the start|at the end)", lines)}
        drawn[name] = [found.get(place, 0) for place in ("of block 0", "at the start", "at the end")]
    listed, above = {}, []
    for line in (ROOT / "docs/formats.md").read_text().split("## Elements")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 6 or not cells[0].startswith("`"):
            continue
        cells[2:] = [above[i] if cell == "the same" else cell for i, cell in enumerate(cells[2:])]
        above = cells[2:]
        for name in re.findall(r"`(\w+)`", cells[0]):
            sizes = []
            for cell in above:
                types = re.findall(r"\b(?:b?f16|f32|int32)\b", re.sub("f32 or f16", name[-3:], cell))
                arrays = re.findall(r"\b(\d+) (?:int8|scales|minima)\b", cell)  # of bytes
                sizes.append(sum(2 if "f16" in field else 4 for field in types) + sum(map(int, arrays)))
            listed[name] = [sizes[0] + sizes[1], sizes[2], sizes[3]]
    return [f"docs/formats.md: {name} has {listed.get(name)} bytes of numbers, layout.hpp {sizes}"
            for name, sizes in sorted(drawn.items()) if listed.get(name) != sizes], f"{len(drawn)} formats"


def families():
    """A name in the table may be short for the one before it: `f16_...` differs in the first part, `f32nxk` and
    `..._ggq4_0` in the last one."""
    text = (ROOT / "docs/kernels.md").read_text().split("## Packers")[0]
    here = {part.split("\n")[0].strip(): set(re.findall(r"^\| `\w+` \| ([^|]*?) \|", part, re.MULTILINE))
            for part in text.split("\n### ")[1:]}
    rows, complaints = {}, []
    for line in (ROOT / "docs/families.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 4 or not cells[0].startswith("`"):
            continue
        names, base = set(), []
        for name in re.findall(r"`([^`]+)`", cells[0]):
            if re.search(r"[*{]", name):  # a pattern
                pattern = re.sub(r"{([^}]*)}", lambda m: "(" + m[1].replace(",", "|") + ")", name)
                pattern = pattern.replace("...", r"\w*").replace("*", r"\w*").replace(r"\w\w*", r"\w*")
                names |= {family for family in here if re.fullmatch(pattern, family)}
                continue
            parts = re.sub(r"^matmul_clamp_", "", name).strip(".").strip("_")
            parts = parts.split("_") if not name.startswith("...") else [parts]
            base = parts + base[len(parts):] if name.endswith("...") else base[:3 - len(parts)] + parts
            names.add("matmul_clamp_" + "_".join(base))
        isas = {re.sub(r" *\(.*?\)", "", isa) for isa in re.split(r", (?![^(]*\))", cells[3])}
        needs = {re.sub("^SVE .*", "SVE", "portable" if isa == "every host" else isa)
                 for name in names for isa in here.get(name, ())}
        complaints += [f"docs/families.md: no family {name}" for name in sorted(names - set(here))]
        if isas != needs:
            complaints.append(f"docs/families.md: {cells[0]} are for {', '.join(sorted(needs))}")
        rows.update(dict.fromkeys(names))
    complaints += [f"docs/families.md does not have {name}" for name in here if name not in rows]
    return complaints, f"{len(here)} families"


VERSIONS = {"interface": ["docs/versioning.md"],
            "library": ["packaging/vcpkg/vcpkg.json", "packaging/conan/conanfile.py", "MODULE.bazel",
                        "docs/versioning.md"]}


def versions():
    source, complaints, known = (ROOT / "kai/kai_common.h").read_text(), [], {}
    for number in VERSIONS:
        known[number] = re.search(rf'#define KAI_{number.upper()}_VERSION "([\d.]+)"', source)[1]
        complaints += [f"{name}: no {number} version {known[number]}" for name in VERSIONS[number]
                       if known[number] not in (ROOT / name).read_text()]
    parts = re.findall(r"#define KAI_LIBRARY_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", source)
    if ".".join(parts) != known["library"]:
        complaints.append(f"kai_common.h: {known['library']}, but {parts}")
    # A client that asks for a package asks for the library's version.
    asked = r"(?:libkleidiai/|KleidiAI\", version = \"|libkleidiai\", version = \")(\d+\.\d+\.\d+)"
    for path in [ROOT / "README.md", ROOT / "test/integrate/integrate.py", *(ROOT / "docs").glob("*.md"),
                 *(ROOT / name for name in VERSIONS["library"])]:
        complaints += [f"{path.relative_to(ROOT)}: what is version {found}?"
                       for found in re.findall(asked, path.read_text()) if found != known["library"]]
    # README.md names a tag that exists: that of the last release.
    released = re.search(r"^## (\d+\.\d+\.\d+) - ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    tags = re.findall(r"GIT_TAG v([\d.]+)", (ROOT / "README.md").read_text())
    complaints += [f"README.md: the tag is v{tag}, not v{released}" for tag in tags or ["?"] if tag != released]
    return complaints, ", ".join(f"{number} {version}" for number, version in known.items())


def mentions():
    """CHANGELOG.md may name what is gone."""
    sources = ""
    for pattern in ("kai/**/*.*", "cmake/*", "**/CMakeLists.txt", "kai.sh", "test/**/*.[ch]pp", "benchmark/*.cpp",
                    "examples/**/*.[ch]*", "tools/**/*.py", "tools/*.sh"):
        for path in ROOT.glob(pattern):
            if path.is_file() and not NOT_OURS & set(path.relative_to(ROOT).parts):
                sources += path.read_text(errors="replace")
    known = set(re.findall(r"\b(?:kai|KAI|KLEIDIAI)_\w+", sources))  # declared, read or set somewhere
    commands = set(re.findall(r"^cmd_(\w+)\(\)", (ROOT / "kai.sh").read_text(), re.MULTILINE))
    names = set(re.findall(r"^\| `(\w+)`", (ROOT / "docs/kernels.md").read_text(), re.MULTILINE))
    complaints, count = [], 0

    def exists(word):
        command = re.fullmatch(r"\./kai\.sh (\w+).*", word)
        if command:
            return command[1] in commands
        if re.fullmatch(r"(kai|test|tools|docs|cmake|examples|benchmark)/[\w./-]+", word):
            return (ROOT / word).exists() or word in sources
        if re.fullmatch(r"(kai|KAI|KLEIDIAI)_[a-zA-Z0-9_]*[a-zA-Z0-9]", word):
            kernel = re.sub(r"^kai_(run_|get_(\w+?)_(?=lhs|rhs|matmul|imatmul|dwconv))?", "", word)
            return word in known or kernel in names
        return None

    for path in markdown_files():
        if path.name == "CHANGELOG.md" or "performance" in path.parts:
            continue
        text = path.read_text()
        for word in re.findall(r"`([^`\n]+)`", text) + re.findall(r"^ {4}(\./kai\.sh \w+)", text, re.MULTILINE):
            found = exists(word)
            count += found is not None
            if found is False:
                complaints.append(f"{path.relative_to(ROOT)}: what is `{word}`?")
    return complaints, f"{count} names"


def words():
    """Words have a letter or a digit: bars of tables do not count."""
    complaints, count = [], 0
    for path in markdown_files():
        page = str(path.relative_to(ROOT))
        found = len(re.findall(r"\S*\w\S*", path.read_text()))
        limit = 700 if page == "README.md" else 2500
        if page.startswith("docs/") and page not in GENERATED or page == "README.md":
            count += 1
            complaints += [f"{page}: {found} words, more than {limit}"] if found > limit else []
    lines = (ROOT / "README.md").read_text().count("\n")
    complaints += [f"README.md: {lines} lines, more than 90"] if lines > 90 else []
    index = ROOT / "docs/README.md"
    reached = {(page.parent / target.partition("#")[0]).resolve() for page in (index, ROOT / "docs/performance.md")
               for target in re.findall(r"\]\(([^):]+)\)", prose(page))}
    complaints += [f"docs/README.md does not lead to {path.relative_to(ROOT)}" for path in sorted(markdown_files())
                   if (ROOT / "docs") in path.parents and path != index and path.resolve() not in reached]
    return complaints, f"{count} pages"


def snippets():
    """Quoted lines are consecutive, apart from an indentation that all have; "..." leaves some out."""
    complaints, count = [], 0
    for path in markdown_files():
        for file, code in re.findall(r"^<!-- (\S+) -->\n```\w*\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL):
            count += 1
            lines = [line.strip() for line in (ROOT / file).read_text().splitlines()] if (ROOT / file).exists() else []
            for part in re.split(r"^\s*\.\.\.\n", code, flags=re.MULTILINE):
                here = [line.strip() for line in part.splitlines()]
                if not any(lines[i:i + len(here)] == here for i in range(len(lines))):
                    complaints.append(f"{path.relative_to(ROOT)}: {file} does not have the lines from `{here[0]}` on")
    return complaints, f"{count} pieces of code"


def figures():
    complaints, count = [], 0
    for line in (ROOT / "README.md").read_text().splitlines():
        row = re.fullmatch(r"\| [^|]+ \| ([^|]+) \| \[[^]]+\]\(([^)]+)\) \|", line)
        if row:
            numbers = re.findall(r"\d+[.,]\d+", row[1])
            count += len(numbers)
            if not any(all(re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d)", there) for number in numbers)
                       for there in (ROOT / row[2]).read_text().splitlines()):
                complaints.append(f"README.md: no line of {row[2]} has {', '.join(numbers)}")
    if count < 8:
        complaints.append(f"README.md: only {count} figures were found")
    return complaints, f"{count} figures"


HISTORY = r"no longer|previously|formerly|recently|used to be|today|currently|nowadays|survived at first"
FILLER = r"simply|obviously|please note|in order to|utili[sz]e|leverage|basically|of course|e\.g\.|i\.e\.|etc\."
AMERICAN = (r"(?:re|de)?quantiz\w*|optimiz\w*|initializ\w*|behavior\w*|colors?|centers?|organiz\w*|recogniz\w*|"
            r"vectoriz\w*|normaliz\w*|serializ\w*|summariz\w*|labeled|gray")


def style():
    complaints, count = [], 0
    for path in markdown_files():
        page = str(path.relative_to(ROOT))
        if page != "README.md" and not page.startswith("docs/"):
            continue
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", prose(path))
        for number, line in enumerate(text.splitlines(), 1):
            for what, words_ in (("history", HISTORY), ("filler", FILLER), ("spelling", AMERICAN)):
                found = re.search(rf"\b(?:{words_})(?!\w)", line, re.IGNORECASE)
                if found and not line.startswith("    "):
                    complaints.append(f"{page}: {what}: {found[0]}: {line.strip()[:80]}")
        plain = "\n".join(line for line in text.splitlines() if not re.match(r" *\||    |#|<!--", line))
        for paragraph in re.split(r"\n\s*\n|\n *(?:[-*]|\d+\.) ", plain):
            for sentence in re.split(r"(?<=[.!?:;])\s+", " ".join(paragraph.split())):
                count += 1
                if len(sentence.split()) > 45:
                    complaints.append(f"{page}: a sentence of {len(sentence.split())} words: {sentence[:80]}")
    return complaints, f"{count} sentences"


def statuses():
    complaints, count = [], 0
    text = (ROOT / "docs/errors.md").read_text()
    for path in sorted((ROOT / "kai").glob("**/*.h")):
        for name, body in re.findall(r"^enum kai_(\w+)_status {(.*?)^};", path.read_text(), re.MULTILINE | re.DOTALL):
            prefix = f"KAI_{name.upper()}_"
            rows = re.findall(r"^\| (`.*?) \|", text.partition(f"| `{prefix}...` |")[2].partition("\n\n")[0],
                              re.MULTILINE)
            known = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
            here = set(re.findall(rf"^ +{prefix}(\w+)", body, re.MULTILINE)) - {"OK", "STATUS_COUNT"}
            count += len(here)
            complaints += [f"docs/errors.md does not have {prefix}{status}" for status in sorted(here - known)]
            complaints += [f"docs/errors.md: there is no {prefix}{status}" for status in sorted(known - here)]
    if count < 50:
        complaints.append(f"only {count} statuses were found")
    return complaints, f"{count} statuses"


# Commands in code blocks, and the test that runs the program which they start, or why there is none. The first match
# counts.
COMMANDS = [
    (r"\./kai\.sh demo", "test example.king_james"),
    (r"\./kai\.sh test", "runs the tests"),
    (r"\./kai\.sh bench", "test bench.smoke"),
    (r"\./kai\.sh mutate", "builds each mistake: takes hours"),
    (r"\./kai\.sh (cycles|curves)", "test tools.cycles"),
    (r"\./kai\.sh (setup|lint|docs|size|conformance)", "depends on the machine"),
    (r"\./kai\.sh where", "test tools.where"),
    (r"\./kai\.sh asm", "test tools.asm"),
    (r"kai_cycles\.py|tools/cycles/farm_scheme\.py", "test tools.cycles"),
    (r"tools/cycles/whole_calls\.py", "takes half an hour: its cells are calls of kai_cycles.py"),
    (r"tools/cycles_table\.py --check", "test docs.performance"),
    (r"tools/release\.py cut", "changes CHANGELOG.md: once for each release"),
    (r"\./kai\.sh release", "test tools.release"),
    (r"\./kai\.sh abi$", "test abi.compare"),
    (r"(python )?packaging/bundle\.py", "test kleidiai_bundles"),
    (r"for preset in", "needs Xcode"),
    (r"kai-(pack|gguf)", "test docs.walk"),
    (r"cmake --preset aarch64-clang && cmake --build build/aarch64-clang --target source_compat",
     "test kleidiai_source_compat"),
    (r"cmake --build build/\w+ --target update_docs", "test docs.${name}"),
    (r"tiny_lm_train|for range in|python3 examples/llm/model/train\.py", "made the files of the example, once"),
    (r"tiny_lm", "test tiny_lm"),
    (r"cmake|adb|xcodebuild|cpack|ctest", "needs tools or devices that a test cannot expect"),
    (r"vcpkg|conan|bazel|brew|apt|sudo|pip|git|ninja", "needs the network or other package managers"),
    (r"build/|\./", "a program of a build that other commands made"),
]
SHELL = re.compile(r"(\$ )?((\./|tools/|build/|cmake |ctest|ninja |python3? |pip |git |apt|sudo |brew |vcpkg |conan |"
                   r"bazel |adb |xcodebuild |cpack|kai-pack |kai-gguf |tiny_lm|kai_cycles\.py |for \w+ in ).*)")


def blocks(path):
    """Lines of code blocks without a language, or of the shell."""
    language, indented, last = None, False, ""
    for line in path.read_text().split("\n"):
        fence = re.match(r" *```(\w*)", line)
        if fence:
            language = fence[1] if language is None else None
        elif language is not None:
            if language in ("", "sh", "bash", "shell", "console"):
                yield line.strip()
        else:
            indented = line.startswith("    ") and (indented or not last.strip())
            if indented:
                yield line.strip()
        last = line


def commands():
    tests = "\n".join(path.read_text() for path in ROOT.glob("**/CMakeLists.txt")
                      if not NOT_OURS & set(path.relative_to(ROOT).parts))
    complaints, counts = [], {True: 0, False: 0}
    for path in markdown_files():
        for line in blocks(path):
            command = SHELL.fullmatch(line)
            if not command:
                continue
            why = next((why for pattern, why in COMMANDS if re.match(pattern, command[2])), None)
            if why is None:
                complaints.append(f"{path.relative_to(ROOT)}: no test runs `{line}`; or say why in COMMANDS")
            else:
                counts[why.startswith("test ")] += 1
    for _, why in COMMANDS:
        if why.startswith("test ") and \
                not re.search(r"(NAME|add_test|kai_add_sanitized_test)[ (]+" + re.escape(why[5:]) + r"\b", tests) and \
                why != "test docs.${name}":
            complaints.append(f"COMMANDS: there is no {why}")
    return complaints, f"{counts[True]} commands that tests run, {counts[False]} others"


def main():
    checks = {check.__name__: check for check in (links, tables, naming, formats, families, versions, mentions, words,
                                                  snippets, figures, style, statuses,
                                                  commands)}
    if len(sys.argv) != 2 or sys.argv[1] not in checks:
        raise SystemExit(__doc__)
    complaints, what = checks[sys.argv[1]]()
    if complaints:
        raise SystemExit("\n".join(complaints))
    print(f"{what}: all right")


if __name__ == "__main__":
    main()
