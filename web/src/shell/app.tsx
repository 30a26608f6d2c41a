import { type ReactNode, Suspense, useEffect } from "react";
import { RouterProvider } from "react-aria-components";
import { Route, Switch, useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { SCREENS, type ScreenName, screenAt } from "../../../src/contract/paths.ts";
import { Today } from "../features/today/today.tsx";
import { type Load, type Loaded, loaded } from "../kit/loaded.tsx";
import { screenHasAsked } from "../state/first-answers.ts";
import { Frame } from "./frame.tsx";
import { Layout } from "./layout.tsx";
import { ScreenBoundary } from "./screen-boundary.tsx";
import { earlyStyles } from "./styles.ts";

type Shown = { id: string };

const asking = (View: (props: Shown) => ReactNode) => (props: Shown) => {
  useEffect(screenHasAsked, []);
  return <View {...props} />;
};

const later = (load: Load<Shown>): Loaded<Shown> =>
  loaded(async () => {
    const [module] = await Promise.all([load(), earlyStyles()]);
    return { ...module, default: asking(module.default) };
  });

const NotFound = later(() => import("./not-found.tsx"));

/** All screens except Today. `id`: from the path of screens that show a single item. */
const VIEWS: Record<Exclude<ScreenName, "today">, Loaded<Shown>> = {
  calendar: later(() => import("../features/calendar/calendar.tsx")),
  search: later(() => import("../features/search/search.tsx")),
  documents: later(() => import("../features/documents/documents.tsx")),
  document: later(() => import("../features/document/document.tsx")),
  files: later(() => import("../features/files/files.tsx")),
  records: later(() => import("../features/records/records.tsx")),
  record: later(() => import("../features/records/record.tsx")),
  project: later(() =>
    import("../features/records/records.tsx").then(({ Project: view }) => ({ default: view })),
  ),
  history: later(() => import("../features/history/history.tsx")),
  activity: later(() => import("../features/activity/activity.tsx")),
  tidy: later(() => import("../features/tidy/tidy.tsx")),
  settings: later(() => import("../features/settings/settings.tsx")),
  plan: later(() => import("../features/plan/plan.tsx")),
  connections: later(() => import("../features/connections/connections.tsx")),
  transfer: later(() => import("../features/transfer/transfer.tsx")),
  webhooks: later(() => import("../features/webhooks/webhooks.tsx")),
  share: later(() => import("../features/share/share.tsx")),
};

const NAMES = Object.keys(VIEWS) as (keyof typeof VIEWS)[];

/** Loads the screen of the current URL. Resolves when its first data is there. */
export async function beginScreen(): Promise<void> {
  const screen = screenAt(location.pathname);
  if (screen && screen !== "today") await VIEWS[screen].begin();
}

const TodayAsking = asking(Today);

function routeOf(name: keyof typeof VIEWS) {
  const View = VIEWS[name];
  const { path } = SCREENS[name];
  return (
    <Route key={name} path={"hasRest" in SCREENS[name] ? `${path}/*?` : path}>
      {({ id = "" }: { id?: string }) => <View id={id} wait={<Frame path={path} />} />}
    </Route>
  );
}

/** The screens by their paths. */
export function App() {
  const [path, navigate] = useLocation();
  const state = useHistoryState<{ opened?: string } | null>();
  return (
    <RouterProvider navigate={navigate}>
      <Layout>
        {/* A screen that only changes its own path keeps its state, under the path where it was opened. */}
        <ScreenBoundary key={state?.opened ?? path}>
          <Suspense fallback={<Frame path={path} />}>
            <Switch>
              <Route path={SCREENS.today.path}>
                <TodayAsking id="" />
              </Route>
              {NAMES.map(routeOf)}
              <Route>
                <NotFound id="" wait={null} />
              </Route>
            </Switch>
          </Suspense>
        </ScreenBoundary>
      </Layout>
    </RouterProvider>
  );
}
