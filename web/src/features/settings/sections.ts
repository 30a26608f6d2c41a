// The settings by their anchors. The screen, its contents and the palette read them here.

export type Part = {
  id: string;
  title: string;
  /** Other words by which somebody may look for it. */
  words: string;
};
export type Group = { id: string; title: string; parts: readonly Part[] };

export const GROUPS = [
  {
    id: "you",
    title: "You",
    parts: [
      { id: "profile", title: "Name and time zone", words: "profile stale days" },
      { id: "appearance", title: "Appearance", words: "theme dark light colours" },
      { id: "on-device", title: "On this device", words: "offline network copies" },
      { id: "email", title: "Email address", words: "mail confirm" },
    ],
  },
  {
    id: "notifications",
    title: "Notifications",
    parts: [
      { id: "reminders", title: "Reminders", words: "push daily email due" },
      { id: "calendar", title: "Calendar", words: "feed ics subscribe" },
    ],
  },
  {
    id: "security",
    title: "Security",
    parts: [
      { id: "password", title: "Password", words: "change" },
      { id: "second-factor", title: "Second factor", words: "totp code two authenticator recovery" },
      { id: "passkeys", title: "Passkeys", words: "fingerprint face key" },
      { id: "sessions", title: "Where you are signed in", words: "sessions browsers devices everywhere" },
      { id: "events", title: "What happened", words: "log sign-ins" },
    ],
  },
  {
    id: "data",
    title: "Data",
    parts: [
      { id: "usage", title: "Usage", words: "plan limits storage" },
      { id: "delete-account", title: "Delete your account", words: "erase close" },
    ],
  },
] as const satisfies readonly Group[];

export type GroupId = (typeof GROUPS)[number]["id"];
export type PartId = (typeof GROUPS)[number]["parts"][number]["id"];

const all: readonly Group[] = GROUPS;

/** The group that an anchor is, or is in. */
export const groupAt = (anchor: string): Group | undefined =>
  all.find(({ id, parts }) => id === anchor || parts.some((part) => part.id === anchor));

export const PARTS: readonly Part[] = all.flatMap(({ parts }) => parts);
