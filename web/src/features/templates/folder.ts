import { foldersApi } from "../../api/folders.ts";
import { runWithToast } from "../../state/attempt.ts";
import { queries } from "../../state/queries.ts";
import { ALL_FOLDERS_QUERY } from "../folders/folders.ts";
import { TEMPLATES_FOLDER, topFoldersNamed } from "./templates.ts";

/** Finds or creates the templates folder. */
export const openTemplatesFolder = (then: (id: string) => void): Promise<boolean> =>
  runWithToast(async (changes) => {
    const [existing] = topFoldersNamed(
      await queries.fetchQuery({ ...ALL_FOLDERS_QUERY, staleTime: 0 }),
      TEMPLATES_FOLDER,
    );
    const { id } =
      existing ?? (await foldersApi.create({ name: TEMPLATES_FOLDER, parent_id: null }, { changes }));
    then(id);
    return existing
      ? undefined
      : `Folder “${TEMPLATES_FOLDER}” created. Documents in it are offered as templates`;
  });
