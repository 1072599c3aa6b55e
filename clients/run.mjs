// Generates four clients from the document that a running server serves, compiles them,
// and takes each through the same scenario on that server: a project with files, a turn
// whose tool call is approved, messages, and an error. What is made is in clients/build.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { startServer } from "../web/test/e2e/server.mjs";

process.chdir(import.meta.dirname);
const run = async (command, ...args) => {
  try {
    return await promisify(execFile)(command, args, {
      env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" },
      maxBuffer: 1 << 26,
    });
  } catch (failure) {
    console.error(`${failure.message}\n${failure.stdout}`); // the message has what it wrote to stderr
    throw new Error(`${command} failed`);
  }
};
const tool = (name) => `node_modules/.bin/${name}`;

const typescript = async () => {
  await Promise.all([
    run(tool("openapi-typescript"), "build/openapi.json", "--output", "build/openapi-typescript/schema.ts"),
    run(tool("openapi-ts"), "--file", "openapi-ts.config.ts"),
  ]);
  await run(tool("tsc"), "--project", "tsconfig.json");
};
const golang = async () => {
  await Promise.all([
    run("go", "tool", "oapi-codegen", "-config", "oapi-codegen.yml", "build/openapi.json"),
    run(
      "go",
      "tool",
      "ogen",
      "--config",
      "ogen.yml",
      "--target",
      "build/ogen",
      "--package",
      "ogen",
      "--clean",
      "build/openapi.json",
    ),
  ]);
  await run("go", "vet", "./oapi", "./ogen");
  await run("go", "build", "-o", "build/bin/", "./oapi", "./ogen");
};

const begun = performance.now();
rmSync("build", { recursive: true, force: true });
for (const dir of ["oapi", "ogen", "bin"]) mkdirSync(`build/${dir}`, { recursive: true });
const server = await startServer({ more: "guard: { guarded_tools: [calculator] }\n" });
try {
  const api = `${server.url}/api/v1`;
  const document = await fetch(`${api}/openapi.json`);
  assert.equal(document.status, 200);
  writeFileSync("build/openapi.json", await document.text());
  await Promise.all([typescript(), golang()]);
  for (const [name, command, ...args] of [
    ["openapi-typescript", process.execPath, "build/out/ts/openapi-fetch.js"],
    ["hey-api", process.execPath, "build/out/ts/hey-api.js"],
    ["oapi-codegen", "build/bin/oapi"],
    ["ogen", "build/bin/ogen"],
  ]) {
    const started = performance.now();
    await run(command, ...args, api);
    console.log(`ok   ${name} (${Math.round(performance.now() - started)} ms)`);
  }
} finally {
  await server.close();
}
console.log(`4 generated clients passed in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
