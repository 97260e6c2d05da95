// Writes what ONNX Runtime computes, for onnx_test.cpp: node write.js MODULES FOLDER SEED. MODULES is the folder with
// onnxruntime-node. Models have one node, MatMulNBits, MatMulInteger or DynamicQuantizeMatMul, or two, Cast, and are
// written here, field by field (onnx.proto).
//
// <i>.case, MatMulNBits: int32 m, n, k, bl, scale type (0 f32, 1 f16), zero points (0 none), exact; then A (f32), B,
// scales, zero points, C (f32).
// <i>.integer, MatMulInteger: int32 m, n, k, A is int8, B is int8, zero points of A (0 or 1) and of B (0, 1 or n); then
// A, B (K x N), zero points of A, of B, C (int32).
// <i>.dynamic, DynamicQuantizeMatMul: int32 m, n, k, B is int8, scales of B (1 or n), zero points of B (0, 1 or n),
// bias (0 or n); then A (f32), B (K x N), scales, zero points, bias, C (f32).
// <i>.codes, Cast: what all codes of E4M3 and E5M2 are (f32, 256 each); int32 count, so many f32 of at most 448, and
// what they are as E4M3.
//
// SPDX-License-Identifier: Apache-2.0
"use strict";
const fs = require("fs");
const path = require("path");

const [modules, folder, seed] = process.argv.slice(2);
const ort = require(path.resolve(modules, "onnxruntime-node"));

// ---- protocol buffers ----

function varint(value) {
    const bytes = [];
    for (let x = BigInt(value); ; x >>= 7n) {
        if (x < 128n) {
            bytes.push(Number(x));
            return Buffer.from(bytes);
        }
        bytes.push(Number(x & 127n) | 128);
    }
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
function bytes(field, content) {
    const data = typeof content === "string" ? Buffer.from(content) : content;
    return Buffer.concat([varint(field << 3 | 2), varint(data.length), data]);
}
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

const FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6, FLOAT16 = 10, F8E4M3 = 17, F8E5M2 = 19;

function tensor(name, type, dims, data) {
    return message(5, ...dims.map(d => number(1, d)), number(2, type), bytes(8, name), bytes(9, data));
}
function value(field, name, type, dims) {
    const shape = message(2, ...dims.map(d => message(1, number(1, d))));
    return message(field, bytes(1, name), message(2, message(1, number(1, type), shape)));
}
const integer = (name, x) => message(5, bytes(1, name), number(3, x), number(20, 2));

function model(c, b, scales, points) {
    const type = c.f16 ? FLOAT16 : FLOAT, blocks = c.k / c.bl;
    const inputs = ["A", "B", "scales", ...(points ? ["zero_points"] : [])];
    const node = message(1, ...inputs.map(x => bytes(1, x)), bytes(2, "C"), bytes(4, "MatMulNBits"),
        integer("K", c.k), integer("N", c.n), integer("bits", 4), integer("block_size", c.bl),
        bytes(7, "com.microsoft"));
    const graph = message(7, node, bytes(2, "g"), tensor("B", UINT8, [c.n, blocks, c.bl / 2], b),
        tensor("scales", type, [c.n * blocks], scales),
        ...(points ? [tensor("zero_points", UINT8, [c.n * Math.ceil(blocks / 2)], points)] : []),
        value(11, "A", type, [c.m, c.k]), value(12, "C", type, [c.m, c.n]));
    const opset = (domain, version) => message(8, bytes(1, domain), number(2, version));
    return Buffer.concat([number(1, 8), graph, opset("", 17), opset("com.microsoft", 1)]);
}

function integerModel(c, b, zeroA, zeroB) {
    const typeA = c.signedA ? INT8 : UINT8, typeB = c.signedB ? INT8 : UINT8;
    // Of inputs that are left out, those before others have an empty name.
    const inputs = ["A", "B", ...(zeroA.length + zeroB.length ? [zeroA.length ? "a_zero_point" : ""] : []),
        ...(zeroB.length ? ["b_zero_point"] : [])];
    const node = message(1, ...inputs.map(x => bytes(1, x)), bytes(2, "C"), bytes(4, "MatMulInteger"));
    const graph = message(7, node, bytes(2, "g"), tensor("B", typeB, [c.k, c.n], b),
        ...(zeroA.length ? [tensor("a_zero_point", typeA, [], zeroA)] : []),
        ...(zeroB.length ? [tensor("b_zero_point", typeB, zeroB.length > 1 ? [c.n] : [], zeroB)] : []),
        value(11, "A", typeA, [c.m, c.k]), value(12, "C", INT32, [c.m, c.n]));
    return Buffer.concat([number(1, 8), graph, message(8, bytes(1, ""), number(2, 17))]);
}

function dynamicModel(c, b, scales, zeros, bias) {
    const type = c.signedB ? INT8 : UINT8, dims = count => count > 1 ? [count] : [];
    const inputs = ["A", "B", "b_scale", zeros.length ? "b_zero_point" : "", ...(bias.length ? ["bias"] : [])];
    const node = message(1, ...inputs.map(x => bytes(1, x)), bytes(2, "C"), bytes(4, "DynamicQuantizeMatMul"),
        bytes(7, "com.microsoft"));
    const graph = message(7, node, bytes(2, "g"), tensor("B", type, [c.k, c.n], b),
        tensor("b_scale", FLOAT, dims(scales.length), floats(scales)),
        ...(zeros.length ? [tensor("b_zero_point", type, dims(zeros.length), zeros)] : []),
        ...(bias.length ? [tensor("bias", FLOAT, [c.n], floats(bias))] : []),
        value(11, "A", FLOAT, [c.m, c.k]), value(12, "C", FLOAT, [c.m, c.n]));
    const opset = (domain, version) => message(8, bytes(1, domain), number(2, version));
    return Buffer.concat([number(1, 8), graph, opset("", 17), opset("com.microsoft", 1)]);
}

/// A as another type, which is converted to f32.
function castModel(type, count) {
    const cast = (from, to, type) =>
        message(1, bytes(1, from), bytes(2, to), bytes(4, "Cast"), integer("to", type));
    const graph = message(7, cast("A", "B", type), cast("B", "C", FLOAT), bytes(2, "g"),
        value(11, "A", FLOAT, [count]), value(12, "C", FLOAT, [count]));
    return Buffer.concat([number(1, 9), graph, message(8, bytes(1, ""), number(2, 19))]);
}
/// What all codes of a type are.
function codesModel(type) {
    const codes = Buffer.from(Array.from({length: 256}, (_, i) => i));
    const node = message(1, bytes(1, "B"), bytes(2, "C"), bytes(4, "Cast"), integer("to", FLOAT));
    const graph = message(7, node, bytes(2, "g"), tensor("B", type, [256], codes), value(12, "C", FLOAT, [256]));
    return Buffer.concat([number(1, 9), graph, message(8, bytes(1, ""), number(2, 19))]);
}

// ---- numbers ----

let state = BigInt(seed) * 0x9E3779B97F4A7C15n + 1n;
function random() { // 0 <= x < 1
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xFFFFFFFFFFFFFFFFn;
    return Number(state >> 40n) / 2 ** 24;
}
const below = n => Math.floor(random() * n);
const noise = count => Buffer.from(Array.from({length: count}, () => below(256)));

function f16(x) { // of numbers that are exact in f16, and normal
    const bits = new DataView(new ArrayBuffer(4));
    bits.setFloat32(0, x);
    const u = bits.getUint32(0);
    return x === 0 ? 0 : u >>> 16 & 0x8000 | (u >>> 23 & 255) - 112 << 10 | u >>> 13 & 1023;
}
function f32(u) {
    const e = u >> 10 & 31, f = u & 1023, sign = u & 0x8000 ? -1 : 1;
    return sign * (e === 0 ? f * 2 ** -24 : e === 31 ? (f ? NaN : Infinity) : (1 + f / 1024) * 2 ** (e - 15));
}
const floats = values => Buffer.from(Float32Array.from(values).buffer);
const halves = values => Buffer.from(Uint16Array.from(values, f16).buffer);

async function multiplyIntegers() {
    let count = 0;
    for (const [signedA, signedB] of [[false, false], [false, true], [true, true]]) { // all that it has kernels for
        for (const countA of [0, 1]) {
            for (const columns of [false, true]) {
                for (const countB of columns ? [2] : [0, 1]) {
                    const c = {m: [1, 4, 19][count % 3], n: 17 + count % 9, k: 5 + 29 * (count % 4), signedA, signedB};
                    const a = noise(c.m * c.k), b = noise(c.k * c.n), zeroA = noise(countA);
                    const zeroB = noise(countB === 2 ? c.n : countB);
                    const session =
                        await ort.InferenceSession.create(integerModel(c, b, zeroA, zeroB), {logSeverityLevel: 3});
                    const A = c.signedA ? new ort.Tensor("int8", new Int8Array(a), [c.m, c.k])
                        : new ort.Tensor("uint8", new Uint8Array(a), [c.m, c.k]);
                    const result = (await session.run({A})).C;
                    const header = [c.m, c.n, c.k, c.signedA, c.signedB, zeroA.length, zeroB.length];
                    fs.writeFileSync(path.join(folder, count + ".integer"), Buffer.concat([
                        Buffer.from(Int32Array.from(header).buffer), a, b, zeroA, zeroB,
                        Buffer.from(Int32Array.from(result.data).buffer)]));
                    ++count;
                }
            }
        }
    }
    return count;
}

async function multiplyDynamically() {
    let count = 0;
    for (const signedB of [false, true]) {
        for (const byColumn of [false, true]) {
            for (const hasZeros of [false, true]) {
                for (const hasBias of [false, true]) {
                    const c = {m: [1, 5, 34][count % 3], n: 19 + count % 7, k: 6 + 31 * (count % 4), signedB};
                    const columns = byColumn ? c.n : 1, real = () => (random() - 0.4) * 3;
                    const b = noise(c.k * c.n), zeros = noise(hasZeros ? columns : 0);
                    const a = Float32Array.from({length: c.m * c.k}, real);
                    const scales = Float32Array.from({length: columns}, () => 0.01 + random() / 16);
                    const bias = Float32Array.from({length: hasBias ? c.n : 0}, real);
                    const session = await ort.InferenceSession.create(
                        dynamicModel(c, b, scales, zeros, bias), {logSeverityLevel: 3});
                    const result = (await session.run({A: new ort.Tensor("float32", a, [c.m, c.k])})).C;
                    const header = [c.m, c.n, c.k, signedB, scales.length, zeros.length, bias.length];
                    fs.writeFileSync(path.join(folder, count + ".dynamic"), Buffer.concat([
                        Buffer.from(Int32Array.from(header).buffer), floats(a), b, floats(scales), zeros, floats(bias),
                        floats(result.data)]));
                    ++count;
                }
            }
        }
    }
    return count;
}

async function convert() {
    const run = async (model, inputs) =>
        (await (await ort.InferenceSession.create(model, {logSeverityLevel: 3})).run(inputs)).C.data;
    // Blocks of 32 with 448 among them, which need no scale: halfway between two codes, beside that, and any others.
    const x = Float32Array.from({length: 4096}, (_, i) => {
        const exponent = below(21) - 12, step = 2 ** (Math.max(exponent, -6) - 3), tie = (below(16) + 0.5) * step;
        const size = i % 3 ? (1 + random()) * 2 ** exponent : tie * (1 + (below(3) - 1) / 1024);
        return i % 32 === 5 ? 448 : Math.min(size, 448) * (below(2) ? 1 : -1);
    });
    const parts = [floats(await run(codesModel(F8E4M3), {})), floats(await run(codesModel(F8E5M2), {})),
        Buffer.from(Int32Array.from([x.length]).buffer), floats(x),
        floats(await run(castModel(F8E4M3, x.length), {A: new ort.Tensor("float32", x, [x.length])}))];
    fs.writeFileSync(path.join(folder, "0.codes"), Buffer.concat(parts));
    return 3;
}

async function main() {
    let count = 0;
    for (const bl of [16, 32, 64, 128, 256]) {
        for (const zero of [false, true]) {
            for (const type of [0, 1]) {
                for (const exact of [true, false]) {
                    const c = {m: 1 + count % 3 * 3, n: 24 + count % 5, k: bl * (2 + count % 2), bl, f16: type === 1};
                    const blocks = c.k / bl;
                    const b = noise(c.n * c.k / 2), points = zero ? noise(c.n * Math.ceil(blocks / 2)) : null;
                    // Scales have 8 bits, so that f16 has them.
                    const scaleValues = Array.from({length: c.n * blocks}, () => (128 + below(128)) / 2 ** 12);
                    // Exact when each 32 are quantised to int8: integers with 127 among them. Few bits in f16.
                    const a = Array.from({length: c.m * c.k}, (_, i) =>
                        exact ? (i % 32 === 7 ? 127 : below(253) - 126) : Math.round((random() - 0.5) * 2048) / 1024);
                    const scales = c.f16 ? halves(scaleValues) : floats(scaleValues);
                    const session =
                        await ort.InferenceSession.create(model(c, b, scales, points), {logSeverityLevel: 3});
                    const A = c.f16 ? new ort.Tensor("float16", Uint16Array.from(a, f16), [c.m, c.k])
                        : new ort.Tensor("float32", Float32Array.from(a), [c.m, c.k]);
                    const result = (await session.run({A})).C;
                    // Where the runtime has Float16Array, results are numbers already.
                    const isBits = c.f16 && result.data instanceof Uint16Array;
                    const values = Array.from(result.data, x => isBits ? f32(x) : Number(x));
                    const header = Buffer.from(Int32Array.from([c.m, c.n, c.k, bl, type, zero, exact]).buffer);
                    fs.writeFileSync(path.join(folder, count + ".case"), Buffer.concat([
                        header, floats(a), b, scales, points || Buffer.alloc(0), floats(values)]));
                    ++count;
                }
            }
        }
    }
    count += await multiplyIntegers() + await multiplyDynamically();
    console.log(`ONNX Runtime multiplied ${count} times, converted ${await convert()} times`);
}
main().catch(error => {
    console.error(error);
    process.exit(1);
});
