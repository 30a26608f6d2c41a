import { noteStacks } from "./without-stacks.ts";
import "../../../public/pages/tokens.css";
import "./base.css";
import "../state/way-back.ts";
import "../state/typing-ahead.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { leaveWithAccount } from "../api/holder.ts";
import { keepAsking } from "../state/again.ts";
import { registerWorker } from "../state/new-version.ts";
import { knownMe, queries, refresh } from "../state/queries.ts";
import { applyTheme } from "../state/theme.ts";
import { App, beginScreen } from "./app.tsx";

noteStacks();
applyTheme();
const root = document.getElementById("app");
if (!root) throw new Error("index.html lacks #app");
const page = createRoot(root);
const show = () =>
  page.render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );

/** Early responses that arrive within this time are part of the first render. */
const TAKEN_MS = 50;
const taken = Promise.allSettled([knownMe(), beginScreen()]);
Promise.race([taken, new Promise((resolve) => setTimeout(resolve, TAKEN_MS))]).then(show);
keepAsking();
registerWorker();
leaveWithAccount(() => void refresh("me"));
