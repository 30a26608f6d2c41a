import { SCREENS, screenPath, type TitledScreenName } from "../../../src/contract/paths.ts";
import type { Action } from "../kit/actions.ts";
import {
  Activity,
  CalendarCheck,
  CalendarDays,
  CalendarRange,
  CheckCheck,
  Files,
  FileText,
  History,
  type Icon,
  ListChecks,
  Plug,
  Search,
  Settings,
} from "../kit/icons.tsx";
import { SHOW_SHORTCUTS } from "../kit/keys-button.tsx";
import { togglePalette } from "../state/overlay.ts";
import { undoLatest } from "../state/toasts.ts";

export type NavPlace = { path: string; name: string; key: string; icon: Icon };

const navPlace = (screen: TitledScreenName, key: string, icon: Icon): NavPlace => ({
  path: SCREENS[screen].path,
  name: SCREENS[screen].title,
  key,
  icon,
});

/** The screens in the navigation. `g` followed by the key opens one. */
export const NAV_PLACES: readonly NavPlace[] = [
  navPlace("today", "t", CalendarCheck),
  navPlace("upcoming", "u", CalendarRange),
  navPlace("calendar", "k", CalendarDays),
  navPlace("search", "s", Search),
  navPlace("documents", "d", FileText),
  navPlace("files", "f", Files),
  navPlace("records", "r", ListChecks),
  navPlace("history", "h", History),
  navPlace("activity", "a", Activity),
  navPlace("tidy", "y", CheckCheck),
  navPlace("connections", "c", Plug),
  navPlace("settings", "p", Settings),
];

/** The actions that have a key on every screen. */
export const globalActions = (navigate: (path: string) => void): Action[] => [
  { name: "Search or run a command", shortcut: "mod+k", run: togglePalette },
  { name: "Search", shortcut: "/", run: () => navigate(screenPath("search")) },
  { name: "Undo the last action", shortcut: "u", run: undoLatest },
  SHOW_SHORTCUTS,
];
