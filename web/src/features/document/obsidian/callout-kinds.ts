// The kinds of Obsidian's callouts, `> [!warning] Title`.

/** A callout's colours, as they are named in tokens.css. */
type Colour = "blue" | "accent" | "warn" | "danger" | "violet" | "quiet";

export type CalloutKind = {
  name: string;
  colour: Colour;
  /** The path of an icon of Lucide, as in kit/icons.tsx. */
  icon: string;
};

const CIRCLE = "M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0";
const NOTE: CalloutKind = {
  name: "Note",
  colour: "blue",
  icon: "M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497zM15 5l4 4",
};

const KINDS: Readonly<Record<string, CalloutKind>> = {
  note: NOTE,
  abstract: { name: "Abstract", colour: "blue", icon: "M15 12H3M17 18H3M21 6H3" },
  info: { name: "Info", colour: "blue", icon: `${CIRCLE}M12 16v-4M12 8h.01` },
  todo: { name: "To do", colour: "blue", icon: `${CIRCLE}M9 12l2 2 4-4` },
  tip: {
    name: "Tip",
    colour: "accent",
    icon: "M12 3q1 4 4 6.5t3 5.5a1 1 0 0 1-14 0 5 5 0 0 1 1-3 1 1 0 0 0 5 0c0-2-1.5-3-1.5-5q0-2 2.5-4",
  },
  success: { name: "Success", colour: "accent", icon: "M20 6 9 17l-5-5" },
  question: {
    name: "Question",
    colour: "warn",
    icon: `${CIRCLE}M9.09 9a3 3 0 0 1 5.83 1c0 2-3 3-3 3M12 17h.01`,
  },
  warning: {
    name: "Warning",
    colour: "warn",
    icon: "M21.73 18l-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3M12 9v4M12 17h.01",
  },
  failure: { name: "Failure", colour: "danger", icon: "M18 6 6 18M6 6l12 12" },
  danger: {
    name: "Danger",
    colour: "danger",
    icon: "M4 14a1 1 0 0 1-.78-1.63l9.9-10.2a.5.5 0 0 1 .86.46l-1.92 6.02A1 1 0 0 0 13 10h7a1 1 0 0 1 .78 1.63l-9.9 10.2a.5.5 0 0 1-.86-.46l1.92-6.02A1 1 0 0 0 11 14z",
  },
  bug: {
    name: "Bug",
    colour: "danger",
    icon: "M12 20v-9M14 7a4 4 0 0 1 4 4v3a6 6 0 0 1-12 0v-3a4 4 0 0 1 4-4zM14.12 3.88 16 2M21 21a4 4 0 0 0-3.81-4M21 5a4 4 0 0 1-3.55 3.97M22 13h-4M3 21a4 4 0 0 1 3.81-4M3 5a4 4 0 0 0 3.55 3.97M6 13H2M8 2l1.88 1.88M9 7.13V6a3 3 0 1 1 6 0v1.13",
  },
  example: { name: "Example", colour: "violet", icon: "M3 5h.01M3 12h.01M3 19h.01M8 5h13M8 12h13M8 19h13" },
  quote: {
    name: "Quote",
    colour: "quiet",
    icon: "M16 3a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2 1 1 0 0 1 1 1v1a2 2 0 0 1-2 2 1 1 0 0 0-1 1v2a1 1 0 0 0 1 1 6 6 0 0 0 6-6V5a2 2 0 0 0-2-2zM5 3a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2 1 1 0 0 1 1 1v1a2 2 0 0 1-2 2 1 1 0 0 0-1 1v2a1 1 0 0 0 1 1 6 6 0 0 0 6-6V5a2 2 0 0 0-2-2z",
  },
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ summary: "abstract", tldr: "abstract", hint: "tip", important: "tip", check: "success" },
  ...{ done: "success", help: "question", faq: "question", caution: "warning", attention: "warning" },
  ...{ fail: "failure", missing: "failure", error: "danger", cite: "quote" },
};

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).replace(/[-_]/g, " ");

/** The kind with a name. As in Obsidian, an unknown one looks like a note and keeps its name. */
export function calloutKind(written: string): CalloutKind {
  const name = written.toLowerCase();
  if (Object.hasOwn(KINDS, name)) return KINDS[name] as CalloutKind;
  const other = Object.hasOwn(OTHER_NAMES, name) ? KINDS[OTHER_NAMES[name] ?? ""] : undefined;
  return { ...(other ?? NOTE), name: capitalized(name) };
}

/** The beginning of a callout's first line: its kind, and `-` or `+` if it folds. */
export const CALLOUT_START = /^\[!([a-z][\w-]{0,40})(?:\|[^[\]\n]{0,100})?\]([+-]?)(?:[ \t]+|(?=\n|$))/i;
