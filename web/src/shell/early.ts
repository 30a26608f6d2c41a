import { type ScreenName, screenAt } from "../../../src/contract/paths.ts";
import { sendEarlyRequests } from "../api/early-requests.ts";
import { urlWithQuery } from "../api/query-url.ts";
import { documentsPageQuery } from "../features/documents/list-query.ts";
import { parseDocumentsView } from "../features/documents/view.ts";
import { folderPageQuery } from "../features/folders/folder-query.ts";
import { PINNED_QUERY } from "../features/things/pinned-query.ts";
import { pageQueryAt, todayQueries } from "../features/today/today-queries.ts";
import { PHONE } from "../kit/phone.ts";

// A separate small script that runs before the app's other scripts. It sends the first requests of every screen and of Today
// while those load, and preloads the files of the current screen.

/** File names, and per screen the indexes of the files that it needs in addition to those of every screen. */
export type ScreenFiles = { names: readonly string[]; of: Partial<Record<ScreenName, readonly number[]>> };

/** Inserted by the build (web/vite-early.ts). */
declare const __FILES__: ScreenFiles;

function preloadFile(name: string): void {
  const isStyle = name.endsWith(".css");
  const attributes = { rel: isStyle ? "stylesheet" : "modulepreload", href: `/${name}` };
  // With the app's own CORS mode, otherwise the files would be loaded twice.
  const link = Object.assign(document.createElement("link"), { ...attributes, crossOrigin: "" });
  if (isStyle) link.dataset.early = "";
  document.head.append(link);
}

const todayUrls = () =>
  Object.values(todayQueries()).map((query) =>
    urlWithQuery("/api/memories", { ...query, ...pageQueryAt(0) }),
  );

function documentsUrls(): string[] {
  const place = parseDocumentsView(location.search);
  const rows = urlWithQuery("/api/documents", documentsPageQuery(place, 0));
  const folders = urlWithQuery("/api/folders", folderPageQuery(0));
  return place.view === "trash" ? [folders] : [rows, urlWithQuery("/api/documents", PINNED_QUERY), folders];
}

const SUMMARY = "/api/dashboard/summary";
/** For the projects in the sidebar. */
const sidebarUrls = () => (matchMedia(PHONE).matches ? [] : [SUMMARY]);

function screenUrls(screen: ScreenName | undefined): string[] {
  if (screen === "today") return [SUMMARY, ...todayUrls()];
  return [...(screen === "documents" ? documentsUrls() : []), ...sidebarUrls()];
}

const screen = screenAt(location.pathname);
sendEarlyRequests(["/api/auth/me", ...screenUrls(screen)]);
const { names, of } = __FILES__;
const places = new Set(screen && of[screen]);
for (const name of names.filter((_, place) => places.has(place))) preloadFile(name);
// The first use of Intl takes 20 to 60 ms of processor time, which is idle now. A service worker has the files at hand, and does
// this itself (web/worker/sw.ts).
if (!navigator.serviceWorker?.controller) setTimeout(() => Intl.DateTimeFormat().format());
