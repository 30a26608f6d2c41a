import type { StoredFile } from "../../api/files.ts";
import { createSharedState } from "../../state/shared-state.ts";

/** The file in the viewer, the files to step through, and the page of a PDF. */
export type ViewerState = { ids: readonly string[]; id: string; page?: number };

const viewerState = createSharedState<ViewerState | undefined>(undefined);

export const showInViewer: (shown: ViewerState) => void = viewerState.set;

/** Opens the viewer. `among`: the files that the arrow keys step through. */
export const openViewer = (id: string, among: readonly StoredFile[] = [], page?: number): void =>
  showInViewer({
    id,
    ids: among.length > 0 ? among.map((file) => file.id) : [id],
    ...(page !== undefined && { page }),
  });

export const closeViewer = (): void => viewerState.set(undefined);
export const useViewerState = viewerState.use;
