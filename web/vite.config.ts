import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

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
  plugins: [react()],
  publicDir: false,
  build: {
    outDir: "../public",
    emptyOutDir: false,
    assetsDir: "app",
    target: "baseline-widely-available",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  server: { port: 5173, proxy: Object.fromEntries(WORKER_PATHS.map((path) => [path, API])) },
});
