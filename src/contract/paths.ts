// The screens of the app: every other place reads their paths from here.

type Screen = {
  /** `:id` stands for what is shown there. */
  path: string;
  /** What it is called, where that does not depend on what is shown. */
  title?: string;
  /** Whether what is shown may have slashes in its name: servers decode those in a path. */
  hasRest?: boolean;
};

export const SCREENS = {
  today: { path: "/", title: "Today" },
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
export type TitledName = {
  [Name in ScreenName]: (typeof SCREENS)[Name] extends { title: string } ? Name : never;
}[ScreenName];

/** The paths of the links in tools' answers, which go on leading to the screen of what has the id. */
export const OPENED = { document: "/open/doc/:id", memory: "/open/memory/:id" } as const;

const all: readonly Screen[] = Object.values(SCREENS);

export const pathOf = (name: ScreenName, id: string | number = ""): string =>
  SCREENS[name].path.replace(":id", encodeURIComponent(id));

const isBelow = (path: string, whole: string) => whole.endsWith(":id") && path.startsWith(whole.slice(0, -3));

/** The screen at a path, if there is one. */
export function screenAt(path: string): ScreenName | undefined {
  const names = Object.keys(SCREENS) as ScreenName[];
  return (
    names.find((name) => SCREENS[name].path === path) ??
    names.find((name) => isBelow(path, SCREENS[name].path))
  );
}

export const TITLED = Object.entries<Screen>(SCREENS).flatMap(([name, { path, title }]) =>
  title === undefined ? [] : [{ name, path, title }],
);

export const titleAt = (path: string): string | undefined =>
  TITLED.find((screen) => screen.path === path)?.title;

const roots = [...new Set(all.map(({ path }) => path.split("/")[1] ?? ""))].filter((root) => root !== "");
const hasOthersBelow = (root: string) => all.some(({ path }) => path.startsWith(`/${root}/`));

/** The app's paths without their first slash, as a regular expression, with whatever is below those with others. */
export const APP_PATHS = `(?:${roots.map((root) => (hasOthersBelow(root) ? `${root}(?:/.*)?` : root)).join("|")})?`;
