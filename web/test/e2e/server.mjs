// The product itself for a test: the binary on a scratch directory, and the scripted
// model server behind it. Both listen on free loopback ports and end with the test.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
export const binary = process.env.NANOCLAW ?? path.join(root, "bin/nanoclaw");
const modelBinary = process.env.LLMTEST ?? path.join(root, "build/llmtest");

/** Starts a program and waits for the first line of its output that holds an address. */
function run(command, args, env = {}) {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  let said = "";
  const url = new Promise((resolve, reject) => {
    const hear = (bytes) => {
      said += bytes;
      const found = /http:\/\/[^\s"]+/.exec(said);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", (bytes) => (said += bytes));
    child.on("error", reject);
    child.on("exit", (code, signal) =>
      reject(new Error(`${command} ended (${code ?? signal}):\n${said.slice(-3000)}`)),
    );
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const stop = (signal) => (child.kill(signal), ended);
  return { child, url, ended, stop, log: () => said };
}

/** The scripted model server, and what a test does with it. */
export async function startModel() {
  const program = run(modelBinary, ["-listen", "127.0.0.1:0"]);
  const url = await program.url;
  const control = url.replace(/\/v1$/, "/control");
  const ask = async (method, where, body) => {
    const answer = await fetch(control + where, { method, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`model server: ${await answer.text()}`);
    return answer;
  };
  return {
    url,
    /** Adds rules; a test matches by a text of its own, so that many share one server. */
    rules: (...rules) => ask("POST", "/rules", { rules }),
    /** Opens a gate that replies wait at. */
    open: (gate) => ask("POST", `/gates/${gate}`),
    /** Waits until a reply stands at a gate. */
    reached: (gate) => ask("GET", `/gates/${gate}`),
    /** The requests that a user's message led to. */
    requests: async (user) => (await ask("GET", `/requests?user=${encodeURIComponent(user)}`)).json(),
    stop: () => program.stop("SIGTERM"),
  };
}

export const modelId = "scripted";

const scripted = (model) => `default_model: demo
models:
  - id: ${modelId}
    name: Scripted model
    base_url: ${model?.url ?? "http://127.0.0.1:9/v1"}
    api_key: not-a-real-key
    context_window: 128000
    supports: [tools, thinking, images]
  - id: second
    name: Second model
    base_url: ${model?.url ?? "http://127.0.0.1:9/v1"}
    api_key: not-a-real-key
    supports: [tools]
  - id: unavailable
    name: A model without its key
    api_key: \${NANOCLAW_NO_SUCH_KEY}
    base_url: http://127.0.0.1:9/v1
`;

const configOf = (dir, models, more, shell) => `# The server of the browser tests.
data_dir: ${dir}/data
workspace_root: ${dir}/workspaces
log_level: warn
llm: { discover_env: false, discover_ollama: false }
${/^titles:/m.test(more) ? "" : "titles: { generate: false }\n"}${shell}${models}${more}`;

/**
 * Starts the binary. `more` is added to its config.yml, before it starts, or gives that for its folder; `models` are
 * those of the tests where left out, `shell` is its section of that name.
 */
export async function startServer({
  model,
  more = "",
  models = scripted(model),
  shell = "shell: { policy: host }\n",
} = {}) {
  const dir = mkdtempSync(path.join(tmpdir(), "nanoclaw-web-"));
  const config = path.join(dir, "config.yml");
  writeFileSync(config, configOf(dir, models, typeof more === "function" ? more(dir) : more, shell));
  const launch = (listen) => run(binary, ["serve", "--config", config, "--listen", listen]);
  let program = launch("127.0.0.1:0");
  const url = await program.url;
  return {
    url,
    dir,
    config,
    api: apiOf(url),
    log: () => program.log(),
    /** The id of the process. */
    pid: () => program.child.pid,
    /** Ends it at once, as a crash or a power failure would. */
    kill: () => program.stop("SIGKILL"),
    /** Starts it again at the same address, on the same data. */
    async restart() {
      program = launch(new URL(url).host);
      await program.url;
    },
    async close() {
      await program.stop("SIGKILL");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Plain requests beside the page. */
export function apiOf(url) {
  const call = async (method, where, body, headers = {}) => {
    const raw = typeof body === "string";
    const answer = await fetch(`${url}/api/v1${where}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "Content-Type": raw ? "application/octet-stream" : "application/json" }),
        ...headers,
      },
      body: body === undefined || raw ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
    return /json/.test(answer.headers.get("Content-Type") ?? "") ? JSON.parse(text) : text;
  };
  return {
    get: (where) => call("GET", where),
    post: (where, body = {}) => call("POST", where, body),
    put: (where, body, headers) => call("PUT", where, body, headers),
    patch: (where, body) => call("PATCH", where, body),
    delete: (where) => call("DELETE", where),
    /** A new conversation with the scripted model. */
    conversation: (more = {}) => call("POST", "/conversations", { model: modelId, ...more }),
    project: (name, more = {}) => call("POST", "/projects", { name, ...more }),
    file: (project, name) => call("GET", `/projects/${project}/files/${name}`),
    write: (project, name, text) => call("PUT", `/projects/${project}/files/${name}`, text),
    /** Asks and waits for the end of the run. */
    async ask(conversation, text, more = {}) {
      const run = await call("POST", `/conversations/${conversation}/runs`, { text, ...more });
      await call("GET", `/runs/${run.id}/events`);
      return call("GET", `/runs/${run.id}`);
    },
  };
}
