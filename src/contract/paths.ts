// The screens of the app and their paths.

type Screen = {
  /** `:id` is the id or name of the displayed item. */
  path: string;
  /** Undefined if the title depends on the displayed item. */
  title?: string;
  /** Whether the item's name may contain slashes, which servers decode in a path. */
  hasRest?: boolean;
};

export const SCREENS = {
  today: { path: "/", title: "Today" },
  upcoming: { path: "/upcoming", title: "Upcoming" },
  calendar: { path: "/calendar", title: "Calendar" },
  search: { path: "/search", title: "Search" },
  documents: { path: "/documents", title: "Documents" },
  document: { path: "/documents/:id" },
  files: { path: "/files", title: "Files" },
  records: { path: "/records", title: "Records" },
  record: { path: "/records/:id" },
  project: { path: "/projects/:id", hasRest: true },
  history: { path: "/history", title: "History" },
  activity: { path: "/activity", title: "Activity" },
  tidy: { path: "/tidy", title: "Tidy" },
  settings: { path: "/settings", title: "Settings" },
  plan: { path: "/settings/plan", title: "Plan" },
  connections: { path: "/settings/connections", title: "Connections" },
  transfer: { path: "/settings/transfer", title: "Import and export" },
  webhooks: { path: "/settings/webhooks", title: "Webhooks" },
  share: { path: "/share" },
} as const satisfies Record<string, Screen>;

export type ScreenName = keyof typeof SCREENS;
export type TitledScreenName = {
  [Name in ScreenName]: (typeof SCREENS)[Name] extends { title: string } ? Name : never;
}[ScreenName];

/** Paths of the links in tool results. They are permanent and lead to the screen of the item. */
export const OPEN_LINK_PATHS = { document: "/open/doc/:id", memory: "/open/memory/:id" } as const;

const screens: readonly Screen[] = Object.values(SCREENS);

export const screenPath = (name: ScreenName, id: string | number = ""): string =>
  SCREENS[name].path.replace(":id", encodeURIComponent(id));

const matchesPattern = (path: string, pattern: string) =>
  pattern.endsWith(":id") && path.startsWith(pattern.slice(0, -3));

/** The screen at a path, if there is one. */
export function screenAt(path: string): ScreenName | undefined {
  const names = Object.keys(SCREENS) as ScreenName[];
  return (
    names.find((name) => SCREENS[name].path === path) ??
    names.find((name) => matchesPattern(path, SCREENS[name].path))
  );
}

export const TITLED_SCREENS = Object.entries<Screen>(SCREENS).flatMap(([name, { path, title }]) =>
  title === undefined ? [] : [{ name, path, title }],
);

export const screenTitleAt = (path: string): string | undefined =>
  TITLED_SCREENS.find((screen) => screen.path === path)?.title;

const roots = [...new Set(screens.map(({ path }) => path.split("/")[1] ?? ""))].filter((root) => root !== "");
const hasSubpaths = (root: string) => screens.some(({ path }) => path.startsWith(`/${root}/`));

/** Regular expression for the paths of the app without the first slash, including subpaths of those that have any. */
export const APP_PATHS = `(?:${roots.map((root) => (hasSubpaths(root) ? `${root}(?:/.*)?` : root)).join("|")})?`;
