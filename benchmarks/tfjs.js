// TF.js as a peer in a worker process: requests and answers as in sizewise_bench/subprocess_worker.py, one line each.
'use strict';

const path = require('node:path');
const readline = require('node:readline');

const tf = require(path.join(__dirname, '..', 'tests', 'node', 'node_modules', '@tensorflow', 'tfjs'));

let run = null; // computes the tensor of the current case

function enter({ name, gradient, source, images, size }) {
  const floats = new Float32Array(Uint8Array.from(Buffer.from(source.elements, 'base64')).buffer);
  const input = tf.tensor(floats, source.shape, 'float32');
  // The kernel that tf.grad calls, as for all other peers.
  const kernel = tf.getKernel(gradient ? `${name}Grad` : name, 'cpu').kernelFunc;
  const inputs = gradient ? { dy: input, images: tf.zeros(images) } : { images: input };
  const attrs = { size, alignCorners: false, halfPixelCenters: false };
  run = () => tf.engine().makeTensorFromTensorInfo(kernel({ inputs, attrs, backend: tf.backend() }));
  return { entered: true };
}

function timeOnce() {
  const begin = process.hrtime.bigint();
  run().dispose();
  return { seconds: Number(process.hrtime.bigint() - begin) / 1e9 };
}

function result() {
  const tensor = run();
  const bytes = Buffer.from(tensor.dataSync().buffer);
  return { shape: tensor.shape, dtype: 'float32', elements: bytes.toString('base64') };
}

const calls = { enter, time_once: timeOnce, result, version: () => ({ version: tf.version.tfjs }) };

async function main() {
  await tf.setBackend('cpu');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    let answer;
    try {
      answer = calls[request.call](request);
    } catch (error) {
      answer = { error: error.message };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

main();
