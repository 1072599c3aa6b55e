import tailwind from "@tailwindcss/vite";
import vue from "@vitejs/plugin-vue";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

// The build empties dist; the committed placeholder must survive it, since a
// clean clone embeds the folder before anything is built.
function keepPlaceholder(): Plugin {
  return {
    name: "keep-placeholder",
    apply: "build",
    closeBundle() {
      writeFileSync(fileURLToPath(new URL("dist/.gitkeep", import.meta.url)), "");
    },
  };
}

// The server sends these instead of the file where the browser takes them. What gets
// no smaller has none.
function compress(): Plugin {
  const dist = fileURLToPath(new URL("dist", import.meta.url));
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
        const smaller = { br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }), gz: gzipSync(bytes, { level: 9 }) };
        for (const [suffix, packed] of Object.entries(smaller)) if (packed.length < bytes.length * 0.9) writeFileSync(`${file}.${suffix}`, packed);
      }
    },
  };
}

// Names the files that public/theme.js starts to load ahead: the languages, and the view of a conversation.
function nameEarlyFiles(): Plugin {
  return {
    name: "name-early-files",
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
          const chunk = chunks.find((c) => c.facadeModuleId?.endsWith(module) || c.moduleIds.some((id) => id.endsWith(module)));
          return chunk ? [...withImports(chunk.fileName)] : [];
        };
        const early = { en: below("i18n/en.ts"), zh: below("i18n/zh.ts"), chat: [...below("views/ChatView.vue"), ...below("chat/Markdown.vue")] };
        const already = new Set([...html.matchAll(/"\/(assets\/[^"]+)"/g)].map((m) => m[1]!));
        const data = Object.entries(early).map(([name, files]) => `data-${name}="${[...new Set(files)].filter((f) => !already.has(f)).map((f) => `/${f}`).join(" ")}"`);
        return html.replace('<script src="/theme.js">', `<script src="/theme.js" ${data.join(" ")}>`);
      },
    },
  };
}

// What every page needs comes in a few files: a browser asks an HTTP/1.1 server for six at a time.
const chunks = [
  { name: "vendor", priority: 3, test: /node_modules\/(vue|@vue|vue-router|vue-i18n|@intlify|pinia|@tanstack|virtua|eventsource-parser)\// },
  { name: "ui", priority: 2, test: /node_modules\/(reka-ui|@floating-ui|@internationalized|@vueuse|aria-hidden|defu|ohash)\// },
  { name: "icons", priority: 2, minShareCount: 3, test: /node_modules\/@lucide\// },
  { name: "app", priority: 1, test: /src\/(api|events|stores|chat\/(?!diff)|i18n\/(index|format)|components\/(ui\/(?!Dialog|Confirm)|shell\/(?!Palette|ShortcutSheet)))/ },
];

const server = process.env.NANOCLAW_URL ?? "http://127.0.0.1:8787";

export default defineConfig({
  plugins: [vue(), tailwind(), nameEarlyFiles(), keepPlaceholder(), compress()],
  resolve: { alias: { "@": fileURLToPath(new URL("src", import.meta.url)) } },
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
