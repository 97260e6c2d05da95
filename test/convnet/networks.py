"""Networks of npm packages and what the test of examples/convnet gives them.

SPDX-License-Identifier: Apache-2.0
"""
import math
import random

TEXT = "2026-11-28"
# Digits of 5 x 7 pixels, rows from above, the leftmost pixel in the highest bit.
GLYPHS = {"0": "0e11131519110e", "1": "040c040404040e", "2": "0e11010204081f", "6": "0608101e11110e",
          "8": "0e11110e11110e", "-": "0000001f000000"}


def draw_text(height, width, left, top, scale):
    """TEXT in black on white paper with some noise, three planes, from -1 to 1. (On paper without noise the detector's
    results are ill-conditioned: those of ONNX Runtime depend on its optimisation level.)"""
    noise = random.Random(4)
    plane = [noise.uniform(0.8, 1) for _ in range(height * width)]
    for i, letter in enumerate(TEXT):
        rows = bytes.fromhex(GLYPHS[letter])
        for y in range(7 * scale):
            for x in range(5 * scale):
                if rows[y // scale] >> (4 - x // scale) & 1:
                    plane[(top + y) * width + left + i * 6 * scale + x] = noise.uniform(-1, -0.8)
    return plane * 3


def read_text(scores, keys):
    """The best class of each step, without repetitions and blanks (class 0)."""
    classes = len(keys) + 2
    best = [max(range(classes), key=lambda c, at=at: scores[at + c]) for at in range(0, len(scores), classes)]
    letters = [""] + keys + [" "]
    return "".join(letters[c] for i, c in enumerate(best) if i == 0 or best[i - 1] != c)


def networks(few):
    """(file, inputs: name -> (type, shape, elements)); `few`: the fastest ones."""
    noise = random.Random(3)

    def real(*shape):
        return ("float32", shape, [noise.uniform(-1, 1) for _ in range(math.prod(shape))])

    def rate(hertz):
        return ("int64", (), [hertz])

    wake, voice, ocr = "openwakeword/models/", "vad/dist/", "ocr/assets/"
    yield wake + "alexa_v0.1.onnx", {"onnx::Flatten_0": real(1, 16, 96)}
    yield wake + "hey_jarvis_v0.1.onnx", {"x.1": real(1, 16, 96)}
    yield wake + "hey_mycroft_v0.1.onnx", {"onnx::Flatten_0": real(1, 16, 96)}
    yield wake + "hey_rhasspy_v0.1.onnx", {"onnx::Flatten_0": real(1, 16, 96)}
    yield wake + "timer_v0.1.onnx", {"onnx::Flatten_0": real(1, 34, 96)}
    yield wake + "weather_v0.1.onnx", {"onnx::Flatten_0": real(1, 22, 96)}
    yield wake + "melspectrogram.onnx", {"input": real(1, 4000)}
    for hertz in (8000, 16000):
        state = {"h": real(2, 1, 64), "c": real(2, 1, 64)}
        yield wake + "silero_vad.onnx", {"input": real(1, 1536), "sr": rate(hertz), **state}
        yield voice + "silero_vad_legacy.onnx", {"input": real(3, 512), "sr": rate(hertz), "h": real(2, 3, 64),
                                                 "c": real(2, 3, 64)}
        for version in ("v5", "v6"):
            yield voice + f"silero_vad_{version}.onnx", {"input": real(1, 576 * hertz // 16000),
                                                         "state": real(2, 1, 128), "sr": rate(hertz)}
    yield wake + "embedding_model.onnx", {"input_1": real(1 if few else 2, 76, 32, 1)}
    line = ("float32", (1, 3, 48, 320), draw_text(48, 320, 10, 7, 5))
    yield ocr + "ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": ("float32", (1, 3, 48, 192), draw_text(48, 192, 6, 13, 3))}
    if not few:
        page = ("float32", (1, 3, 160, 320), draw_text(160, 320, 10, 60, 5))
        yield ocr + "ch_PP-OCRv4_det_infer.onnx", {"x": page}
        yield ocr + "ch_PP-OCRv4_rec_infer.onnx", {"x": line}
