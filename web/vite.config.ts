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

const ARIA = "react-(?:aria|stately|aria-components)/dist/private/";
const any = (...paths: string[]) => new RegExp(paths.join("|"));

/**
 * Which modules share a file: one by one they are dozens of requests for a screen, and larger with gzip. A group takes with a
 * module what it imports, unless a group before it has taken that, so what is shared by more stands first.
 */
const GROUPS = [
  // What every screen needs before it is painted; what outlives a screen apart from what draws it.
  { name: "core", tags: ["$initial"], test: any("web/src/(?:api|state)/") },
  { name: "base", tags: ["$initial"], test: any("node_modules", "web/src/(?!shell)", "src/contract") },
  { name: "focus", test: any(`${ARIA}(?:focus|toolbar|overlays/ariaHide)`) },
  // What the first rows of documents need, and others of what is said of documents.
  {
    name: "things",
    test: any(
      "web/src/features/(?:things/(?:pinned|waiting-list|fits)|folders/(?:asked|folders)|tags/tags)",
      "web/src/features/documents/(?:asked|data|pinned|focused-row|row-height|row-look|(?:documents|list)\\.module)",
      "web/src/kit/menu(?:-button)?\\.tsx",
      "infiniteQueryObserver|useInfiniteQuery",
      `${ARIA}(?:toggle/useToggleState|button/useToggle|interactions/PressResponder)`,
      `${ARIA}(?:FileTrigger|Input|SelectionIndicator|ToggleButton)`,
    ),
  },
  {
    name: "fields",
    test: any(
      `${ARIA}(?:checkbox/|toggle/useToggle\\.|form/|label/|visually-hidden/|Checkbox|FieldError|Form|Text)`,
    ),
  },
  // Lists of every kind: menus, choices, and those below.
  {
    name: "choices",
    test: any(
      `${ARIA}(?:(?:collections|selection|list|listbox|autocomplete)/|Collection|ListBox|Autocomplete)`,
      "react-aria-components/dist/private/intl",
      `${ARIA}utils/useUpdateEffect`,
    ),
  },
  { name: "rows", test: any(`${ARIA}(?:grid|intl/grid|gridlist)/`) },
  // Lists of which rows are dragged, and of thousands.
  {
    name: "grid",
    test: any(
      `${ARIA}(?:(?:dnd|intl/dnd|virtualizer|layout)/|GridList|Virtualizer|DropZone|DragAndDrop|useDragAndDrop)`,
    ),
  },
].map((group, place, all) => ({ ...group, priority: all.length - place }));

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
        // Small files that many screens need: one by one they are dozens of requests, and larger with gzip.
        codeSplitting: { groups: GROUPS },
      },
    },
  },
  server: { port: 5173, proxy: Object.fromEntries(WORKER_PATHS.map((path) => [path, TARGET])) },
});
