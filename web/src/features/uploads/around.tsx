import { lazy, Suspense } from "react";
import { useViewed } from "../files/viewing.ts";
import { Uploads } from "./uploads.tsx";

const Viewer = lazy(() => import("../files/viewer.tsx"));

/** What there is of files on every screen: those that go up, and the one that is looked at. */
export default function FilesAround() {
  const viewed = useViewed();
  return (
    <>
      <Uploads />
      {viewed && (
        <Suspense>
          <Viewer />
        </Suspense>
      )}
    </>
  );
}
