#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: onnxruntime-node 1.30.0 (npm), the CPU provider on x86-64 with AVX2.
# Expected: Sigmoid in float32 has a small relative error wherever its value is a normal number, down to x = -87, as
#   Exp of the same provider has. So x * Sigmoid(x), the SiLU of gated layers, has one, too.
# Seen: it is a quotient of polynomials plus a half: the error is a part of 1, not of the value. Sigmoid(-17) is more
#   than twice what it should be, Sigmoid(-16) about half, and from -18 on it is 0. It grows from 1e-4 at -10.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
  onnxruntime-node@1.30.0 onnx-proto@8.0.1 protobufjs@6.11.6
cat > "$work/run.cjs" <<'END'
const ort = require('onnxruntime-node');
const { onnx } = require('onnx-proto');
const points = [-20, -18, -17, -16, -15, -14, -12, -10, -5, 0, 5];
const tensor = name => ({ name, type: { tensorType: { elemType: 1, shape: { dim: [{ dimValue: points.length }] } } } });
const run = async opType => {
  const model = onnx.ModelProto.encode({
    irVersion: 10, opsetImport: [{ domain: '', version: 21 }],
    graph: { name: 'g', input: [tensor('x')], output: [tensor('y')], node: [{ opType, input: ['x'], output: ['y'] }] },
  }).finish();
  const session = await ort.InferenceSession.create(model);
  return (await session.run({ x: new ort.Tensor('float32', Float32Array.from(points), [points.length]) })).y.data;
};
const main = async () => {
  const [sigmoid, exp] = [await run('Sigmoid'), await run('Exp')];
  const errors = {};
  points.forEach((x, i) => {
    errors[x] = sigmoid[i] * (1 + Math.exp(-x)) - 1;
    console.log(`Sigmoid(${x}) = ${sigmoid[i]}, expected ${1 / (1 + Math.exp(-x))}: ${(100 * errors[x]).toFixed(4)} %`);
  });
  const worst = Math.max(...points.map((x, i) => Math.abs(exp[i] / Math.exp(x) - 1)));
  console.log(`Exp of the same numbers: at most ${(100 * worst).toExponential(1)} %`);
  const large = Math.max(...[-17, -16, -15].map(x => Math.abs(errors[x])));
  process.exit(sigmoid[0] === 0 && sigmoid[1] === 0 && large > 0.1 && worst < 1e-6 ? 0 : 1);
};
main();
END
node "$work/run.cjs"
