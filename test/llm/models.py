"""Model files with random weights, written by the Python package of GGUF.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes as C
import platform

import gguf
import numpy as np

import texts


def vocabularies(root):
    """Name -> what tokenizer.ggml.* says."""
    spm = texts.spm(root, np.random.default_rng(2), 2000)
    bpe = texts.bpe(root, np.random.default_rng(3), 2000)
    named = {"spm": {"model": "llama", "spm": spm}, "spm-plain": {"model": "llama", "spm": spm, "plain": True}}
    for pre in ("llama-bpe", "qwen2", "default", "gpt-2"):
        named[pre] = {"model": "gpt2", "pre": pre, "bpe": bpe}
    return named


def add_vocabulary(writer, vocabulary):
    writer.add_tokenizer_model(vocabulary["model"])
    if "spm" in vocabulary:
        tokens, scores, types = vocabulary["spm"]
        writer.add_token_scores(scores)
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        if vocabulary.get("plain"):  # gemma: no space before the text; EOS after it, for the test
            writer.add_add_space_prefix(False)
            writer.add_add_eos_token(True)
    else:
        tokens, types, merges = vocabulary["bpe"]
        writer.add_tokenizer_pre(vocabulary["pre"])
        writer.add_token_merges(merges)
        writer.add_bos_token_id(len(tokens) - 2)
        writer.add_eos_token_id(len(tokens) - 4)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    return len(tokens)


def write_vocabulary(path, vocabulary):
    """A file without tensors of layers, for tokens alone."""
    writer = gguf.GGUFWriter(path, "llama")
    add_vocabulary(writer, vocabulary)
    writer.add_context_length(64)
    writer.add_embedding_length(32)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tensor("token_embd.weight", np.zeros((4, 32), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


CODEBOOKS = ["IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ3_S", "IQ2_S", "IQ1_M"]
# Files of these types have embeddings and outputs of floats.
RAW = [*CODEBOOKS, "NVFP4", "Q1_0", "Q2_0", "TQ1_0", "TQ2_0", "MXFP4", "Q2_K", "Q3_K"]


class Quantiser:
    """ggml's quantisers. tree: the unpacked packages."""

    def __init__(self, tree):
        library = C.CDLL(f"{tree}/usr/lib/{platform.machine()}-linux-gnu/libggml-base.so.0", mode=C.RTLD_GLOBAL)
        self.chunk = library.ggml_quantize_chunk
        self.chunk.restype, self.chunk.argtypes = C.c_size_t, [C.c_int, *[C.c_void_p] * 2, *[C.c_int64] * 3, C.c_void_p]

    def __call__(self, floats, name, rng):
        """Rows of blocks. Those of codebooks are random bits: their quantisers take seconds to start."""
        kind = gguf.GGMLQuantizationType[name]
        weights, size = gguf.GGML_QUANT_SIZES[kind]
        rows = np.zeros((*floats.shape[:-1], floats.shape[-1] // weights * size), np.uint8)
        if name not in CODEBOOKS:
            floats = np.ascontiguousarray(floats, np.float32)
            self.chunk(kind, floats.ctypes.data, rows.ctypes.data, 0, floats.size // floats.shape[-1],
                       floats.shape[-1], None)
            return rows.view({"F32": np.float32, "F16": np.float16}.get(name, np.uint8)), kind
        blocks = rng.integers(0, 256, (rows.size // size, size), np.uint8)
        if name == "IQ1_M":  # the scale is in four nibbles, the upper one last
            blocks[:, 53], blocks[:, 55] = blocks[:, 53] & 0x3F, 0x20 | blocks[:, 55] & 7
        else:  # an f16 from 2^-7 to 2^-6, then scaled by a power of 2 so that weights spread as the floats do
            blocks[:, 1] = 0x20 | blocks[:, 1] & 3
            spread = gguf.quants.dequantize(blocks[:64].reshape(1, -1), kind).std()
            blocks[:, 1] += np.uint8(4 * round(float(np.log2(floats.std() / spread))) & 0xFF)
        return blocks.reshape(rows.shape), kind


class Sizes:
    """Odd, but rows of matrices are whole blocks of every type: 256."""

    def __init__(self, **changed):
        self.layers, self.width, self.inner, self.heads, self.kv_heads, self.size = 2, 256, 512, 4, 2, 64
        self.experts, self.used, self.context = 0, 0, 4096
        self.__dict__.update(changed)


def write(quantised, path, architecture, vocabulary, kind="F32", sizes=None, keys=(), seed=1, norm=1.0, output=None):
    """A model with random weights of the type `kind`. keys: (method of the writer, value); output: another type."""
    s, rng = sizes or Sizes(), np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, architecture)
    count = add_vocabulary(writer, vocabulary)
    writer.add_vocab_size(count)
    writer.add_context_length(s.context)
    writer.add_embedding_length(s.width)
    writer.add_block_count(s.layers)
    writer.add_feed_forward_length(s.inner)
    writer.add_head_count(s.heads)
    writer.add_head_count_kv(s.kv_heads)
    writer.add_key_length(s.size)
    writer.add_value_length(s.size)
    writer.add_rope_dimension_count(s.size)
    writer.add_layer_norm_rms_eps(1e-6)
    if s.experts:
        writer.add_expert_count(s.experts)
        writer.add_expert_used_count(s.used)
        if architecture == "qwen3moe":
            writer.add_expert_feed_forward_length(s.inner)
    for method, value in keys:
        getattr(writer, method)(value)

    def matrix(name, *shape, as_type=None, scale=1.0):
        floats = rng.standard_normal(shape, np.float32) * np.float32(scale / np.sqrt(shape[-1]))
        data, number = quantised(floats, as_type or kind, rng)
        writer.add_tensor(name + ".weight", data, raw_dtype=number)

    def vector(name, size, around=1.0, spread=0.2):
        writer.add_tensor(name, (around + spread * rng.standard_normal(size)).astype(np.float32))

    gemma = architecture.startswith("gemma")
    q, kv = s.heads * s.size, s.kv_heads * s.size
    matrix("token_embd", count, s.width, as_type="F32" if kind in RAW else None, scale=4.0)
    vector("output_norm.weight", s.width, norm)
    if not gemma and architecture != "qwen2":  # those use the embeddings again
        matrix("output", count, s.width, as_type="F32" if kind in RAW else output, scale=2.0)
    for i in range(s.layers):
        block = f"blk.{i}."
        vector(block + "attn_norm.weight", s.width, norm)
        vector(block + "ffn_norm.weight", s.width, norm)
        if architecture == "gemma2":
            vector(block + "post_attention_norm.weight", s.width, norm)
            vector(block + "post_ffw_norm.weight", s.width, norm)
        if architecture in ("qwen3", "qwen3moe"):
            vector(block + "attn_q_norm.weight", s.size, 1.5)
            vector(block + "attn_k_norm.weight", s.size, 1.5)
        if architecture == "phi3":
            matrix(block + "attn_qkv", q + 2 * kv, s.width)
            matrix(block + "ffn_up", 2 * s.inner, s.width)
        else:
            matrix(block + "attn_q", q, s.width)
            matrix(block + "attn_k", kv, s.width)
            matrix(block + "attn_v", kv, s.width)
        if architecture == "qwen2":
            for letter, size in (("q", q), ("k", kv), ("v", kv)):
                vector(block + f"attn_{letter}.bias", size, 0.0)
        matrix(block + "attn_output", s.width, q)
        if s.experts:
            matrix(block + "ffn_gate_inp", s.experts, s.width, as_type="F32", scale=3.0)
            matrix(block + "ffn_gate_exps", s.experts, s.inner, s.width)
            matrix(block + "ffn_up_exps", s.experts, s.inner, s.width)
            matrix(block + "ffn_down_exps", s.experts, s.width, s.inner)
        else:
            if architecture != "phi3":
                matrix(block + "ffn_gate", s.inner, s.width)
                matrix(block + "ffn_up", s.inner, s.width)
            matrix(block + "ffn_down", s.width, s.inner)
    for name, values in getattr(s, "tensors", {}).items():
        writer.add_tensor(name, np.asarray(values, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()



def architectures():
    """Name -> architecture, vocabulary, sizes, keys: each with something that the others lack."""
    yarn = [("add_rope_scaling_type", gguf.RopeScalingType.YARN), ("add_rope_scaling_factor", 4.0),
            ("add_rope_scaling_orig_ctx_len", 64)]
    linear = [("add_rope_scaling_type", gguf.RopeScalingType.LINEAR), ("add_rope_scaling_factor", 2.5)]
    moe = {"experts": 5, "used": 2, "inner": 256}
    long = {"tensors": {"rope_factors_short.weight": np.linspace(1, 3, 32),
                        "rope_factors_long.weight": np.linspace(1, 9, 32)}}
    return {
        "llama": ("llama", "spm", Sizes(), []),
        "llama 3": ("llama", "llama-bpe", Sizes(tensors={"rope_freqs.weight": np.linspace(1, 8, 32)}),
                    [("add_rope_freq_base", 500000.0)]),
        "llama, linear": ("llama", "spm", Sizes(heads=6, kv_heads=3, size=40), linear),
        "llama, yarn": ("llama", "spm", Sizes(), [*yarn, ("add_rope_scaling_attn_factors", 1.3)]),
        "mixtral": ("llama", "spm", Sizes(**moe), []),
        "qwen2": ("qwen2", "qwen2", Sizes(), [("add_rope_freq_base", 1e6)]),
        "qwen3": ("qwen3", "qwen2", Sizes(size=96), [("add_rope_freq_base", 1e6)]),
        "qwen3moe": ("qwen3moe", "qwen2", Sizes(**moe), []),
        "gemma": ("gemma", "spm-plain", Sizes(kv_heads=1, size=128), []),
        "gemma2": ("gemma2", "spm-plain", Sizes(), [
            ("add_sliding_window", 40), ("add_attn_logit_softcapping", 5.0), ("add_final_logit_softcapping", 3.0)]),
        "phi3": ("phi3", "spm", Sizes(**long), [("add_rope_scaling_orig_ctx_len", 1024),
                                                ("add_rope_scaling_attn_factors", 1.19)]),
        "phi3, long": ("phi3", "spm", Sizes(**long), [("add_rope_scaling_orig_ctx_len", 128),
                                                      ("add_rope_scaling_attn_factors", 1.19)]),
    }


# Largest difference of a logit, in standard deviations of those of its position. Both round activations to 8 bits
# where weights have at most 8, not in the same way.
TYPES = {"F32": 2e-4, "F16": 2e-2, "BF16": 5e-2, "Q8_0": 0.1, "Q4_0": 0.2, "Q4_1": 0.2, "Q5_0": 0.2, "Q5_1": 0.2,
         "Q2_K": 0.2, "Q3_K": 0.2, "Q4_K": 0.2, "Q5_K": 0.2, "Q6_K": 0.2, "IQ4_NL": 0.2, "IQ4_XS": 0.2,
         "TQ1_0": 0.2, "TQ2_0": 0.2, "MXFP4": 0.2, "NVFP4": 0.2, "Q1_0": 0.2, "Q2_0": 0.2,
         **{name: 0.4 for name in CODEBOOKS}}
