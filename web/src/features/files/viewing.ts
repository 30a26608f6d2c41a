import type { StoredFile } from "../../api/files.ts";
import { storeOf } from "../../state/store.ts";

/** The file in the viewer, the files to step through, and the page of a PDF. */
export type Viewed = { ids: readonly string[]; id: string; page?: number };

const viewed = storeOf<Viewed | undefined>(undefined);

/** Opens the viewer. `among`: the files that the arrow keys step through. */
export const view = (id: string, among: readonly Pick<StoredFile, "id">[] = [], page?: number): void =>
  viewed.set({
    id,
    ids: among.length > 0 ? among.map((file) => file.id) : [id],
    ...(page !== undefined && { page }),
  });

export const closeViewer = (): void => viewed.set(undefined);
export const useViewed = viewed.use;
