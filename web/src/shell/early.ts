import { type ScreenName, screenAt } from "../../../src/contract/paths.ts";
import { addressOf } from "../api/address.ts";
import { begin } from "../api/begun.ts";
import { dueBefore, pageAt, queriesOf } from "../features/today/asked.ts";
import { PHONE } from "../kit/phone.ts";

// A script of its own, which is there before the others: what every screen asks first, and Today, is on its way while they
// are loaded, and with them the files of the screen.

/** Names of files, and the places in them of those that a screen needs besides what all need. */
export type FilesOfScreens = { names: readonly string[]; of: Partial<Record<ScreenName, readonly number[]>> };

/** The build writes them in here (web/vite-early.ts). */
declare const __FILES__: FilesOfScreens;

function preload(name: string): void {
  const how = name.endsWith(".css") ? { rel: "preload", as: "style" } : { rel: "modulepreload" };
  // In the mode in which the app asks for them, or they would be loaded twice.
  const link = Object.assign(document.createElement("link"), { ...how, crossOrigin: "", href: `/${name}` });
  document.head.append(link);
}

const ofToday = () =>
  Object.values(queriesOf(dueBefore())).map((query) =>
    addressOf("/api/memories", { ...query, ...pageAt(0) }),
  );

const screen = screenAt(location.pathname);
const SUMMARY = "/api/dashboard/summary";
if (screen === "today") begin(["/api/auth/me", SUMMARY, ...ofToday()]);
// The projects in the sidebar.
else begin(["/api/auth/me", ...(matchMedia(PHONE).matches ? [] : [SUMMARY])]);
const { names, of } = __FILES__;
const places = new Set(screen && of[screen]);
for (const name of names.filter((_, place) => places.has(place))) preload(name);
