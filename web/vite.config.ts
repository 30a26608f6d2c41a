import { join } from "node:path";
import { fileURLToPath } from "node:url";
import locales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { compileHint } from "./vite-compile-hint.ts";
import { early } from "./vite-early.ts";
import { shell } from "./vite-shell.ts";

// Builds the app into the Worker's static assets. `npx vite web` serves it with hot reloading in front of `npm start`.

const API = process.env.API_URL ?? "http://localhost:8000";
/** Requests keep their Host header: the server accepts forms only from its own origin, which is this address. */
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

/** The browser build of this package uses `document`, which workers lack. */
const entities = (): Plugin => ({
  name: "entities",
  enforce: "pre",
  resolveId: (id) => (id === ENTITIES ? fileURLToPath(import.meta.resolve(ENTITIES)) : null),
});

const HTML = "@codemirror/lang-html";

/**
 * The Markdown editor imports the HTML languages for a function that is not used here, which would add 75 kB. They are loaded
 * when a code block needs one of them.
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
 * Modules that share a chunk: separate files would mean dozens of requests per screen and compress worse. A group includes the
 * imports of its modules unless an earlier group has them, so the most widely shared groups come first.
 */
const GROUPS = [
  // Needed by every screen before its first paint. The style sheets of the shell are part of it, not a second one.
  {
    name: "base",
    tags: ["$initial"],
    test: any("node_modules", "web/src/(?!shell/.*tsx?$)", "src/(?:contract|shared)/", "pages/tokens"),
  },
  { name: "focus", test: any(`${ARIA}(?:focus|toolbar|overlays/ariaHide)`) },
  // Needed by the first rows of the document list, and by other screens about documents.
  {
    name: "things",
    test: any(
      "web/src/features/(?:things/(?:pinned|pending-lists|list-filter|document-action-info)|folders/(?:folder-query|folders)|tags/tags\\.ts)",
      "web/src/features/documents/(?:list-query|data|pinned|focused-row|row-height|row-look|(?:documents|list)\\.module)",
      "web/src/kit/(?:menu(?:-button)?\\.tsx|title-text)",
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
  // Lists of every kind: menus, choices, and the groups below.
  {
    name: "choices",
    test: any(
      `${ARIA}(?:(?:collections|selection|list|listbox|autocomplete)/|Collection|ListBox|Autocomplete)`,
      "react-aria-components/dist/private/intl",
      `${ARIA}utils/useUpdateEffect`,
    ),
  },
  // Words for days and reminders, for search and Settings too.
  {
    name: "days",
    test: any(
      "src/contract/(?:by-name|day-names|reminder-text|repeat/day-numbers)\\.ts",
      "src/shared/when/day-steps",
    ),
  },
  // What reads quick entry and shows what was understood: Today loads all of it when it is idle, a record its day and its rule.
  { name: "schedule", test: any("src/contract/repeat/(?:rule|rule-text|vocabulary)\\.ts") },
  { name: "day", test: any("src/shared/when/day\\.ts") },
  { name: "entry", test: any("web/src/features/things/read-entry") },
  { name: "rows", test: any(`${ARIA}(?:grid|intl/grid|gridlist)/`) },
  // Lists with draggable rows or thousands of rows.
  {
    name: "grid",
    test: any(
      `${ARIA}(?:(?:dnd|intl/dnd|virtualizer|layout)/|GridList|Virtualizer|DropZone|DragAndDrop|useDragAndDrop)`,
    ),
  },
].map((group, place, all) => ({ ...group, priority: all.length - place }));

export default defineConfig({
  root: import.meta.dirname,
  // React Aria's own texts, mostly for screen readers: only in English, like the app, instead of 34 languages.
  plugins: [
    locales.vite({ locales: ["en-US"] }),
    react(),
    early(),
    compileHint(),
    shell(),
    markdownWithoutHtml(),
  ],
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
        // A service worker controls only the paths below its own.
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "app/[name]-[hash].js"),
        codeSplitting: { groups: GROUPS },
      },
    },
  },
  server: { port: 5173, proxy: Object.fromEntries(WORKER_PATHS.map((path) => [path, TARGET])) },
});
