import { omit } from "../../../src/contract/omit.ts";
import { screenPath } from "../../../src/contract/paths.ts";
import { RECORD_STEPS } from "../features/records/step-actions.ts";
import { SETTINGS_PARTS } from "../features/settings/sections.ts";
import type { ActionInfo } from "../kit/actions.ts";
import { Download, FilePlus, ListPlus, LogOut, Moon, Plug, Settings, Trash2 } from "../kit/icons.tsx";
import { SHOW_SHORTCUTS } from "../kit/keys-button.tsx";
import { signOut as endSession } from "../state/session.ts";
import { applyTheme, readTheme, type Theme } from "../state/theme.ts";
import { toast } from "../state/toasts.ts";
import { Monitor, Sun, Upload } from "./action-icons.ts";
import { NAV_PLACES } from "./places.ts";

export type PaletteAction = ActionInfo & {
  /** Additional search words. */
  words?: string;
  /** Shown beside the name. */
  hint?: string;
  /** A path, or a function that is given the navigation. */
  to: string | ((go: (path: string) => void) => void);
};

/** Ends the session and opens the sign-in page. Shows a toast if that fails. */
export async function signOut(): Promise<void> {
  try {
    await endSession();
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

/** Actions available on every screen. */
export const ACTIONS: readonly PaletteAction[] = [
  { name: "New commitment", words: "record add promise task decision blocker", icon: ListPlus, to: "/?new" },
  { name: "New document", words: "write note add page", icon: FilePlus, to: screenPath("document", "new") },
  ...NAV_PLACES.map(({ path, name, key, icon }) => ({
    name: `Go to ${name}`,
    icon,
    shortcut: `g ${key}`,
    to: path,
  })),
  {
    name: "Go to the trash",
    words: "deleted bin restore",
    icon: Trash2,
    to: `${screenPath("documents")}?view=trash`,
  },
  { name: "Import", words: "upload notes files folder", icon: Upload, to: screenPath("transfer") },
  { name: "Export", words: "download backup", icon: Download, to: screenPath("transfer") },
  { name: "Connect Claude", words: "assistant mcp chatgpt", icon: Plug, to: screenPath("connections") },
  { name: "Light theme", words: "bright appearance", icon: Sun, to: () => chooseTheme("light") },
  { name: "Dark theme", words: "night appearance", icon: Moon, to: () => chooseTheme("dark") },
  { name: "Use system theme", words: "appearance auto", icon: Monitor, to: () => chooseTheme("system") },
  { ...SHOW_SHORTCUTS, words: "keys help", to: SHOW_SHORTCUTS.run },
  { name: "Sign out", words: "leave log out logout", icon: LogOut, to: signOut },
];

/** The parts of Settings. Not listed initially, but found by search. */
const SETTINGS: readonly PaletteAction[] = SETTINGS_PARTS.map(({ id, title, words }) => ({
  name: `Settings: ${title}`,
  words,
  icon: Settings,
  to: `${screenPath("settings")}#${id}`,
}));

/** Actions on a record, found by search where no record is open or selected. They lead to the list of records. */
export const RECORD_ACTIONS: readonly PaletteAction[] = (["resolve", "reschedule", "defer"] as const).map(
  (step) => ({
    ...omit(RECORD_STEPS[step], "shortcut", "done"),
    hint: "Needs a record",
    to: screenPath("records"),
  }),
);

/** Whether an action matches a search: each typed word is a prefix of a word in its name or its search words. */
export function matchesSearch(text: string): (action: ActionInfo) => boolean {
  const plain = (words: string) => words.toLowerCase().replaceAll("’", "'");
  const wanted = plain(text).split(/\s+/u).filter(Boolean);
  return ({ name, words = "" }) => {
    const own = plain(`${name} ${words}`).split(/[\s:]+/u);
    return wanted.every((one) => own.some((word) => word.startsWith(one)));
  };
}

export const searchActions = (text: string, all: readonly PaletteAction[]): PaletteAction[] =>
  [...all, ...(text.trim() === "" ? [] : SETTINGS)].filter(matchesSearch(text));
