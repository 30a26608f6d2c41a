import {
  Activity,
  CalendarCheck,
  FileText,
  History,
  ListChecks,
  type LucideIcon,
  Plug,
  Search,
  Settings,
} from "lucide-react";

export type Place = { path: string; name: string; key: string; icon: LucideIcon };

/** The screens of the navigation. `g` and then the key goes there. */
export const PLACES: readonly Place[] = [
  { path: "/", name: "Today", key: "t", icon: CalendarCheck },
  { path: "/search", name: "Search", key: "s", icon: Search },
  { path: "/documents", name: "Documents", key: "d", icon: FileText },
  { path: "/records", name: "Records", key: "r", icon: ListChecks },
  { path: "/history", name: "History", key: "h", icon: History },
  { path: "/activity", name: "Activity", key: "a", icon: Activity },
  { path: "/settings/connections", name: "Connections", key: "c", icon: Plug },
  { path: "/settings", name: "Settings", key: "p", icon: Settings },
];
