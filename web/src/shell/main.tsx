import "../../../public/pages/tokens.css";
import "./base.css";
import "../state/list-positions.ts";
import "../state/typing-ahead.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { watchAccountChange } from "../api/current-account.ts";
import { registerWorker } from "../state/new-version.ts";
import { ensureMe, queries, refreshResources } from "../state/queries.ts";
import { startRetrying } from "../state/retry-loop.ts";
import { applyTheme } from "../state/theme.ts";
import { App, preloadScreen } from "./app.tsx";

// React creates five errors while its script runs, to throw them later. To record their stacks V8 parses the script again, which
// takes a tenth of a second on a slow phone. This must be the first import of main.tsx.

const limit = Error.stackTraceLimit;
Error.stackTraceLimit = 0;

/** Lets errors record their stacks again. */
function enableStacks(): void {
  Error.stackTraceLimit = limit;
}

enableStacks();
applyTheme();
const root = document.getElementById("app");
if (!root) throw new Error("index.html lacks #app");
const page = createRoot(root);
const render = () =>
  page.render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );

/** Early responses that arrive within this time are part of the first render. */
const EARLY_RENDER_MS = 50;
const firstData = Promise.allSettled([ensureMe(), preloadScreen()]);
Promise.race([firstData, new Promise((resolve) => setTimeout(resolve, EARLY_RENDER_MS))]).then(render);
startRetrying();
registerWorker();
watchAccountChange(() => void refreshResources("me"));
