/**
 * How the calls of each tool are shown: the words for its line, and the view of its result. A tool that is not here, one
 * of an MCP server for example, has the generic view.
 */
import { defineAsyncComponent, type Component } from "vue";
import type { Outcome } from "@/chat/call-text";
import { diffOf } from "@/chat/diff";

export type Arguments = Record<string, unknown>;

/** What every view is given. `live`: what a call that is running has printed so far. */
export interface ViewProps {
  name: string;
  args: Arguments;
  outcome: Outcome | null;
  live: string;
}

/** A few words beside a call's name, in the colour of what they tell. `key` with `values` is translated. */
export interface Note {
  tone: "good" | "warn" | "bad" | "plain";
  text?: string;
  key?: string;
  values?: Record<string, unknown>;
}

export interface ToolLook {
  /** Key of its words under `tool.` in the texts. */
  verb: string;
  /** The argument that the line names after the verb. */
  about?: string | ((args: Arguments) => string);
  note?: (args: Arguments, outcome: Outcome | null) => Note[];
  view?: Component;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");
export const record = (value: unknown) => (value !== null && typeof value === "object" ? value : {}) as Arguments;
export const list = (value: unknown) => (Array.isArray(value) ? value : []) as Arguments[];

const Terminal = defineAsyncComponent(() => import("./TerminalView.vue"));
const Python = defineAsyncComponent(() => import("./PythonView.vue"));
const File = defineAsyncComponent(() => import("./FileView.vue"));
const Change = defineAsyncComponent(() => import("./ChangeView.vue"));
const Entries = defineAsyncComponent(() => import("./EntriesView.vue"));
const Matches = defineAsyncComponent(() => import("./MatchesView.vue"));
const Pages = defineAsyncComponent(() => import("./PagesView.vue"));
const Table = defineAsyncComponent(() => import("./TableView.vue"));
const Weather = defineAsyncComponent(() => import("./WeatherView.vue"));
const Browser = defineAsyncComponent(() => import("./BrowserView.vue"));
const Media = defineAsyncComponent(() => import("./MediaView.vue"));
const Generic = defineAsyncComponent(() => import("./GenericView.vue"));

/** "exit 3" of a command that ended so; one without an exit status was not run to its end. */
function exit(_: Arguments, outcome: Outcome | null): Note[] {
  const code = record(outcome?.data).exit_code;
  return typeof code === "number" && code !== 0 ? [{ tone: "bad", key: "tool.exit", values: { code } }] : [];
}

function changed(before: string, after: string): Note[] {
  const lines = diffOf(before, after);
  const notes: Note[] = [];
  const added = lines.filter((l) => l.kind === "added" && (l.text || after)).length;
  const removed = lines.filter((l) => l.kind === "removed" && (l.text || before)).length;
  if (added) notes.push({ tone: "good", text: `+${added}` });
  if (removed) notes.push({ tone: "bad", text: `−${removed}` });
  return notes;
}

/** Edits of more characters are not counted: the line has to be there at once. */
const countable = 20_000;

function edited(args: Arguments): Note[] {
  const [before, after] = [text(args.old_string), text(args.new_string)];
  return before.length + after.length > countable ? [] : changed(before, after);
}

function written(args: Arguments): Note[] {
  const content = text(args.content);
  const n = content.length > 0 ? content.replace(/\n$/, "").split("\n").length : 0;
  return n ? [{ tone: "good", text: `+${n}` }] : [];
}

function counted(field: string, key: string) {
  return (_: Arguments, outcome: Outcome | null): Note[] => {
    const data = record(outcome?.data);
    const items = data[field];
    if (!outcome?.success || !Array.isArray(items)) return [];
    return [{ tone: "plain", key, values: { n: items.length } }];
  };
}

/** "3 of 5 done", where not all are. */
function agents(_: Arguments, outcome: Outcome | null): Note[] {
  const results = list(record(outcome?.data).results);
  const done = results.filter((r) => r.success === true && r.incomplete !== true).length;
  if (!results.length) return [];
  return [{ tone: done < results.length ? "warn" : "plain", key: "call.doneOf", values: { done, n: results.length } }];
}

function answer(_: Arguments, outcome: Outcome | null): Note[] {
  const { result } = record(outcome?.data);
  if (!outcome?.success || result === undefined || typeof result === "object") return [];
  return [{ tone: "plain", text: `= ${String(result).slice(0, 60)}` }];
}

function degrees(_: Arguments, outcome: Outcome | null): Note[] {
  const { temperature, condition } = record(outcome?.data);
  return typeof temperature === "number"
    ? [{ tone: "plain", text: `${Math.round(temperature)} °C, ${text(condition)}` }]
    : [];
}

/** "click e12", "open example.org/shop": an operation of the browser and what it is about. */
function browsed(args: Arguments): string {
  const secret = args.sensitive === true ? "" : text(args.text);
  const about =
    text(args.url).replace(/^https?:\/\//, "") || text(args.path) || secret || text(args.ref) || text(args.tab);
  return [text(args.op), about].filter(Boolean).join(" ");
}

const folder = (args: Arguments) => text(args.path) || "./";

const looks: Record<string, ToolLook> = {
  shell_execute: { verb: "run", about: "command", note: exit, view: Terminal },
  execute_python: { verb: "python", about: "code", view: Python },
  file_read: { verb: "read", about: "path", view: File },
  file_list: { verb: "list", about: folder, note: counted("entries", "tool.entries"), view: Entries },
  file_glob: { verb: "glob", about: "pattern", note: counted("entries", "tool.entries"), view: Entries },
  file_grep: { verb: "grep", about: "pattern", note: counted("matches", "tool.matches"), view: Matches },
  file_write: { verb: "write", about: "path", note: written, view: Change },
  file_append: { verb: "append", about: "path", note: written, view: Change },
  file_edit: { verb: "edit", about: "path", note: edited, view: Change },
  file_delete: { verb: "delete", about: "path", view: Change },
  file_move: { verb: "move", about: (args) => `${text(args.from)} → ${text(args.to)}`, view: Change },
  file_mkdir: { verb: "mkdir", about: "path", view: Generic },
  file_exists: { verb: "exists", about: "path", view: Generic },
  web_search: { verb: "search", about: "query", note: counted("results", "tool.results"), view: Pages },
  fetch_page: { verb: "fetch", about: "url", view: Pages },
  crawl_batch: { verb: "fetch", about: "urls", view: Pages },
  browser_use: { verb: "browse", about: browsed, view: Browser },
  view_image: { verb: "viewImage", about: "path", view: Media },
  view_video: { verb: "viewVideo", about: "path", view: Media },
  desktop_screenshot: { verb: "desktop", about: () => "", view: Media },
  db_query: { verb: "query", about: "sql", note: counted("rows", "tool.rows"), view: Table },
  db_schema: { verb: "schema", about: "database", view: Table },
  get_weather: { verb: "weather", about: "city", note: degrees, view: Weather },
  calculator: { verb: "calculate", about: "expression", note: answer, view: Generic },
  get_current_time: { verb: "time", about: "timezone", view: Generic },
  text_process: { verb: "text", about: "operation", view: Generic },
  json_process: { verb: "json", about: "operation", view: Generic },
  multi_agent: { verb: "agents", about: () => "", note: agents, view: Generic },
  chat_with_agent: { verb: "agent", about: "agent", view: Generic },
  delegate_external_agent: { verb: "agent", about: "agent", view: Generic },
  submit_agent_task: { verb: "taskSubmit", about: "instruction", view: Generic },
  check_agent_task: { verb: "taskCheck", about: () => "", view: Generic },
  cancel_agent_task: { verb: "taskCancel", about: () => "", view: Generic },
  send_file_to_user: { verb: "send", about: "path", view: Generic },
  list_agents: { verb: "agentList", about: () => "", view: Generic },
};

const generic: ToolLook = { verb: "", view: Generic };

export function lookOf(tool: string): ToolLook {
  return (Object.hasOwn(looks, tool) && looks[tool]) || generic;
}

/** The name of a tool without words of its own: "mcp__github__create_issue" → "github: create issue". */
export function plainName(tool: string): string {
  const parts = tool.replace(/^mcp__/, "").split("__");
  const words = (part: string) => part.replace(/[_-]+/g, " ").trim();
  return parts.length > 1 ? `${words(parts[0]!)}: ${words(parts.slice(1).join(" "))}` : words(tool);
}
