import {
  Download,
  FilePlus,
  Keyboard,
  ListPlus,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plug,
  Sun,
  Upload,
} from "lucide-react";
import { account } from "../api.ts";
import { PLACES } from "../layout/places.ts";
import { toast } from "../parts/toasts.tsx";
import { applyTheme, readTheme, type Theme } from "../state/theme.ts";
import { show } from "../palette/open.ts";

export type Action = {
  name: string;
  /** Other words by which somebody may look for it. */
  words?: string;
  icon: LucideIcon;
  /** The keys that do the same. */
  keys?: string;
  /** Where it leads, or what it does. */
  to: string | (() => void);
};

async function signOut(): Promise<void> {
  try {
    await account.signOut();
    location.assign("/sign-in");
  } catch (problem) {
    toast({ text: (problem as Error).message, kind: "refused" });
  }
}

function chooseTheme(theme: Theme): void {
  const before = readTheme();
  applyTheme(theme);
  toast({ text: `Theme: ${theme}`, undo: () => applyTheme(before) });
}

/** What can be done from everywhere. */
export const ACTIONS: readonly Action[] = [
  { name: "New commitment", words: "record add promise task decision blocker", icon: ListPlus, to: "/?new" },
  { name: "New document", words: "write note add page", icon: FilePlus, to: "/documents/new" },
  ...PLACES.map(({ path, name, key, icon }) => ({ name: `Go to ${name}`, icon, keys: `g ${key}`, to: path })),
  { name: "Import", words: "upload notes files folder", icon: Upload, to: "/settings/transfer" },
  { name: "Export", words: "download backup", icon: Download, to: "/settings/transfer" },
  { name: "Connect Claude", words: "assistant mcp chatgpt", icon: Plug, to: "/settings/connections" },
  { name: "Light theme", words: "bright appearance", icon: Sun, to: () => chooseTheme("light") },
  { name: "Dark theme", words: "night appearance", icon: Moon, to: () => chooseTheme("dark") },
  { name: "Theme of the system", words: "appearance auto", icon: Monitor, to: () => chooseTheme("system") },
  { name: "Keyboard shortcuts", words: "keys help", icon: Keyboard, keys: "?", to: () => show("shortcuts") },
  { name: "Sign out", words: "leave", icon: LogOut, to: signOut },
];

/** The actions in whose name, or further words, every word of the text begins one. */
export function actionsFor(text: string): Action[] {
  const wanted = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return ACTIONS.filter(({ name, words = "" }) => {
    const own = `${name} ${words}`.toLowerCase().split(" ");
    return wanted.every((one) => own.some((word) => word.startsWith(one)));
  });
}
