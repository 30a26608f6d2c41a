import { type ScreenName, screenAt } from "../../../src/contract/paths.ts";
import { addressOf } from "../api/address.ts";
import { begin } from "../api/begun.ts";
import { pageOf } from "../features/documents/asked.ts";
import { placeOf } from "../features/documents/place.ts";
import { foldersFrom } from "../features/folders/asked.ts";
import { PINNED_QUERY } from "../features/things/pinned-query.ts";
import { dueBefore, pageAt, queriesOf } from "../features/today/asked.ts";
import { PHONE } from "../kit/phone.ts";

// A separate small script that runs before the app's other scripts. It sends the first requests of every screen and of Today
// while those load, and preloads the files of the current screen.

/** File names, and per screen the indexes of the files that it needs in addition to those of every screen. */
export type FilesOfScreens = { names: readonly string[]; of: Partial<Record<ScreenName, readonly number[]>> };

/** Inserted by the build (web/vite-early.ts). */
declare const __FILES__: FilesOfScreens;

function load(name: string): void {
  const isStyle = name.endsWith(".css");
  const attributes = { rel: isStyle ? "stylesheet" : "modulepreload", href: `/${name}` };
  // With the app's own CORS mode, otherwise the files would be loaded twice.
  const link = Object.assign(document.createElement("link"), { ...attributes, crossOrigin: "" });
  if (isStyle) link.dataset.early = "";
  document.head.append(link);
}

const ofToday = () =>
  Object.values(queriesOf(dueBefore())).map((query) =>
    addressOf("/api/memories", { ...query, ...pageAt(0) }),
  );

function ofDocuments(): string[] {
  const place = placeOf(location.search);
  const rows = addressOf("/api/documents", pageOf(place, 0));
  const folders = addressOf("/api/folders", foldersFrom(0));
  return place.view === "trash" ? [folders] : [rows, addressOf("/api/documents", PINNED_QUERY), folders];
}

const SUMMARY = "/api/dashboard/summary";
/** For the projects in the sidebar. */
const ofSidebar = () => (matchMedia(PHONE).matches ? [] : [SUMMARY]);

function ofScreen(screen: ScreenName | undefined): string[] {
  if (screen === "today") return [SUMMARY, ...ofToday()];
  return [...(screen === "documents" ? ofDocuments() : []), ...ofSidebar()];
}

const screen = screenAt(location.pathname);
begin(["/api/auth/me", ...ofScreen(screen)]);
const { names, of } = __FILES__;
const places = new Set(screen && of[screen]);
for (const name of names.filter((_, place) => places.has(place))) load(name);
