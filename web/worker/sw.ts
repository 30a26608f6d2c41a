// The service worker: the app opens without a network, always with the files of one build. It keeps the page and the files
// that the build made, and nothing of the API.

const worker = self as unknown as ServiceWorkerGlobalScope;

/**
 * The paths of those files, a hash of them all, and a regular expression for the paths of the app's screens: others are
 * pages of the service, or not there. The build writes all three in here (web/vite-shell.ts).
 */
declare const __SHELL__: readonly string[];
declare const __BUILD__: string;
declare const __SCREENS__: string;

const PREFIX = "shell-";
const CACHE = `${PREFIX}${__BUILD__}`;
const PAGE = "/";

const SCREENS = new RegExp(__SCREENS__);

/** Another build's files under the same name must not come out of the browser's own cache. */
async function keepShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(__SHELL__.map((path) => new Request(path, { cache: "reload", redirect: "error" })));
}

async function forgetOthers(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** Opening the cache would create it again, empty, after the next version has deleted it. */
async function fromShell(path: string, request: Request): Promise<Response> {
  return (await caches.match(path, { cacheName: CACHE })) ?? fetch(request);
}

worker.addEventListener("install", (event) => event.waitUntil(keepShell()));
worker.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));

/** A new version takes over when a person says so. */
worker.addEventListener("message", ({ data }) => {
  if (data === "take over") void worker.skipWaiting();
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate") {
    if (SCREENS.test(pathname)) event.respondWith(fromShell(PAGE, request));
  } else if (__SHELL__.includes(pathname)) event.respondWith(fromShell(pathname, request));
});

/**
 * What the service says of a day (src/features/reminders/agenda.ts) or of a record (notice.ts beside it). One with the same tag
 * takes the place of the one before it. The token lets the buttons act on the record, also with the app closed.
 */
type Notice = {
  title: string;
  body: string;
  path: string;
  /** Not in a message that an earlier version sent, which is about the day. */
  tag?: string;
  token?: string;
  actions?: { action: string; title: string }[];
};

const show = ({ title, body, tag = "today", actions = [], ...others }: Notice): Promise<void> => {
  const options = { body, tag, actions, data: { title, body, tag, ...others }, icon: "/icons/icon-192.png" };
  // A reminder that comes again is to be heard again; the day is not.
  return worker.registration.showNotification(title, {
    ...options,
    renotify: tag !== "today",
  } as NotificationOptions);
};

worker.addEventListener("push", (event) => {
  if (event.data) event.waitUntil(show(event.data.json() as Notice));
});

/** Shows the app: a window that is open, or a new one. */
async function openApp(path: string): Promise<void> {
  const [open] = await worker.clients.matchAll({ type: "window" });
  if (!open) return void (await worker.clients.openWindow(path));
  await open.focus();
  await open.navigate(path);
}

const FAILED = "This could not be done: open it to try again.";

/** Carries out what was chosen. If it cannot be, the notification comes back and says so. */
async function act(notice: Notice, action: string): Promise<void> {
  const { token } = notice;
  const answer = await fetch("/api/reminders/act", {
    method: "POST",
    credentials: "omit",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ reminder_token: token, action }),
  }).catch(() => undefined);
  if (!answer?.ok) return show({ ...notice, body: [FAILED, notice.body].join("\n") });
  // Windows that are open show what has become of it.
  for (const client of await worker.clients.matchAll({ type: "window" }))
    client.postMessage("records changed");
}

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const notice = event.notification.data as Notice;
  event.waitUntil(event.action ? act(notice, event.action) : openApp(notice.path));
});
