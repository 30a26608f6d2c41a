import { foldersApi } from "../../api/folders.ts";
import { attempt } from "../../state/attempt.ts";
import { queries } from "../../state/queries.ts";
import { ALL_FOLDERS } from "../folders/folders.ts";
import { foldersNamed, TEMPLATES } from "./templates.ts";

/** Finds or creates the templates folder. */
export const createFolder = (then: (id: string) => void): Promise<boolean> =>
  attempt(async (changes) => {
    const [existing] = foldersNamed(await queries.fetchQuery({ ...ALL_FOLDERS, staleTime: 0 }), TEMPLATES);
    const { id } = existing ?? (await foldersApi.create({ name: TEMPLATES, parent_id: null }, { changes }));
    then(id);
    return existing ? undefined : `Folder “${TEMPLATES}” created. Documents in it are offered as templates`;
  });
