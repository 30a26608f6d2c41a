// What "Tidy" finds, and what can be done about it. The service, the app and the command line share it.

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
] as const;
export type TidyKind = (typeof TIDY_KINDS)[number];

/** What settles a finding, besides keeping all as it is. */
export const TIDY_ACTIONS = [
  ...(["merge", "supersede", "archive", "resolve", "rename", "delete", "erase_versions", "erase"] as const),
] as const;
export type TidyAction = (typeof TIDY_ACTIONS)[number];

type About = {
  title: string;
  /** The first is the one to be expected. */
  actions: readonly [TidyAction, ...TidyAction[]];
  /** Why it is a finding. `detail` is what this one has of its own. */
  reason: (detail: string) => string;
};

export const TIDY: Record<TidyKind, About> = {
  secret: {
    title: "Secrets",
    actions: ["delete", "erase"],
    reason: (detail) => `It contains what looks like ${detail}. A password manager is the place for it`,
  },
  old_secret: {
    title: "Secrets in earlier versions",
    actions: ["erase_versions"],
    reason: (detail) => `An earlier version still contains what looks like ${detail}`,
  },
  trashed_secret: {
    title: "Secrets in the trash",
    actions: ["erase"],
    reason: (detail) => `It is in the trash, and contains what looks like ${detail}`,
  },
  double_record: {
    title: "Records that say the same",
    actions: ["merge"],
    reason: (detail) => `They say the same, ${detail}`,
  },
  double_document: {
    title: "Documents that say the same",
    actions: ["merge", "delete"],
    reason: (detail) => `They say the same, ${detail}`,
  },
  contradiction: {
    title: "Records that contradict each other",
    actions: ["supersede", "archive"],
    reason: () => "They have the same topic, and the later one says otherwise",
  },
  old_preference: {
    title: "Preferences that a later one replaces",
    actions: ["supersede", "archive"],
    reason: (detail) =>
      `The later one says that it has changed (“${detail}”), and the earlier one still holds`,
  },
  said_done: {
    title: "Commitments that say they are done",
    actions: ["resolve"],
    reason: (detail) => `Its text says “${detail}”, and it is still open`,
  },
  one_word_topic: {
    title: "Topics of one word",
    actions: ["rename", "archive"],
    reason: (detail) => `“${detail}” alone says little in a list`,
  },
  unused_document: {
    title: "Documents that nobody has changed for a year",
    actions: ["delete"],
    reason: (detail) => `Last changed on ${detail}, and no record that is open belongs to it`,
  },
};

export type TidyItem = { type: "memory" | "document"; id: string };

/** One finding. Of several things the one that stays, or the later one, comes first. `versions`: those that it is about. */
export type Finding<Item extends TidyItem = TidyItem> = {
  kind: TidyKind;
  items: Item[];
  detail: string;
  versions?: number[];
};

/** What identifies the things of a finding, in whatever order they are: so that it is not asked again. */
export const keyOf = (items: readonly TidyItem[]): string =>
  items
    .map(({ type, id }) => `${type === "memory" ? "mem" : "doc"}:${id}`)
    .sort()
    .join(",");
