import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { shell } from "./vite-shell.ts";

// Builds the app into the Worker's static assets. `npx vite web` serves it with hot reloading in front of `npm start`.

const API = process.env.API_URL ?? "http://localhost:8000";
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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), shell()],
  publicDir: false,
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
      },
    },
  },
  server: { port: 5173, proxy: Object.fromEntries(WORKER_PATHS.map((path) => [path, API])) },
});
