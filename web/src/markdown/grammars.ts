/** The languages that code is coloured in, by the names that people give them. */

export const grammars: Record<string, () => Promise<unknown>> = {
  bash: () => import("shiki/langs/shellscript.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  vue: () => import("shiki/langs/vue.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const aliases: Record<string, string> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  shellscript: "bash",
  dockerfile: "docker",
  golang: "go",
  js: "javascript",
  mjs: "javascript",
  ts: "typescript",
  py: "python",
  python3: "python",
  md: "markdown",
  rs: "rust",
  rb: "ruby",
  yml: "yaml",
  "c++": "cpp",
  h: "c",
  hpp: "cpp",
  svg: "xml",
  htm: "html",
  makefile: "make",
  patch: "diff",
  kt: "kotlin",
  jsonc: "json",
  conf: "ini",
  env: "ini",
};

/** The grammar for a name; "" where there is none. */
export function languageOf(name: string): string {
  const lower = name.toLowerCase();
  const id = aliases[lower] ?? lower;
  return Object.hasOwn(grammars, id) ? id : "";
}
