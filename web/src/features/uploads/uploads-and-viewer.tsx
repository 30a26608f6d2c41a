import { lazy, Suspense } from "react";
import { useViewerState } from "../files/viewer-state.ts";
import { Uploads } from "./uploads.tsx";

const Viewer = lazy(() => import("../files/viewer.tsx"));

/** On every screen: the progress of uploads, and the open file. */
export default function UploadsAndViewer() {
  const viewed = useViewerState();
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
