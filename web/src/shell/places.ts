import { SCREENS, type TitledScreenName } from "../../../src/contract/paths.ts";
import {
  Activity,
  CalendarCheck,
  CalendarDays,
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
