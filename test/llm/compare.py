"""What examples/llm makes of files, and what llama.cpp makes of them: compare.py TREE SHIM FOLDER PART PROGRAM...

Run by the Python of the unpacked packages (llm_test.py). PART: native; emulated or arm64,
which is less; or one of PARTS.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import subprocess
import sys

TREE, SHIM, FOLDER, PART = *map(pathlib.Path, sys.argv[1:4]), sys.argv[4]
PROGRAM, ROOT = sys.argv[5:], pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(TREE / "usr/lib/python3/dist-packages")]
import numpy as np  # noqa: E402
from llama_cpp import Llama  # noqa: E402
import models  # noqa: E402
import texts  # noqa: E402

llama = Llama(TREE, SHIM)
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


def llm(*arguments, text=True):
    return subprocess.run([*PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=text).stdout


def compare_tokens():
    """Tokens of 1,000 lines and of whole files, and what each token stands for."""
    rng = np.random.default_rng(1)
    lines = texts.lines(ROOT, rng, 1000)
    whole = [(ROOT / path).read_bytes()[:20000] for path in ("examples/tiny_lm/train.cpp", "docs/gguf.md")]
    (FOLDER / "texts").write_bytes(b"\0".join(lines + whole) + b"\0")
    for name, vocabulary in models.vocabularies(ROOT).items():
        path = FOLDER / f"{name}.gguf"
        models.write_vocabulary(path, vocabulary)
        theirs = llama.open(path, vocabulary_only=True)
        ours = [list(map(int, line.split())) for line in llm(path, "--tokenize", FOLDER / "texts").split("\n")[:-1]]
        check(len(ours) == len(lines) + len(whole), f"{name}: {len(ours)} texts")
        differ = 0
        for text, tokens in zip(lines + whole, ours):
            wanted = theirs.tokens(text, True, True)
            if tokens != wanted:
                differ += 1
                at = next((i for i, (a, b) in enumerate(zip(tokens, wanted)) if a != b), min(len(tokens), len(wanted)))
                check(differ > 3, f"{name}: {text[:200]!r}, token {at}: {tokens[at - 1:at + 5]}, llama.cpp "
                      f"{wanted[at - 1:at + 5]}: {[theirs.piece(t) for t in wanted[at - 1:at + 5]]}")
        check(differ == 0, f"{name}: {differ} of {len(ours)} texts have other tokens")
        print(f"{name}: {len(ours)} texts, {sum(map(len, ours))} tokens, {differ} texts differ")
        theirs.close()


def logits_of(path, text, *arguments):
    """What llm says after each token of a text."""
    (FOLDER / "prompt").write_bytes(text)
    llm(path, "-f", FOLDER / "prompt", "-n", 0, "-t", 2, "--logits", FOLDER / "logits", *arguments)
    return np.fromfile(FOLDER / "logits", np.float32)


def check_logits(name, ours, wanted, bound, agree):
    """bound: of the largest difference, in standard deviations of the logits of a position. The top token is the same
    wherever the second one is further away than that; of all positions, at `agree`."""
    ours = ours.reshape(-1, wanted.shape[1])
    check(ours.shape == wanted.shape, f"{name}: {ours.shape}, {wanted.shape}")
    spread = wanted.std(axis=1, keepdims=True)
    error = np.abs(ours - wanted) / spread
    same = ours.argmax(axis=1) == wanted.argmax(axis=1)
    second, first = np.sort(wanted, axis=1)[:, -2:].T
    clear = first - second > bound * spread[:, 0]
    rms = float(np.sqrt((error ** 2).mean()))
    print(f"{name}: {len(wanted)} tokens, largest difference {error.max():.2g}, mean square {rms:.2g}, bound {bound}, "
          f"top token equal {100 * same.mean():.2f} %, clear at {100 * clear.mean():.0f} %, where "
          f"{np.count_nonzero(clear & ~same)} differ")
    check(error.max() <= bound, f"{name}: logits differ by {error.max()} standard deviations")
    check(same.mean() >= agree, f"{name}: the top token is equal at {same.mean()} of the positions")
    # Soft caps of gemma2 leave no position where it is clear.
    check(clear.mean() > 0.1 or name == "gemma2", f"{name}: the top token is clear at {clear.mean()} of the positions")
    check(same[clear].all(), f"{name}: the top token differs where it is clear, at {np.flatnonzero(clear & ~same)}")
    return ours


def compare_logits(name, path, bound, text, context=512, cache="f32", agree=0.99):
    """See check_logits."""
    theirs = llama.open(path)
    ours = logits_of(path, text, "-c", context, "-b", 100, "--cache", cache)
    tokens = theirs.tokens(text, True, True)
    wanted = theirs.logits(tokens, context, cache == "f32")
    theirs.close()
    return check_logits(name, ours, wanted, bound, agree), wanted, tokens


def compare_architectures(only=None, size=600):
    vocabularies = models.vocabularies(ROOT)
    for name, (architecture, vocabulary, sizes, keys) in models.architectures().items():
        if only is None or name in only:
            models.write(quantiser, MODEL, architecture, vocabularies[vocabulary], "F32", sizes, keys)
            # ggml rounds GELU to f16.
            compare_logits(name, MODEL, 2e-3 if architecture.startswith("gemma") else 5e-4, TEXT[:size])


def compare_types(only=None, size=300):
    vocabulary = models.vocabularies(ROOT)["spm"]
    for kind, bound in models.TYPES.items():
        if only is None or kind in only:
            models.write(quantiser, MODEL, "llama", vocabulary, kind)
            compare_logits(kind, MODEL, bound, TEXT[:size], agree=0.99 if kind in ("F32", "F16") else 0.8)


def compare_caches():
    """Types of keys and values; llama.cpp's cache has f32."""
    models.write(quantiser, MODEL, "llama", models.vocabularies(ROOT)["spm"])
    (FOLDER / "prompt").write_bytes(TEXT[:600])
    theirs = llama.open(MODEL)
    wanted = theirs.logits(theirs.tokens(TEXT[:600], True, True), 512)
    theirs.close()
    for cache, bound in (("f16", 0.01), ("bf16", 0.06), ("q8_0", 0.15)):
        llm(MODEL, "-f", FOLDER / "prompt", "-n", 0, "--cache", cache, "--logits", FOLDER / "logits")
        ours = np.fromfile(FOLDER / "logits", np.float32).reshape(wanted.shape)
        error = (np.abs(ours - wanted) / wanted.std(axis=1, keepdims=True)).max()
        print(f"cache of {cache}: largest difference {error:.2g}, bound {bound}")
        check(error <= bound, f"cache of {cache}: {error}")


def check_bench():
    """Rates that --bench prints: their shares of the peaks, and the work of a token by the tensors of the file."""
    sizes = models.Sizes(experts=5, used=2, inner=256)
    models.write(quantiser, MODEL, "llama", models.vocabularies(ROOT)["spm"], "F32", sizes)
    said = llm(MODEL, "--bench", "-b", 32, "-n", 4)
    tokens, multiplied = map(float, re.search(
        r"prefill: 32 tokens, ([0-9.]+) tokens/s, ([0-9.]+) GOP/s", said).groups())
    peak, share = map(float, re.search(r"multiplying F32 .* ([0-9.]+) GOP/s, .* ([0-9.]+) %", said).groups())
    check(peak > 0 and abs(share - 100 * multiplied / peak) < 0.1 + 0.01 * share, said)
    rate, peak, share = map(float, re.search(
        r"decode: 4 .* ([0-9.]+) GB/s of weights\n(?:.*\n)*peak of .* ([0-9.]+) GB/s, .* ([0-9.]+) %", said).groups())
    check(peak > 0 and abs(share - 100 * rate / peak) < 0.1 + 0.01 * share, said)
    layer = 256 * (2 * 256 + 2 * 128 + sizes.experts + sizes.used * 3 * sizes.inner)
    size, macs = map(int, re.search(r"token: (\d+) bytes of weights, (\d+) multiply-adds", said).groups())
    check(macs == 2 * layer + 256 * 2000, f"{macs} multiply-adds: {said}")
    check(4 * macs <= size < 4.2 * macs, f"{size} bytes: {said}")
    wanted = 2e-9 * (2 * layer + 256 * 2000 / 32) * tokens
    check(abs(multiplied / wanted - 1) < 0.02, f"{multiplied} GOP/s, {wanted}: {said}")


def compare_bench(bench):
    """The benchmark's model of random weights (bench: the program, or None), and a file of the same shapes: the same
    work of a token, and speeds that are not far from each other: machines that run tests are busy."""
    if bench is None:
        print("there is no kleidiai_bench to compare with")
        return
    spm = [part[:1024] for part in texts.spm(ROOT, np.random.default_rng(2), 1024)]
    vocabulary, sizes = {"model": "llama", "spm": spm}, models.Sizes(layers=4)
    models.write(quantiser, MODEL, "llama", vocabulary, "Q4_0", sizes, output="Q6_K")
    rates = {"file": [], "shapes": []}
    for _ in range(3):
        ours = llm(MODEL, "--bench", "-b", 64, "-n", 32, "-t", 1)
        shapes = subprocess.run(
            [bench, "--model=test", "--prompt=64", "--ctx=80", "--threads=1", "--no-peaks", "--repetitions=1",
             "--seconds=0.02"], check=True, stdout=subprocess.PIPE, text=True).stdout
        rates["file"].append([float(x) for x in re.findall(r"([0-9.]+) tokens/s", ours)])
        rates["shapes"].append([float(x) for x in re.findall(r"([0-9.]+) tokens/s", shapes)])
    work = re.search(r"products of a token: (\d+) bytes of weights, (\d+) multiply-adds", ours).groups()
    theirs = re.search(r"reads (\d+) bytes of weights, \d+ of the cache; (\d+) multiply-adds", shapes).groups()
    check(work == theirs, f"a token of the file takes {work}, of the shapes {theirs}")
    ratios = np.max(rates["file"], axis=0) / np.max(rates["shapes"], axis=0)
    print(f"tokens/s of a file, over those of its shapes: prefill {ratios[0]:.2f}, decode {ratios[1]:.2f}")
    check(ratios.shape == (2,) and all(0.4 < ratio < 2 for ratio in ratios), f"speeds differ: {rates}")


def perplexity(logits, tokens, window):
    """As llama-perplexity has it: the second half of each window."""
    surprises = []
    for begin in range(0, len(tokens) - window + 1, window):
        rows = logits[begin + window // 2:begin + window - 1].astype(np.float64)
        following = tokens[begin + window // 2 + 1:begin + window]
        most = rows.max(axis=1, keepdims=True)
        surprises.append(np.log(np.exp(rows - most).sum(axis=1)) + most[:, 0] - rows[np.arange(len(rows)), following])
    return np.exp(np.concatenate(surprises).mean())


def compare_long_text():
    """2,000 tokens: logits of one text, and the perplexity of its windows."""
    models.write(quantiser, MODEL, "llama", models.vocabularies(ROOT)["spm"], "F16")
    _, _, tokens = compare_logits("2,000 tokens", MODEL, 0.05, TEXT[:5700], 2304, "f16")
    check(len(tokens) >= 2000, f"{len(tokens)} tokens are fewer than 2,000")
    theirs, window = llama.open(MODEL), 256
    windows = [[1, *tokens[at + 1:at + window]] for at in range(0, len(tokens) - window + 1, window)]
    logits = np.concatenate([theirs.logits(part, window, False) for part in windows])
    theirs.close()
    compare_perplexity(MODEL, TEXT[:5700], logits, windows)


def compare_perplexity(path, text, logits, windows):
    """logits: of llama.cpp, for `windows` of tokens, which are the text's first."""
    (FOLDER / "prompt").write_bytes(text)
    said = llm(path, "--perplexity", FOLDER / "prompt", "-c", len(windows[0]), "-t", 2)
    ours, wanted = float(said.split()[1].rstrip(",")), perplexity(logits, sum(windows, []), len(windows[0]))
    print(f"perplexity {ours}, llama.cpp {wanted:.4f}")
    check(abs(ours / wanted - 1) < 1e-3, f"perplexity {ours}, llama.cpp {wanted}")


def compare_trained(count=9, agree=0.99):
    """The trained model of the tree on chapters that it has not seen, in `count` windows of its context."""
    path, window = TRAINED / "king_james.gguf", 256
    theirs = llama.open(path)
    tokens = theirs.tokens((TRAINED / "held_out.txt").read_bytes(), True, True)
    bos, windows = tokens[0], [tokens[at + 1:at + window] for at in range(0, count * window, window)]
    text_of = lambda part: b"".join(map(theirs.piece, part))  # noqa: E731
    wanted = np.concatenate([theirs.logits([bos, *part], window, False) for part in windows])
    ours = np.concatenate([logits_of(path, text_of(part)) for part in windows])
    check_logits("trained", ours, wanted, models.TYPES["Q4_K"], agree)
    text = text_of(tokens[1:count * window + window // 2])
    theirs.close()
    compare_perplexity(path, text, wanted, [[bos, *part] for part in windows])


def compare_generated(architecture="llama", vocabulary="spm"):
    """The likeliest tokens, one after the other, and the same logits whether tokens come one by one or together."""
    models.write(quantiser, MODEL, architecture, models.vocabularies(ROOT)[vocabulary], "F32")
    prompt = TEXT[:200]
    together, _, tokens = compare_logits("together", MODEL, 2e-3, prompt)
    arguments = ("-f", FOLDER / "prompt", "-c", 512, "--cache", "f32")
    llm(MODEL, *arguments, "-n", 0, "-b", 1, "--logits", FOLDER / "logits")
    one_by_one = np.fromfile(FOLDER / "logits", np.float32).reshape(together.shape)
    difference = np.abs(together - one_by_one).max() / together.std()
    check(difference < 1e-4, f"one by one: {difference}")
    theirs, written = llama.open(MODEL), b""
    for _ in range(12):
        token = int(theirs.logits(tokens, 512)[-1].argmax())
        tokens, written = [*tokens, token], written + theirs.piece(token)
    theirs.close()
    ours = llm(MODEL, *arguments, "-n", 12, "--temp", 0, text=False)
    check(ours == written + b"\n", f"written: {ours}, llama.cpp {written}")
    seeds = [llm(MODEL, *arguments, "-n", 8, "--seed", seed, text=False) for seed in (1, 1, 2)]
    check(seeds[0] == seeds[1] != seeds[2], "the seed does not decide what is written")


def check_packed_and_memory(kai_gguf):
    """The same bits from a packed file (kai_gguf: the tool, or None); weights are in memory once."""
    sizes = models.Sizes(layers=1, width=16384, inner=256)      # the output, which is packed last, is 18 MiB
    models.write(quantiser, MODEL, "llama", models.vocabularies(ROOT)["spm"], "Q4_0", sizes)
    (FOLDER / "prompt").write_bytes(TEXT[:3])    # a row of the embeddings is read with what lies around it
    packed, logits = FOLDER / "packed.kai", []
    if kai_gguf is not None:
        subprocess.run([*PROGRAM[:-1], kai_gguf, "pack", MODEL, packed], check=True, stdout=subprocess.DEVNULL)
    for more in [("--packed", packed)] * (kai_gguf is not None) + [()]:
        done = subprocess.run([*PROGRAM, *map(str, (MODEL, "-f", FOLDER / "prompt", "-n", 0, "--logits",
                               FOLDER / "logits", "-t", 2, *more))], check=True, stderr=subprocess.PIPE, text=True)
        logits.append((FOLDER / "logits").read_bytes())
    check(logits[0] == logits[-1], "a packed file gives other bits")
    weights, cache, workspace, peak = map(float, re.findall(r"[0-9.]+", done.stderr))
    matrices = (2000 + 3 * 256 + 256 + 128 + 128 + 256) * 16384 * 18 / 32 / 2**20
    check(matrices <= weights < 1.05 * matrices, f"weights {weights} MiB, in the file {matrices:.1f}")
    if len(PROGRAM) == 1:
        check(peak < weights + cache + workspace + 12, f"the peak is {peak} MiB: {done.stderr}")


def check_memory():
    """Each architecture with weights of 24 MiB and more: the peak is weights, cache and workspace, and what a process
    has without them, the matrices that are being packed among it."""
    (FOLDER / "prompt").write_bytes(TEXT[:40])
    for name, (architecture, vocabulary, sizes, keys) in models.architectures().items():
        sizes.inner = 768 if sizes.experts else 4096
        models.write(quantiser, MODEL, architecture, models.vocabularies(ROOT)[vocabulary], "F32", sizes, keys)
        done = subprocess.run([*PROGRAM, MODEL, "-f", FOLDER / "prompt", "--logits", FOLDER / "logits", "-t", "2"],
                              check=True, stderr=subprocess.PIPE, text=True)
        weights, cache, workspace, peak = map(float, re.findall(r"[0-9.]+", done.stderr))
        print(f"{name}: weights {weights}, cache {cache}, workspace {workspace}, peak {peak} MiB")
        size = MODEL.stat().st_size / 2**20
        check(weights > 24 and 0.8 * size < weights < 1.05 * size, f"{name}: weights {weights} MiB of a file of {size}")
        check(weights < peak < weights + cache + workspace + 12, f"{name}: the peak is {peak} MiB: {done.stderr}")


def check_refused():
    """Whatever is wrong: a sentence, exit code 1, and nothing else."""
    def refused(what, *arguments, says=""):
        done = subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True)
        sentence = done.stderr.startswith("llm: ") and done.stderr.count("\n") == 1 and says in done.stderr
        check(done.returncode == 1 and sentence and done.stdout == "", f"{what}: {done}")

    vocabularies = models.vocabularies(ROOT)
    write = lambda *arguments: models.write(quantiser, MODEL, *arguments)  # noqa: E731
    write("llama", vocabularies["spm"])
    whole = MODEL.read_bytes()
    for size in (0, 3, 24, 200, 5000, 40000, len(whole) // 2, len(whole) - 70000):
        (FOLDER / "cut").write_bytes(whole[:size])
        refused(f"{size} bytes", FOLDER / "cut", "-p", "x")
    refused("no file", FOLDER / "none", "-p", "x", says="No such file")
    refused("a folder", FOLDER, "-p", "x")
    refused("no prompt", MODEL, "-p", "", "-c", "0")
    refused("too long", MODEL, "-p", "x", "-n", 5000, says="positions")
    refused("cache", MODEL, "-p", "x", "--cache", "f64", says="f64")
    refused("option", MODEL, "--what", says="--what")
    for old, new, says in ((b"llama.block_count", b"llama.block_kount", "block_count"),
                           (b"blk.1.ffn_down.weight", b"blk.1.ffn_town.weight", "ffn_down"),
                           (b"\x05\0\0\0\0\0\0\0llama", b"\x05\0\0\0\0\0\0\0lama2", "architecture 'lama2'")):
        check(old in whole, old)
        MODEL.write_bytes(whole.replace(old, new, 1))
        refused(new, MODEL, "-p", "x", says=says)
    write("llama", vocabularies["spm"], "F32", models.Sizes(), [("add_embedding_length", 2**31)])
    refused("width", MODEL, "-p", "x", says="embedding_length")
    write("qwen2", {**vocabularies["qwen2"], "pre": "unheard-of"})
    refused("pre-tokenizer", MODEL, "-p", "x", says="unheard-of")


quantiser, MODEL = models.Quantiser(TREE), FOLDER / "model.gguf"
TRAINED = ROOT / "examples/llm/model"
TEXT = (ROOT / "examples/tiny_lm/gospels.txt").read_bytes()
PARTS = {"tokens": compare_tokens, "architectures": compare_architectures, "types": compare_types,
         "caches": compare_caches, "bench": check_bench,
         "agreement": lambda: compare_bench(os.environ.get("KAI_BENCH")),
         "text": compare_long_text, "trained": compare_trained, "generated": compare_generated,
         "memory": lambda: check_packed_and_memory(os.environ.get("KAI_GGUF")),
         "peaks": check_memory, "refused": check_refused}
if PART in ("emulated", "arm64"):
    compare_architectures(("llama", "qwen3moe", "gemma2"), 100)
    compare_types(("F16", "BF16", "Q8_0", "Q4_0", "Q4_K", "Q6_K", "IQ2_S"), 60)
    compare_trained(1, 0.97)
    if PART == "emulated":
        PARTS["memory"]()
else:
    for part in PARTS if PART == "native" else [PART]:
        PARTS[part]()
raise SystemExit(1 if failures else 0)
