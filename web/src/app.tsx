import { lazy, Suspense } from "react";
import { RouterProvider } from "react-aria-components";
import { Route, Switch, useLocation } from "wouter";
import { Layout } from "./shell/layout.tsx";
import { ScreenBoundary } from "./parts/screen-boundary.tsx";
import { Loading } from "./kit/states.tsx";
import { Today } from "./today/today.tsx";

const Search = lazy(() => import("./features/search/search.tsx"));
const Documents = lazy(() => import("./features/documents/documents.tsx"));
const Document = lazy(() => import("./features/document/document.tsx"));
const Records = lazy(() => import("./features/records/records.tsx"));
const RecordPage = lazy(() => import("./features/records/record.tsx"));
const Activity = lazy(() => import("./features/activity/activity.tsx"));
const History = lazy(() => import("./features/history/history.tsx"));
const Connections = lazy(() => import("./features/connections/connections.tsx"));
const Transfer = lazy(() => import("./features/transfer/transfer.tsx"));
const Settings = lazy(() => import("./features/settings/settings.tsx"));
const Webhooks = lazy(() => import("./features/webhooks/webhooks.tsx"));
const Share = lazy(() => import("./features/share/share.tsx"));
const NotFound = lazy(() => import("./shell/not-found.tsx"));

/** The screens by their paths; each has its own folder. */
export function App() {
  const [path, navigate] = useLocation();
  return (
    <RouterProvider navigate={navigate}>
      <Layout>
        <ScreenBoundary key={path}>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/" component={Today} />
              <Route path="/search" component={Search} />
              <Route path="/documents" component={Documents} />
              <Route path="/documents/:id">{({ id }) => <Document id={id} />}</Route>
              <Route path="/records" component={Records} />
              <Route path="/records/:id">{({ id }) => <RecordPage id={Number(id)} />}</Route>
              <Route path="/activity" component={Activity} />
              <Route path="/history" component={History} />
              <Route path="/settings" component={Settings} />
              <Route path="/settings/connections" component={Connections} />
              <Route path="/settings/transfer" component={Transfer} />
              <Route path="/settings/webhooks" component={Webhooks} />
              <Route path="/share" component={Share} />
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </ScreenBoundary>
      </Layout>
    </RouterProvider>
  );
}
