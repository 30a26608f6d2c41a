import { type ScreenName, screenAt } from "../../../src/contract/paths.ts";
import { addressOf } from "../api/address.ts";
import { begin } from "../api/begun.ts";
import { pageOf } from "../features/documents/asked.ts";
import { placeOf } from "../features/documents/place.ts";
import { foldersFrom } from "../features/folders/asked.ts";
import { PINNED_QUERY } from "../features/things/pinned-query.ts";
import { dueBefore, pageAt, queriesOf } from "../features/today/asked.ts";
import { PHONE } from "../kit/phone.ts";

// A script of its own, which is there before the others: what every screen asks first, and Today, is on its way while they
// are loaded, and with them the files of the screen.

/** Names of files, and the places in them of those that a screen needs besides what all need. */
export type FilesOfScreens = { names: readonly string[]; of: Partial<Record<ScreenName, readonly number[]>> };

/** The build writes them in here (web/vite-early.ts). */
declare const __FILES__: FilesOfScreens;

function load(name: string): void {
  const isStyle = name.endsWith(".css");
  const how = { rel: isStyle ? "stylesheet" : "modulepreload", href: `/${name}` };
  // In the mode in which the app asks for them, or they would be loaded twice.
  const link = Object.assign(document.createElement("link"), { ...how, crossOrigin: "" });
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
/** The projects in the sidebar. */
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
