import { type ComponentType, lazy, Suspense, useEffect } from "react";
import { RouterProvider } from "react-aria-components";
import { Route, Switch, useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { SCREENS, type ScreenName } from "../../../src/contract/paths.ts";
import { Today } from "../features/today/today.tsx";
import { screenHasAsked } from "../state/first-answers.ts";
import { Frame } from "./frame.tsx";
import { Layout } from "./layout.tsx";
import { ScreenBoundary } from "./screen-boundary.tsx";

const NotFound = lazy(() => import("./not-found.tsx"));

/** The screens; `id` is in the paths of those that show one thing. */
const VIEWS: Record<ScreenName, ComponentType<{ id: string }>> = {
  today: Today,
  search: lazy(() => import("../features/search/search.tsx")),
  documents: lazy(() => import("../features/documents/documents.tsx")),
  document: lazy(() => import("../features/document/document.tsx")),
  records: lazy(() => import("../features/records/records.tsx")),
  record: lazy(() => import("../features/records/record.tsx")),
  project: lazy(() =>
    import("../features/records/records.tsx").then(({ Project: view }) => ({ default: view })),
  ),
  history: lazy(() => import("../features/history/history.tsx")),
  activity: lazy(() => import("../features/activity/activity.tsx")),
  settings: lazy(() => import("../features/settings/settings.tsx")),
  connections: lazy(() => import("../features/connections/connections.tsx")),
  transfer: lazy(() => import("../features/transfer/transfer.tsx")),
  webhooks: lazy(() => import("../features/webhooks/webhooks.tsx")),
  share: lazy(() => import("../features/share/share.tsx")),
};

const NAMES = Object.keys(VIEWS) as ScreenName[];

function routeOf(name: ScreenName) {
  const View = VIEWS[name];
  const { path } = SCREENS[name];
  return (
    <Route key={name} path={"hasRest" in SCREENS[name] ? `${path}/*?` : path}>
      {({ id = "" }: { id?: string }) => <View id={id} />}
    </Route>
  );
}

/** Until the screen's script is there, the boundary around both shows a frame instead. */
function AfterScreen() {
  useEffect(screenHasAsked, []);
  return null;
}

/** The screens by their paths. */
export function App() {
  const [path, navigate] = useLocation();
  const state = useHistoryState<{ opened?: string } | null>();
  return (
    <RouterProvider navigate={navigate}>
      <Layout>
        {/* What is only given another path stays as it is, under the path where it was opened. */}
        <ScreenBoundary key={state?.opened ?? path}>
          <Suspense fallback={<Frame path={path} />}>
            <Switch>
              {NAMES.map(routeOf)}
              <Route component={NotFound} />
            </Switch>
            <AfterScreen />
          </Suspense>
        </ScreenBoundary>
      </Layout>
    </RouterProvider>
  );
}
