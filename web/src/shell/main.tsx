import { enableStacks } from "./without-stacks.ts";
import "../../../public/pages/tokens.css";
import "./base.css";
import "../state/list-positions.ts";
import "../state/typing-ahead.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { watchAccountChange } from "../api/current-account.ts";
import { registerWorker } from "../state/new-version.ts";
import { offerInstall } from "../state/offer-install.ts";
import { ensureMe, queries, refreshResources } from "../state/queries.ts";
import { startRetrying } from "../state/retry-loop.ts";
import { applyTheme } from "../state/theme.ts";
import { App, preloadScreen } from "./app.tsx";

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
const EARLY_RENDER_MS = 150;
const firstData = Promise.allSettled([ensureMe(), preloadScreen()]);
Promise.race([firstData, new Promise((resolve) => setTimeout(resolve, EARLY_RENDER_MS))]).then(render);
startRetrying();
registerWorker();
offerInstall();
watchAccountChange(() => void refreshResources("me"));
