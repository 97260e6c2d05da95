"""Texts for tokenizers, and vocabularies that were made of such texts.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re

WORDS = """café naïve Straße ÆØÅ İstanbul привет мир Ελλάδα שלום مرحبا हिन्दी ไทย 你好世界 日本語テキスト 한국어 Ａｂｃ ﬁne
1 22 333 4444 55555 1234567890 3.14159 ²³ ½ Ⅷ ٣٤٥ don't we'll I'VE it'S they're he'd I'm 'tis o'clock x'y
😀 👩‍👩‍👧‍👦 🇩🇪 ❤️ 👍🏽 ∑∫ → € £5 ©® «quoted» “curly” ‘single’ — … · ¿qué? ¡sí! # $x == != <= -> :: /* */ // && || ^ ~ ` @
it'The 'They 'Then 'That 'So 'Said 'Mount 'Lord 'Day 'Thou 'llama 'tree
int main() { return 0; } std::vector<float> x[3]; if(a<b) foo_bar += 0xFF; #include <cstdio> \\n \\t
<s> </s> <unk> <|end|> <|user|> <tool> <0x41> ▁ ▁▁ Ġ e\u0301 \u200b \u00a0 \u3000 \ufeff
\U0001F9D1\u200d\U0001F4BB \U000E0001
""".split()
SOURCES = ("examples/tiny_lm/gospels.txt", "examples/tiny_lm/train.cpp")
GAPS = [" ", " ", " ", " ", "  ", "   ", "\t", "", "\n", "\n\n", " \n", "\r\n", "\u00a0", "\u2003", "     "]


def lines(root, rng, count):
    """Lines of the tree, words of the list above in random order, random code points."""
    tree = []
    for path in ("examples/tiny_lm/gospels.txt", "README.md", "examples/tiny_lm/train.cpp", "tools/lint.py"):
        tree += [line for line in (root / path).read_text().split("\n") if line]
    texts = [tree[i] for i in rng.choice(len(tree), count // 2, replace=False)]
    while len(texts) < count - count // 10:
        words = rng.choice(WORDS, rng.integers(1, 12))
        texts.append("".join(str(word) + str(rng.choice(GAPS)) for word in words))
    while len(texts) < count:
        points = rng.integers(1, rng.choice([0x80, 0x800, 0x3000, 0x20000]), rng.integers(1, 30))
        texts.append("".join(chr(point) for point in points if not 0xD800 <= point < 0xE000))
    return [text.encode() for text in texts]


def pieces_of(root, rng, count):
    """[(left, right)]: words of the tree, cut at random places again and again. Parts come before what they make."""
    text = " ".join((root / path).read_text() for path in SOURCES)
    common = collections.Counter(re.findall(r" ?\w+| ?[^\w\s]+|\s+", text + " ".join(WORDS * 40)))
    joined, known = [], set()

    def cut(word):
        if len(word) < 2 or word in known:
            return
        known.add(word)
        at = int(rng.integers(1, len(word)))
        cut(word[:at])
        cut(word[at:])
        joined.append((word[:at], word[at:]))

    for word, _ in common.most_common(count):
        cut(word[:12])
    return joined[:count]


def spm(root, rng, count):
    """Tokens, scores and types as SentencePiece has them. Emoji and most of CJK are left to tokens of bytes."""
    tokens, scores, types = ["<unk>", "<s>", "</s>"], [0.0] * 3, [2, 3, 3]
    for byte in range(256):
        tokens.append(f"<0x{byte:02X}>"), scores.append(0.0), types.append(6)
    for text, kind in (("<|end|>", 3), ("<|user|>", 3), ("<tool>", 4)):
        tokens.append(text), scores.append(0.0), types.append(kind)
    seen = set(tokens)
    pairs = pieces_of(root, rng, count)
    words = [left + right for left, right in pairs]
    for rank, text in enumerate(words + sorted({c for word in words for c in word if ord(c) < 0x2000} - set(words))):
        text = text.replace(" ", "▁")
        if text not in seen:
            seen.add(text)
            tokens.append(text), scores.append(-float(rank)), types.append(1)
    return tokens[:count], scores[:count], types[:count]


def byte_characters():
    """The characters that stand for bytes in vocabularies of byte-level BPE."""
    characters, more = [], 256
    for byte in range(256):
        itself = 33 <= byte <= 126 or 161 <= byte <= 172 or 174 <= byte
        characters.append(chr(byte if itself else more))
        more += not itself
    return characters


def bpe(root, rng, count):
    """Tokens, types and merges. The last token before the special ones is a word that no merge makes."""
    characters = byte_characters()
    tokens, merges = list(characters), []
    specials = ["<|end|>", "<|user|>", "<s>", "<tool>"]
    known = set(tokens)

    def as_characters(text):
        return "".join(characters[byte] for byte in text.encode())

    for left, right in pieces_of(root, rng, count):
        for text in (left, right):  # characters of several bytes are joined first
            joined = as_characters(text)[:1]
            for character in as_characters(text)[1:]:
                if len(text) == 1 and joined + character not in known:
                    merges.append(f"{joined} {character}")
                    known.add(joined + character), tokens.append(joined + character)
                joined += character
        left, right = as_characters(left), as_characters(right)
        if left in known and right in known and left + right not in known:
            merges.append(f"{left} {right}")
            known.add(left + right), tokens.append(left + right)
    tokens, merges = tokens[:count - 5], merges[:count - 5 - 256]
    tokens.append(next(text for text in map(as_characters, ("Philippi", "circumcision")) if text not in known))
    types = [1] * len(tokens) + [3, 3, 3, 4]
    return tokens + specials, types, merges
