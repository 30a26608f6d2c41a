import "../../../public/pages/tokens.css";
import "./base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "../app.tsx";
import { registerWorker } from "../state/new-version.ts";
import { queries } from "../state/queries.ts";
import { applyTheme } from "../state/theme.ts";

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
registerWorker();
// "Back" may restore a page from the browser's cache after its account has signed out.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
