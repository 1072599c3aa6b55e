import tailwind from "@tailwindcss/vite";
import vue from "@vitejs/plugin-vue";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

// The build empties dist; the committed placeholder must survive it, since a
// clean clone embeds the folder before anything is built.
function keepPlaceholder(): Plugin {
  return {
    name: "keep-placeholder",
    apply: "build",
    closeBundle() {
      writeFileSync(fileOf("dist/.gitkeep"), "");
    },
  };
}

// The server sends these instead of the file where the browser takes them. What gets
// no smaller has none.
function compress(): Plugin {
  const dist = fileOf("dist");
  return {
    name: "compress",
    apply: "build",
    closeBundle() {
      for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
        const file = path.join(dist, name);
        // Every browser that this page is built for takes woff2.
        if (/KaTeX.*\.(ttf|woff)$/.test(name)) rmSync(file);
        if (!/\.(js|css|svg)$/.test(name)) continue;
        const bytes = readFileSync(file);
        const smaller = {
          br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
          gz: gzipSync(bytes, { level: 9 }),
        };
        for (const [suffix, packed] of Object.entries(smaller))
          if (packed.length < bytes.length * 0.9) writeFileSync(`${file}.${suffix}`, packed);
      }
    },
  };
}

// Tells theme.js, which runs first, the files to load ahead: the languages, and what a
// conversation needs. The content security policy allows no script in the page itself.
function startEarly(): Plugin {
  return {
    name: "start-early",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((c) => c.type === "chunk");
        const withImports = (file: string, seen = new Set<string>()): Set<string> => {
          if (seen.has(file)) return seen;
          seen.add(file);
          chunks.find((c) => c.fileName === file)?.imports.forEach((f) => withImports(f, seen));
          return seen;
        };
        const below = (module: string): string[] => {
          const chunk = chunks.find(
            (c) => c.facadeModuleId?.endsWith(module) || c.moduleIds.some((id) => id.endsWith(module)),
          );
          return chunk ? [...withImports(chunk.fileName)] : [];
        };
        const early = {
          en: below("i18n/en.ts"),
          zh: [...below("i18n/zh.ts"), ...below("i18n/server/zh-said.ts")],
          chat: below("chat/Markdown.vue"),
        };
        const already = new Set([...html.matchAll(/"\/(assets\/[^"]+)"/g)].map((m) => m[1]!));
        const data = Object.entries(early).map(
          ([name, files]) =>
            `data-${name}="${[...new Set(files)]
              .filter((f) => !already.has(f))
              .map((f) => `/${f}`)
              .join(" ")}"`,
        );
        const start = `<script src="/theme.js" ${data.join(" ")}></script>`;
        // The app's own files are asked for first, and no script waits for a style sheet that stands before it.
        const preloads = html.match(/<link rel="modulepreload".*?>\s*/g) ?? [];
        return preloads
          .reduce((rest, link) => rest.replace(link, ""), html)
          .replace('<script src="/theme.js"></script>', () => preloads.join("") + start);
      },
    },
  };
}

// Most of these files runs at the start: a browser that knows the hint compiles them while
// they load, on another thread, instead of function by function when they run.
function compileAhead(names: string[]): Plugin {
  return {
    name: "compile-ahead",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        for (const chunk of Object.values(bundle)) {
          if (chunk.type === "chunk" && names.includes(chunk.name))
            chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`;
        }
      },
    },
  };
}

// What every page needs comes in a few files: a browser asks an HTTP/1.1 server for six at a time.
const chunks = [
  {
    name: "vendor",
    priority: 3,
    test: /node_modules\/(vue|@vue|vue-router|vue-i18n|@intlify|pinia|@tanstack|virtua|eventsource-parser)\/|rolldown\/runtime/,
  },
  {
    name: "ui",
    priority: 2,
    test: /node_modules\/(reka-ui|@floating-ui|@internationalized|@vueuse|aria-hidden|defu|ohash)\//,
  },
  { name: "app", priority: 1, test: /src\/(App|router|views\/(ChatView|HomeView)|components\/shell\/Sidebar)/ },
];

const server = process.env.NANOCLAW_URL ?? "http://127.0.0.1:8787";

export default defineConfig({
  plugins: [vue(), tailwind(), startEarly(), compileAhead(["vendor", "app"]), keepPlaceholder(), compress()],
  resolve: { alias: { "@": fileOf("src") } },
  define: {
    __VUE_OPTIONS_API__: "false",
    __VUE_PROD_DEVTOOLS__: "false",
    __VUE_I18N_FULL_INSTALL__: "true",
    __VUE_I18N_LEGACY_API__: "false",
    __INTLIFY_PROD_DEVTOOLS__: "false",
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // Data URLs would need a wider content security policy for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: { output: { codeSplitting: { groups: chunks } } },
  },
  server: { proxy: { "/api": { target: server } } },
});
