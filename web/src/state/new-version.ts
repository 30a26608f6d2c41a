import { firstAnswers } from "./first-answers.ts";
import { refreshMemories } from "./queries.ts";
import { storeOf } from "./store.ts";

// The service worker as the page sees it. It exists in a production build only.

const CHECK_MS = 3_600_000;

const ready = storeOf(false);
let isReloading = false;
let waiting: ServiceWorker | undefined;

function announce(worker?: ServiceWorker): void {
  waiting = worker;
  ready.set(true);
}

function watch(registration: ServiceWorkerRegistration): void {
  const { installing } = registration;
  installing?.addEventListener("statechange", () => {
    if (installing.state === "installed" && navigator.serviceWorker.controller) announce(installing);
  });
}

/** The page is under a worker that it did not start with: its files may be gone. */
function overtaken(): void {
  if (isReloading) location.reload();
  else announce();
}

async function register(): Promise<void> {
  const registration = await navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" });
  if (registration.waiting && navigator.serviceWorker.controller) announce(registration.waiting);
  watch(registration);
  registration.addEventListener("updatefound", () => watch(registration));
  const check = () => navigator.onLine && registration.update().catch(() => undefined);
  setInterval(check, CHECK_MS);
  document.addEventListener("visibilitychange", () => !document.hidden && check());
}

/** Lets the app open without a network from now on. Browsers without service workers do without. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  let hadWorker = navigator.serviceWorker.controller !== null;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (hadWorker) overtaken();
    hadWorker = true;
  });
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data === "records changed") void refreshMemories();
  });
  // It downloads the whole app.
  firstAnswers.then(register).catch(() => undefined);
}

/** Changes to the new version. */
export function reload(): void {
  isReloading = true;
  if (waiting?.state === "installed") waiting.postMessage("take over");
  else location.reload();
}

/** Whether a new version waits to be used. */
export const useNewVersion = ready.use;
