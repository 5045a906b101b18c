#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: onnxruntime-node 1.30.0 (npm), the CPU provider on x86-64.
# Expected: in a float16 graph each node's result is a float16 number, so a larger one is infinite for what follows.
# Seen: nodes without a float16 kernel run in float32, and nothing is rounded between two of them. y = (x + x) / 2 of
#   x = 60000 is 60000, while the sum, an output of the same run, is infinite. No optimization has to be on for this.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
  onnxruntime-node@1.30.0 onnx-proto@8.0.1 protobufjs@6.11.6
cat > "$work/run.cjs" <<'END'
const ort = require('onnxruntime-node');
const { onnx } = require('onnx-proto');
const float16 = 10;
const tensor = name => ({ name, type: { tensorType: { elemType: float16, shape: { dim: [{ dimValue: 1 }] } } } });
const model = onnx.ModelProto.encode({
  irVersion: 10, opsetImport: [{ domain: '', version: 21 }],
  graph: {
    name: 'g', input: [tensor('x'), tensor('half')], output: [tensor('sum'), tensor('y')],
    node: [{ opType: 'Add', input: ['x', 'x'], output: ['sum'] },
      { opType: 'Mul', input: ['sum', 'half'], output: ['y'] }],
  },
}).finish();
const bits = value => new ort.Tensor('float16', Uint16Array.of(value), [1]);
const main = async () => {
  let same = true;
  for (const graphOptimizationLevel of ['disabled', 'all']) {
    const session = await ort.InferenceSession.create(model, { graphOptimizationLevel });
    const { sum, y } = await session.run({ x: bits(0x7b53), half: bits(0x3800) });  // 60000 and 0.5
    console.log(`optimizations ${graphOptimizationLevel}: sum = 0x${sum.data[0].toString(16)},`,
      `y = sum / 2 = 0x${y.data[0].toString(16)} (0x7c00 is infinite, 0x7b53 is 60000)`);
    same &&= sum.data[0] === 0x7c00 && y.data[0] === 0x7b53;
  }
  console.log('expected: y = 0x7c00, half of the infinite sum');
  process.exit(same ? 0 : 1);
};
main();
END
node "$work/run.cjs"
