// The settings by their anchors, for the screen, its contents and the command palette.

export type SettingsPart = {
  id: string;
  title: string;
  /** Other words to find it by. */
  words: string;
};
export type SettingsGroup = { id: string; title: string; parts: readonly SettingsPart[] };

export const SETTINGS_GROUPS = [
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
] as const satisfies readonly SettingsGroup[];

export type GroupId = (typeof SETTINGS_GROUPS)[number]["id"];
export type PartId = (typeof SETTINGS_GROUPS)[number]["parts"][number]["id"];

const all: readonly SettingsGroup[] = SETTINGS_GROUPS;

/** The group of an anchor: itself, or the one that contains it. */
export const groupOfAnchor = (anchor: string): SettingsGroup | undefined =>
  all.find(({ id, parts }) => id === anchor || parts.some((part) => part.id === anchor));

export const SETTINGS_PARTS: readonly SettingsPart[] = all.flatMap(({ parts }) => parts);
