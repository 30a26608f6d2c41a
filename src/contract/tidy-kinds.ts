// The findings of "Tidy" and the actions for them, shared by the service, the app and the command line.

export const TIDY_KINDS = [
  "secret",
  "old_secret",
  "trashed_secret",
  "double_record",
  "double_document",
  "contradiction",
  "old_preference",
  "said_done",
  "one_word_topic",
  "unused_document",
  "unlinked_document",
] as const;
export type TidyKind = (typeof TIDY_KINDS)[number];

/** Actions that resolve a finding, besides keeping everything as it is. */
export const TIDY_ACTIONS = [
  "merge",
  "supersede",
  "archive",
  "resolve",
  "rename",
  "delete",
  "erase_versions",
  "erase",
] as const;
export type TidyAction = (typeof TIDY_ACTIONS)[number];

type KindInfo = {
  title: string;
  /** The recommended action first. */
  actions: readonly [TidyAction, ...TidyAction[]];
  /** Why it is a finding. `detail` is specific to the finding. */
  reason: (detail: string) => string;
};

export const TIDY_KIND_INFO: Record<TidyKind, KindInfo> = {
  secret: {
    title: "Secrets",
    actions: ["delete", "erase"],
    reason: (detail) => `It contains what looks like ${detail}. Keep it in a password manager instead`,
  },
  old_secret: {
    title: "Secrets in earlier versions",
    actions: ["erase_versions"],
    reason: (detail) => `An earlier version still contains what looks like ${detail}`,
  },
  trashed_secret: {
    title: "Secrets in the trash",
    actions: ["erase"],
    reason: (detail) => `It is in the trash and contains what looks like ${detail}`,
  },
  double_record: {
    title: "Duplicate records",
    actions: ["merge"],
    reason: (detail) => `They say the same thing, ${detail}`,
  },
  double_document: {
    title: "Duplicate documents",
    actions: ["merge", "delete"],
    reason: (detail) => `They say the same thing, ${detail}`,
  },
  contradiction: {
    title: "Records that contradict each other",
    actions: ["supersede", "archive"],
    reason: () => "They have the same topic, but the later one says something different",
  },
  old_preference: {
    title: "Outdated preferences",
    actions: ["supersede", "archive"],
    reason: (detail) =>
      `The later one says that something has changed (“${detail}”), but the earlier one is still active`,
  },
  said_done: {
    title: "Commitments that say they are done",
    actions: ["resolve"],
    reason: (detail) => `Its text says “${detail}”, but it is still open`,
  },
  one_word_topic: {
    title: "One-word topics",
    actions: ["rename", "archive"],
    reason: (detail) => `“${detail}” alone is hard to recognize in a list`,
  },
  unused_document: {
    title: "Documents unchanged for a year",
    actions: ["delete"],
    reason: (detail) => `Last changed on ${detail}, and no open record belongs to it`,
  },
  unlinked_document: {
    title: "Documents without links",
    actions: ["delete"],
    reason: (detail) =>
      `It links to no other document, none links to it, and it was last changed on ${detail}`,
  },
};

export type TidyItem = { type: "memory" | "document"; id: string };

export type TidyFinding<Item extends TidyItem = TidyItem> = {
  kind: TidyKind;
  /** Of several, the one to keep or the later one is the first. */
  items: Item[];
  /** What `reason` needs to explain it. */
  detail: string;
  /** The affected earlier versions. */
  versions?: number[];
};

/** Identifies the items of a finding regardless of their order, so that a kept finding is not shown again. */
export const findingKey = (items: readonly TidyItem[]): string =>
  items
    .map(({ type, id }) => `${type === "memory" ? "mem" : "doc"}:${id}`)
    .sort()
    .join(",");
