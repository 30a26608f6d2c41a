import { type ReactNode, Suspense, useEffect } from "react";
import { RouterProvider } from "react-aria-components";
import { Route, Switch, useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { SCREENS, type ScreenName, screenAt } from "../../../src/contract/paths.ts";
import { prefetchAgenda } from "../features/today/agenda.ts";
import { Today } from "../features/today/today.tsx";
import { type ComponentLoader, type LazyComponent, lazyComponent } from "../kit/lazy-component.tsx";
import { markScreenRequested } from "../state/first-screen.ts";
import { Frame } from "./frame.tsx";
import { Layout } from "./layout.tsx";
import { ScreenBoundary } from "./screen-boundary.tsx";

const styleLoaded = (link: HTMLLinkElement) =>
  new Promise((resolve) => {
    if (link.sheet) return resolve(undefined);
    for (const end of ["load", "error"]) link.addEventListener(end, resolve, { once: true });
  });

/** Resolves when the style sheets requested by the early script (early.ts) have loaded or failed. */
const earlyStylesLoaded = () =>
  Promise.all([...document.querySelectorAll<HTMLLinkElement>("link[data-early]")].map(styleLoaded));

type ScreenProps = { id: string };

const asking = (View: (props: ScreenProps) => ReactNode) => (props: ScreenProps) => {
  useEffect(markScreenRequested, []);
  return <View {...props} />;
};

const lazyScreen = (load: ComponentLoader<ScreenProps>): LazyComponent<ScreenProps> =>
  lazyComponent(async () => {
    const [module] = await Promise.all([load(), earlyStylesLoaded()]);
    return { ...module, default: asking(module.default) };
  });

const NotFound = lazyScreen(() => import("./not-found.tsx"));

/** All screens except Today. `id`: from the path of screens that show a single item. */
const VIEWS: Record<Exclude<ScreenName, "today">, LazyComponent<ScreenProps>> = {
  upcoming: lazyScreen(() => import("../features/calendar/upcoming.tsx")),
  calendar: lazyScreen(() => import("../features/calendar/calendar.tsx")),
  search: lazyScreen(() => import("../features/search/search.tsx")),
  documents: lazyScreen(() => import("../features/documents/documents.tsx")),
  document: lazyScreen(() => import("../features/document/document.tsx")),
  files: lazyScreen(() => import("../features/files/files.tsx")),
  records: lazyScreen(() => import("../features/records/records.tsx")),
  record: lazyScreen(() => import("../features/records/record.tsx")),
  project: lazyScreen(() =>
    import("../features/records/records.tsx").then(({ Project: view }) => ({ default: view })),
  ),
  history: lazyScreen(() => import("../features/history/history.tsx")),
  activity: lazyScreen(() => import("../features/activity/activity.tsx")),
  tidy: lazyScreen(() => import("../features/tidy/tidy.tsx")),
  settings: lazyScreen(() => import("../features/settings/settings.tsx")),
  plan: lazyScreen(() => import("../features/plan/plan.tsx")),
  connections: lazyScreen(() => import("../features/connections/connections.tsx")),
  transfer: lazyScreen(() => import("../features/transfer/transfer.tsx")),
  webhooks: lazyScreen(() => import("../features/webhooks/webhooks.tsx")),
  share: lazyScreen(() => import("../features/share/share.tsx")),
};

const NAMES = Object.keys(VIEWS) as (keyof typeof VIEWS)[];

/** Loads the screen of the current URL. Resolves when its first data is there. */
export async function preloadScreen(): Promise<void> {
  const screen = screenAt(location.pathname);
  if (screen === "today") await prefetchAgenda();
  else if (screen) await VIEWS[screen].preload();
}

const TodayScreen = asking(Today);

function screenRoute(name: keyof typeof VIEWS) {
  const View = VIEWS[name];
  const { path } = SCREENS[name];
  return (
    <Route key={name} path={"hasRest" in SCREENS[name] ? `${path}/*?` : path}>
      {({ id = "" }: { id?: string }) => <View id={id} wait={<Frame path={path} />} />}
    </Route>
  );
}

export function App() {
  const [path, navigate] = useLocation();
  const state = useHistoryState<{ opened?: string } | null>();
  return (
    <RouterProvider navigate={navigate}>
      <ScreenBoundary>
        <Layout>
          {/* A screen that only changes its own path keeps its state, under the path where it was opened. */}
          <ScreenBoundary key={state?.opened ?? path}>
            <Suspense fallback={<Frame path={path} />}>
              <Switch>
                <Route path={SCREENS.today.path}>
                  <TodayScreen id="" />
                </Route>
                {NAMES.map(screenRoute)}
                <Route>
                  <NotFound id="" wait={<Frame path={path} />} />
                </Route>
              </Switch>
            </Suspense>
          </ScreenBoundary>
        </Layout>
      </ScreenBoundary>
    </RouterProvider>
  );
}
