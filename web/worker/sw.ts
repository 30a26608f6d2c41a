// The service worker: lets the app open offline, always with the files of a single build. It caches the page and the files of
// the build, and nothing of the API.

const worker = self as unknown as ServiceWorkerGlobalScope;

/**
 * The paths of those files, a hash of them all, and a regular expression for the paths of the app's screens; other paths are
 * served by the server. All three are inserted by the build (web/vite-shell.ts).
 */
declare const __SHELL__: readonly string[];
declare const __BUILD__: string;
declare const __SCREENS__: string;

const PREFIX = "shell-";
const CACHE = `${PREFIX}${__BUILD__}`;
const PAGE = "/";

const SCREENS = new RegExp(__SCREENS__);

/** Bypasses the browser's HTTP cache, which may have a file of the same name from another build. */
async function cacheShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(__SHELL__.map((path) => new Request(path, { cache: "reload", redirect: "error" })));
}

async function deleteOldCaches(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** Does not open the cache: that would recreate it, empty, after the next version has deleted it. */
async function shellResponse(path: string, request: Request): Promise<Response> {
  return (await caches.match(path, { cacheName: CACHE })) ?? fetch(request);
}

/** Between the requests for a page's files, much less than its scripts then run. */
const PAUSE_MS = 30;
let warming: ReturnType<typeof setTimeout> | undefined;

/**
 * Uses Intl once after the files of a page. The first use in a process takes 20 to 60 ms of processor time, which the page, in
 * the same process, would otherwise spend before it shows its first rows.
 */
function warmIntl(): void {
  clearTimeout(warming);
  warming = setTimeout(() => new Intl.DateTimeFormat().format(), PAUSE_MS);
}

worker.addEventListener("install", (event) => event.waitUntil(cacheShell()));
worker.addEventListener("activate", (event) => event.waitUntil(deleteOldCaches()));

/** A new version takes over when the user chooses to reload. */
worker.addEventListener("message", ({ data }) => {
  if (data === "take over") void worker.skipWaiting();
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate") {
    if (SCREENS.test(pathname)) event.respondWith(shellResponse(PAGE, request));
  } else if (__SHELL__.includes(pathname)) {
    event.respondWith(shellResponse(pathname, request));
    warmIntl();
  }
});

/**
 * A push message about a day (src/features/reminders/agenda.ts) or a record (messages.ts next to it). A notification replaces an
 * earlier one with the same tag. The token lets its buttons act on the record even when the app is closed.
 */
type Notice = {
  title: string;
  body: string;
  path: string;
  /** Missing in messages of earlier versions, which are about the day. */
  tag?: string;
  token?: string;
  actions?: { action: string; title: string }[];
};

const showNotice = ({ title, body, tag = "today", actions = [], ...others }: Notice): Promise<void> => {
  const data = { title, body, tag, ...others };
  // Repeated reminders alert again; an updated day does not.
  const options = { body, tag, actions, data, icon: "/icons/icon-192.png", renotify: tag !== "today" };
  return worker.registration.showNotification(title, options as NotificationOptions);
};

worker.addEventListener("push", (event) => {
  if (event.data) event.waitUntil(showNotice(event.data.json() as Notice));
});

/** Opens a path in an open window of the app, or in a new one. */
async function openApp(path: string): Promise<void> {
  const [open] = await worker.clients.matchAll({ type: "window" });
  if (!open) return void (await worker.clients.openWindow(path));
  await open.focus();
  await open.navigate(path);
}

const ACTION_FAILED = "This didn’t work. Open it to try again.";

/** Runs the chosen action. If that fails, shows the notification again with an error. */
async function runAction(notice: Notice, action: string): Promise<void> {
  const { token } = notice;
  const answer = await fetch("/api/reminders/act", {
    method: "POST",
    credentials: "omit",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ reminder_token: token, action }),
  }).catch(() => undefined);
  if (!answer?.ok) return showNotice({ ...notice, body: [ACTION_FAILED, notice.body].join("\n") });
  // Open windows refresh their records.
  for (const client of await worker.clients.matchAll({ type: "window" }))
    client.postMessage("records changed");
}

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const notice = event.notification.data as Notice;
  event.waitUntil(event.action ? runAction(notice, event.action) : openApp(notice.path));
});
