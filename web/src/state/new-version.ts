import { firstScreenLoaded } from "./first-screen.ts";
import { refreshMemories } from "./queries.ts";
import { createSharedState } from "./shared-state.ts";

// The page's side of the service worker, which exists in production builds only.

const CHECK_MS = 3_600_000;

const isReady = createSharedState(false);
let isReloading = false;
let waiting: ServiceWorker | undefined;

function announce(worker?: ServiceWorker): void {
  waiting = worker;
  isReady.set(true);
}

function watch(registration: ServiceWorkerRegistration): void {
  const { installing } = registration;
  installing?.addEventListener("statechange", () => {
    if (installing.state === "installed" && navigator.serviceWorker.controller) announce(installing);
  });
}

/** Another worker has taken over this page: the files of the page's version may be gone. */
function handleNewController(): void {
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

/** Makes the app available offline, in browsers with service workers. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  let hadWorker = navigator.serviceWorker.controller !== null;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (hadWorker) handleNewController();
    hadWorker = true;
  });
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data === "records changed") void refreshMemories();
  });
  // Later, because it downloads the whole app.
  firstScreenLoaded.then(register).catch(() => undefined);
}

export function activateNewVersion(): void {
  isReloading = true;
  if (waiting?.state === "installed") waiting.postMessage("take over");
  else location.reload();
}

export const useNewVersion = isReady.use;
