// The settings by their anchors, for the screen, its contents and the command palette.

export type Part = {
  id: string;
  title: string;
  /** Other words to find it by. */
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
      {
        id: "second-factor",
        title: "Two-factor authentication",
        words: "2fa second totp code authenticator recovery",
      },
      { id: "passkeys", title: "Passkeys", words: "fingerprint face key" },
      { id: "sessions", title: "Active sessions", words: "signed in browsers devices everywhere" },
      { id: "events", title: "Security log", words: "what happened events sign-ins" },
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

/** The group of an anchor: itself, or the one that contains it. */
export const groupAt = (anchor: string): Group | undefined =>
  all.find(({ id, parts }) => id === anchor || parts.some((part) => part.id === anchor));

export const PARTS: readonly Part[] = all.flatMap(({ parts }) => parts);
