/**
 * How the calls of each tool are shown: the words for its line, and the view of its result. A tool that is not here, one
 * of an MCP server for example, has the generic view.
 */
import { type Component } from "vue";
import type { Outcome } from "@/chat/call-text";
import { part } from "@/lazy";
import { list, record, text, type Arguments } from "./fields";
import { agents, answer, clock, counted, degrees, edited, exit, there, written, type Note } from "./notes";

export { list, record, type Arguments, type Note };

/** What every view is given. `live`: what a call that is running has printed so far. */
export interface ViewProps {
  name: string;
  args: Arguments;
  outcome: Outcome | null;
  live: string;
}

export interface ToolLook {
  /** Key of its words under `tool.` in the texts. */
  verb: string | ((args: Arguments) => string);
  /** The argument that the line names after the verb. */
  about?: string | ((args: Arguments) => string);
  note?: (args: Arguments, outcome: Outcome | null) => Note[];
  view?: Component;
  /** The argument that names the project's file that it is about. */
  opens?: string;
  /** Its pictures are what a person wants of it: they stand in the conversation, not behind its line. */
  pictures?: boolean;
}

const Terminal = part(() => import("./TerminalView.vue"));
const Python = part(() => import("./PythonView.vue"));
const File = part(() => import("./FileView.vue"));
const Change = part(() => import("./ChangeView.vue"));
const Entries = part(() => import("./EntriesView.vue"));
const Matches = part(() => import("./MatchesView.vue"));
const Pages = part(() => import("./PagesView.vue"));
const Table = part(() => import("./TableView.vue"));
const Weather = part(() => import("./WeatherView.vue"));
const Browser = part(() => import("./BrowserView.vue"));
const Media = part(() => import("./MediaView.vue"));
const Text = part(() => import("./TextView.vue"));
const Generic = part(() => import("./GenericView.vue"));

/** "click e12", "open example.org/shop": an operation of the browser and what it is about. */
function browsed(args: Arguments): string {
  const secret = args.sensitive === true ? "" : text(args.text);
  const about = address(args.url) || text(args.path) || secret || text(args.ref) || text(args.tab);
  return [text(args.op), about].filter(Boolean).join(" ");
}

const folder = (args: Arguments) => text(args.path) || "./";
const address = (url: unknown) => text(url).replace(/^https?:\/\//, "");

/** "example.org/a +2": the first of some pages. */
function addresses(args: Arguments): string {
  const [first, ...others] = Array.isArray(args.urls) ? args.urls : [];
  return others.length ? `${address(first)} +${others.length}` : address(first);
}

const looks: Record<string, ToolLook> = {
  shell_execute: {
    verb: (args) => (args.command || !args.restart ? "run" : "restart"),
    about: "command",
    note: exit,
    view: Terminal,
  },
  execute_python: { verb: "python", about: "code", view: Python, pictures: true },
  file_read: { verb: "read", about: "path", opens: "path", view: File },
  file_list: { verb: "list", about: folder, note: counted("entries", "tool.entries"), view: Entries },
  file_glob: { verb: "glob", about: "pattern", note: counted("entries", "tool.entries"), view: Entries },
  file_grep: { verb: "grep", about: "pattern", note: counted("matches", "tool.matches"), view: Matches },
  file_write: { verb: "write", about: "path", note: written, opens: "path", view: Change },
  file_append: { verb: "append", about: "path", note: written, opens: "path", view: Change },
  file_edit: { verb: "edit", about: "path", note: edited, opens: "path", view: Change },
  file_delete: { verb: "delete", about: "path", view: Change },
  file_move: { verb: "move", about: (args) => `${text(args.from)} → ${text(args.to)}`, opens: "to", view: Change },
  file_mkdir: { verb: "mkdir", about: "path", view: Generic },
  file_exists: { verb: "exists", about: "path", note: there, view: Generic },
  web_search: { verb: "search", about: "query", note: counted("results", "tool.results"), view: Pages },
  fetch_page: { verb: "fetch", about: (args) => address(args.url), view: Pages },
  crawl_batch: { verb: "fetch", about: addresses, view: Pages },
  browser_use: { verb: "browse", about: browsed, view: Browser },
  view_image: { verb: "viewImage", about: "path", opens: "path", view: Media },
  view_video: { verb: "viewVideo", about: "path", opens: "path", view: Media },
  desktop_screenshot: { verb: "desktop", about: () => "", view: Media },
  db_query: { verb: "query", about: "sql", note: counted("rows", "tool.rows"), view: Table },
  db_schema: { verb: "schema", about: "database", view: Table },
  get_weather: { verb: "weather", about: "city", note: degrees, view: Weather },
  calculator: { verb: "calculate", about: "expression", note: answer, view: Generic },
  get_current_time: { verb: "time", about: "timezone", note: clock, view: Generic },
  set_user_timezone: { verb: "timezone", about: "timezone", note: clock, view: Generic },
  get_token_usage: { verb: "usage", about: () => "", view: Generic },
  read_skill: {
    verb: "skill",
    about: (args) => [text(args.name), text(args.path)].filter(Boolean).join("/"),
    view: Text,
  },
  text_process: { verb: "text", about: "operation", view: Generic },
  json_process: { verb: "json", about: "operation", view: Generic },
  multi_agent: { verb: "agents", about: () => "", note: agents, view: Generic },
  chat_with_agent: { verb: "agent", about: "agent", view: Generic },
  delegate_external_agent: { verb: "agent", about: "agent", view: Generic },
  submit_agent_task: { verb: "taskSubmit", about: "instruction", view: Generic },
  check_agent_task: { verb: "taskCheck", about: () => "", view: Generic },
  cancel_agent_task: { verb: "taskCancel", about: () => "", view: Generic },
  send_file_to_user: { verb: "send", about: "path", opens: "path", view: Generic },
  list_agents: { verb: "agentList", about: () => "", view: Generic },
};

const generic: ToolLook = { verb: "", view: Generic, pictures: true };

export function lookOf(tool: string): ToolLook {
  return (Object.hasOwn(looks, tool) && looks[tool]) || generic;
}
