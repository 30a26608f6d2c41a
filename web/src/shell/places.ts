import { SCREENS, type TitledName } from "../../../src/contract/paths.ts";
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

export type Place = { path: string; name: string; key: string; icon: Icon };

const placeOf = (screen: TitledName, key: string, icon: Icon): Place => ({
  path: SCREENS[screen].path,
  name: SCREENS[screen].title,
  key,
  icon,
});

/** The screens in the navigation. `g` followed by the key opens one. */
export const PLACES: readonly Place[] = [
  placeOf("today", "t", CalendarCheck),
  placeOf("calendar", "k", CalendarDays),
  placeOf("search", "s", Search),
  placeOf("documents", "d", FileText),
  placeOf("files", "f", Files),
  placeOf("records", "r", ListChecks),
  placeOf("history", "h", History),
  placeOf("activity", "a", Activity),
  placeOf("tidy", "y", CheckCheck),
  placeOf("connections", "c", Plug),
  placeOf("settings", "p", Settings),
];
