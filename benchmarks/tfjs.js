// TF.js as a peer in a process of its own: requests and answers as sizewise/racing/child.py describes, one line each.
'use strict';

const path = require('node:path');
const readline = require('node:readline');

const tf = require(path.join(__dirname, '..', 'tests', 'node', 'node_modules', '@tensorflow', 'tfjs'));

let run = null; // gives the tensor of the case that was entered last

function enter({ name, gradient, source, images, size }) {
  const floats = new Float32Array(Uint8Array.from(Buffer.from(source.numbers, 'base64')).buffer);
  const given = tf.tensor(floats, source.shape, 'float32');
  // What tf.grad calls; the kernel itself, as with all other peers.
  const kernel = tf.getKernel(gradient ? `${name}Grad` : name, 'cpu').kernelFunc;
  const inputs = gradient ? { dy: given, images: tf.zeros(images) } : { images: given };
  const attrs = { size, alignCorners: false, halfPixelCenters: false };
  run = () => tf.engine().makeTensorFromTensorInfo(kernel({ inputs, attrs, backend: tf.backend() }));
  return { entered: true };
}

function lap() {
  const begin = process.hrtime.bigint();
  run().dispose();
  return { seconds: Number(process.hrtime.bigint() - begin) / 1e9 };
}

function result() {
  const made = run();
  const bytes = Buffer.from(made.dataSync().buffer);
  return { shape: made.shape, dtype: 'float32', numbers: bytes.toString('base64') };
}

const calls = { enter, lap, result, version: () => ({ version: tf.version.tfjs }) };

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
