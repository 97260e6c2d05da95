// Lets ONNX Runtime run models: node oracle.js MODULES CASES.json. MODULES is the folder with onnxruntime-node. A case
// has a model, inputs (name, type, shape, file) and a folder, which gets the elements of the outputs (expected_0 and so
// on) and their types and shapes (expected.json).
//
// SPDX-License-Identifier: Apache-2.0
"use strict";
const fs = require("fs");
const path = require("path");

const [modules, cases] = process.argv.slice(2);
const ort = require(path.resolve(modules, "onnxruntime-node"));
const arrays = {float32: Float32Array, int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array, bool: Uint8Array};

async function run(c) {
    const session = await ort.InferenceSession.create(c.model, {logSeverityLevel: 3, intraOpNumThreads: 2});
    const feeds = {};
    for (const input of c.inputs) {
        const bytes = Uint8Array.from(fs.readFileSync(input.file)).buffer;
        feeds[input.name] = new ort.Tensor(input.type, new arrays[input.type](bytes), input.shape);
    }
    const results = await session.run(feeds);
    const outputs = session.outputNames.map(name => results[name]);
    outputs.forEach((tensor, i) => {
        const bytes = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
        fs.writeFileSync(path.join(c.folder, `expected_${i}`), bytes);
    });
    const kinds = outputs.map(tensor => `${tensor.type} [${tensor.dims}]`);
    fs.writeFileSync(path.join(c.folder, "expected.json"), JSON.stringify(kinds));
}

(async () => {
    for (const c of JSON.parse(fs.readFileSync(cases))) {
        await run(c);
    }
})();
