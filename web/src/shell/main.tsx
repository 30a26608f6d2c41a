import "../../../public/pages/tokens.css";
import "./base.css";
import "../state/way-back.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { leaveWithAccount } from "../api/holder.ts";
import { keepAsking } from "../state/again.ts";
import { registerWorker } from "../state/new-version.ts";
import { queries, refresh } from "../state/queries.ts";
import { applyTheme } from "../state/theme.ts";
import { App } from "./app.tsx";

applyTheme();
const root = document.getElementById("app");
if (!root) throw new Error("index.html lacks #app");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
keepAsking();
registerWorker();
leaveWithAccount(() => void refresh("me"));
