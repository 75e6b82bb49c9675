// Run a WebAssembly program on one file: `node run_wasi.mjs PROGRAM FILE`.
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { WASI } from "node:wasi";

const [program, file] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: ["replay", `/${basename(file)}`], preopens: { "/": dirname(file) } });
const { instance } = await WebAssembly.instantiate(await readFile(program), wasi.getImportObject());
process.exitCode = wasi.start(instance);
