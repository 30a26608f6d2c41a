import { join } from "node:path";
import { fileURLToPath } from "node:url";
import locales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { early } from "./vite-early.ts";
import { shell } from "./vite-shell.ts";

// Builds the app into the Worker's static assets. `npx vite web` serves it with hot reloading in front of `npm start`.

const API = process.env.API_URL ?? "http://localhost:8000";
/** Requests keep their Host: the service takes forms only from its own pages, and this address is theirs. */
const TARGET = { target: API, changeOrigin: false };
const WORKER_PATHS = [
  "/api",
  "/sign-in",
  "/authorize",
  "/open",
  "/docs",
  "/redoc",
  "/openapi.json",
  "/pages",
  "/health",
];

const ENTITIES = "decode-named-character-reference";

/** The form of this package for browsers asks the page's document, which a worker does not have. */
const entities = (): Plugin => ({
  name: "entities",
  enforce: "pre",
  resolveId: (id) => (id === ENTITIES ? fileURLToPath(import.meta.resolve(ENTITIES)) : null),
});

const HTML = "@codemirror/lang-html";

/**
 * Markdown's editor imports the languages of the web for a function that we do not use; they are loaded when a block of code
 * is in one of them. Without this they are a part of the editor, 75 kB.
 */
const markdownWithoutHtml = (): Plugin => ({
  name: "markdown-without-html",
  enforce: "pre",
  resolveId: (id, importer) => (id === HTML && importer?.includes("lang-markdown") ? "\0without-html" : null),
  load: (id) =>
    id === "\0without-html" ? "export const html = () => {}, htmlCompletionSource = () => null;" : null,
});

export default defineConfig({
  root: import.meta.dirname,
  // What react-aria says itself, to readers of the screen above all, is in English as the app is, not in 34 languages.
  plugins: [locales.vite({ locales: ["en-US"] }), react(), early(), shell(), markdownWithoutHtml()],
  publicDir: false,
  worker: { plugins: () => [entities()] },
  build: {
    outDir: "../public",
    emptyOutDir: false,
    assetsDir: "app",
    target: "baseline-widely-available",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, "index.html"),
        sw: join(import.meta.dirname, "worker", "sw.ts"),
      },
      output: {
        // A service worker serves the paths below its own.
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "app/[name]-[hash].js"),
        // Small files that nearly every screen needs: one by one they are a dozen requests, and larger with gzip. What is
        // left out is for when there is no network, or for later.
        codeSplitting: {
          groups: [{ name: "core", test: /web\/src\/(?:api|state)\/(?!copied-lists|open-records)/ }],
        },
      },
    },
  },
  server: { port: 5173, proxy: Object.fromEntries(WORKER_PATHS.map((path) => [path, TARGET])) },
});
