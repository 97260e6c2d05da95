#!/usr/bin/env python3
"""Trains a small model of the llama architecture on a text, and writes it as a GGUF file of f32.

    train.py TEXT MODEL.gguf [--held-out FILE] [--steps N] [--rows N] [--threads N]

README.md says which text, and what comes out. Needs PyTorch (1.13 suffices). The text has a verse in each line and an
empty line between chapters; each 40th chapter is held out: the model is not trained on it.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import math
import re
import struct
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

TOKENS = 2048
WIDTH, LAYERS, HEADS, KV_HEADS, INNER, CONTEXT = 256, 6, 4, 2, 768, 256
HEAD = WIDTH // HEADS
EPSILON, ROPE_BASE = 1e-5, 10000.0
END = "<|endoftext|>"  # of a chapter; begins a text, too
HELD_OUT = 40  # each such chapter


# ---- Tokens: byte-level BPE, as GPT-2 has it

# The pre-tokenizer "gpt-2", for texts of ASCII.
WORD = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")


def letters_of_bytes():
    """The character that stands for each byte in the vocabulary: itself if it can be seen, else one from U+0100 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {b: chr(b) for b in seen}
    for b in range(256):
        letters.setdefault(b, chr(0x100 + len(letters) - len(seen)))
    return letters


def train_bpe(text, size):
    """The merges that make `size` tokens of bytes: always the most frequent pair, of equals the first in order."""
    letters = letters_of_bytes()
    counts = collections.Counter(WORD.findall(text))
    words = [([letters[b] for b in word.encode()], n) for word, n in sorted(counts.items())]
    pairs, places = collections.Counter(), collections.defaultdict(set)
    for i, (parts, n) in enumerate(words):
        for pair in zip(parts, parts[1:]):
            pairs[pair] += n
            places[pair].add(i)
    merges = []
    while len(merges) < size:
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for i in sorted(places[best]):
            parts, n = words[i]
            for pair in zip(parts, parts[1:]):
                pairs[pair] -= n
            at = 0
            while at + 1 < len(parts):
                if (parts[at], parts[at + 1]) == best:
                    parts[at:at + 2] = ["".join(best)]
                at += 1
            for pair in zip(parts, parts[1:]):
                pairs[pair] += n
                places[pair].add(i)
        del pairs[best]
    return merges


class Vocabulary:
    def __init__(self, text):
        letters = letters_of_bytes()
        self.merges = train_bpe(text, TOKENS - len(letters) - 1)
        self.texts = [letters[b] for b in range(256)] + ["".join(pair) for pair in self.merges] + [END]
        self.end = TOKENS - 1
        self.letters, self.known = letters, {}
        self.ranks = {pair: i for i, pair in enumerate(self.merges)}
        self.numbers = {text: i for i, text in enumerate(self.texts)}

    def encode(self, text):
        return [token for word in WORD.findall(text) for token in self.encode_word(word)]

    def encode_word(self, word):
        if word not in self.known:
            parts = [self.letters[b] for b in word.encode()]
            while len(parts) > 1:
                rank, at = min((self.ranks.get(pair, TOKENS), i) for i, pair in enumerate(zip(parts, parts[1:])))
                if rank == TOKENS:
                    break
                parts[at:at + 2] = ["".join(parts[at:at + 2])]
            self.known[word] = [self.numbers[part] for part in parts]
        return self.known[word]


# ---- The network

class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * self.weight


FREQUENCIES = ROPE_BASE ** (-torch.arange(0, HEAD, 2, dtype=torch.float32) / HEAD)
ANGLES = torch.arange(CONTEXT, dtype=torch.float32)[:, None] * FREQUENCIES
COS, SIN = ANGLES.cos(), ANGLES.sin()
HIDDEN = torch.full((CONTEXT, CONTEXT), -math.inf).triu(1)  # later positions


def rotate(x):
    """Rotary positions of neighbouring elements. x: [..., CONTEXT, HEAD]."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * COS - odd * SIN, even * SIN + odd * COS), -1).flatten(-2)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn_norm, self.ffn_norm = Norm(), Norm()
        linear = lambda k, n: nn.Linear(k, n, bias=False)
        self.attn_q, self.attn_output = linear(WIDTH, HEADS * HEAD), linear(HEADS * HEAD, WIDTH)
        self.attn_k, self.attn_v = linear(WIDTH, KV_HEADS * HEAD), linear(WIDTH, KV_HEADS * HEAD)
        self.ffn_gate, self.ffn_up, self.ffn_down = linear(WIDTH, INNER), linear(WIDTH, INNER), linear(INNER, WIDTH)

    def attention(self, x):
        batch, positions, _ = x.shape
        heads = lambda y, count: y.view(batch, positions, count, HEAD).transpose(1, 2)
        q, k, v = heads(self.attn_q(x), HEADS), heads(self.attn_k(x), KV_HEADS), heads(self.attn_v(x), KV_HEADS)
        q, k = rotate(q), rotate(k)
        k, v = (y.repeat_interleave(HEADS // KV_HEADS, 1) for y in (k, v))
        scores = q / math.sqrt(HEAD) @ k.transpose(-1, -2) + HIDDEN
        return self.attn_output((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, positions, -1))

    def forward(self, x, dropout):
        drop = lambda y: F.dropout(y, dropout, self.training)
        x = x + drop(self.attention(self.attn_norm(x)))
        y = self.ffn_norm(x)
        return x + drop(self.ffn_down(F.silu(self.ffn_gate(y)) * self.ffn_up(y)))


class Network(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = dropout
        self.token_embd = nn.Embedding(TOKENS, WIDTH)  # also the output
        self.blk = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.output_norm = Norm()
        for name, p in self.named_parameters():
            if p.dim() == 2:
                last = name.endswith(("attn_output.weight", "ffn_down.weight"))
                nn.init.normal_(p, std=0.02 / (math.sqrt(2 * LAYERS) if last else 1))

    def forward(self, tokens):
        x = F.dropout(self.token_embd(tokens), self.dropout, self.training)
        for layer in self.blk:
            x = layer(x, self.dropout)
        return self.output_norm(x) @ self.token_embd.weight.T

    def loss(self, tokens):
        """Of all tokens but the first of each row, in nats."""
        return F.cross_entropy(self(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


# ---- The file

def write_gguf(path, network, vocabulary):
    """GGUF version 3."""
    string = lambda s: struct.pack("<Q", len(s.encode())) + s.encode()
    u32 = lambda value: struct.pack("<II", 4, value)
    f32 = lambda value: struct.pack("<If", 6, value)
    flag = lambda value: struct.pack("<I?", 7, value)
    text = lambda value: struct.pack("<I", 8) + string(value)
    texts = lambda values: struct.pack("<IIQ", 9, 8, len(values)) + b"".join(map(string, values))
    numbers = lambda values: struct.pack("<IIQ", 9, 5, len(values)) + struct.pack(f"<{len(values)}i", *values)
    keys = {
        "general.architecture": text("llama"),
        "general.name": text("King James"),
        "general.license": text("apache-2.0"),
        "llama.block_count": u32(LAYERS),
        "llama.context_length": u32(CONTEXT),
        "llama.embedding_length": u32(WIDTH),
        "llama.feed_forward_length": u32(INNER),
        "llama.attention.head_count": u32(HEADS),
        "llama.attention.head_count_kv": u32(KV_HEADS),
        "llama.attention.layer_norm_rms_epsilon": f32(EPSILON),
        "llama.rope.dimension_count": u32(HEAD),
        "llama.rope.freq_base": f32(ROPE_BASE),
        "llama.vocab_size": u32(TOKENS),
        "tokenizer.ggml.model": text("gpt2"),
        "tokenizer.ggml.pre": text("gpt-2"),
        "tokenizer.ggml.tokens": texts(vocabulary.texts),
        "tokenizer.ggml.token_type": numbers([1] * (TOKENS - 1) + [3]),
        "tokenizer.ggml.merges": texts([" ".join(pair) for pair in vocabulary.merges]),
        "tokenizer.ggml.bos_token_id": u32(vocabulary.end),
        "tokenizer.ggml.eos_token_id": u32(vocabulary.end),
        "tokenizer.ggml.add_bos_token": flag(True),
    }
    tensors = [(name, p.detach().numpy().astype("<f4")) for name, p in network.named_parameters()]
    header = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(keys))
    header += b"".join(string(key) + value for key, value in keys.items())
    at = 0
    for name, values in tensors:
        shape = values.shape[::-1]
        header += string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at)
        at += values.nbytes  # always a multiple of 32
    with open(path, "wb") as out:
        out.write(header + bytes(-len(header) % 32))
        for _, values in tensors:
            out.write(values.tobytes())


# ---- Training

def read(path):
    """Chapters to train on, and those that are held out."""
    with open(path, encoding="ascii") as file:
        chapters = [chapter.strip() + "\n" for chapter in file.read().split("\n\n") if chapter.strip()]
    held_out = chapters[HELD_OUT - 1::HELD_OUT]
    return [c for i, c in enumerate(chapters) if i % HELD_OUT != HELD_OUT - 1], held_out


def stream(vocabulary, chapters):
    """One after the other, an end before each."""
    return np.array([t for chapter in chapters for t in (vocabulary.end, *vocabulary.encode(chapter))], np.int64)


@torch.no_grad()
def bits_per_character(network, tokens, characters):
    network.eval()
    rows = torch.tensor(tokens[:(len(tokens) - 1) // CONTEXT * CONTEXT + 1])
    rows = torch.stack([rows[i:i + CONTEXT + 1] for i in range(0, len(rows) - 1, CONTEXT)])
    nats = sum(network.loss(part).item() * part.shape[0] for part in rows.split(32)) / len(rows)
    network.train()
    return nats, nats / math.log(2) * len(tokens) / characters


def rate(step, steps, most):
    """Of learning: rises for 100 steps, then falls to a hundredth along a cosine."""
    return most * (min(1, (step + 1) / 100) * (0.505 + 0.495 * math.cos(math.pi * step / steps)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("text")
    parser.add_argument("model")
    parser.add_argument("--held-out", help="where to write the chapters that are held out")
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--rows", type=int, default=8, help="of each step")
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(options.threads)
    random = np.random.default_rng(1)

    chapters, held_out = read(options.text)
    vocabulary = Vocabulary("".join(chapters))
    tokens, unseen = stream(vocabulary, chapters), stream(vocabulary, held_out)
    characters = sum(map(len, held_out))
    if options.held_out:
        with open(options.held_out, "w", encoding="ascii") as file:
            file.write("\n".join(held_out))
    network = Network(options.dropout)
    weights = sum(p.numel() for p in network.parameters())
    print(f"{weights} weights, {len(tokens)} tokens, {len(unseen)} held out", flush=True)

    decayed = [p for p in network.parameters() if p.dim() == 2]
    others = [p for p in network.parameters() if p.dim() != 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.95))
    began, mean = time.time(), 0
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = rate(step, options.steps, options.rate)
        starts = random.integers(0, len(tokens) - CONTEXT - 1, options.rows)
        loss = network.loss(torch.tensor(np.stack([tokens[s:s + CONTEXT + 1] for s in starts])))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        mean += (loss.item() - mean) / min(step + 1, 50)
        if (step + 1) % 100 == 0 or step + 1 == options.steps:
            nats, bits = bits_per_character(network, unseen, characters)
            print(f"step {step + 1}, {time.time() - began:.0f} s: {mean:.3f} nats per token, held out {nats:.3f}, "
                  f"{bits:.3f} bits per character", flush=True)
            write_gguf(options.model, network, vocabulary)


if __name__ == "__main__":
    main()
