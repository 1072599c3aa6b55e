// The official Go clients, OpenAI's and MCP's, compiled and run as programs.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { binary } from "../../web/test/e2e/server.mjs";

const cwd = path.resolve(import.meta.dirname, "..");
const run = async (command, ...args) => {
  const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off" };
  try {
    return (await promisify(execFile)(command, args, { cwd, env, maxBuffer: 1 << 26 })).stdout;
  } catch (failure) {
    throw new Error(`${failure.message}\n${failure.stdout}`);
  }
};
const program = (name) => path.join(cwd, "build/bin", name);

export default async function golang(house) {
  await run("go", "vet", "./checks", "./openai-go", "./mcp-go");
  await run("go", "build", "-o", "build/bin/", "./openai-go", "./mcp-go");
  process.stdout.write(await run(program("mcp-go"), house.url, binary, house.config));
  const begun = /begun (\S+)\n/;
  const first = await run(program("openai-go"), house.url, "begin");
  process.stdout.write(first.replace(begun, ""));
  await house.kill();
  await house.restart();
  process.stdout.write(await run(program("openai-go"), house.url, "resume", begun.exec(first)[1]));
}
