import { foldersApi } from "../../api/folders.ts";
import { attempt } from "../../state/attempt.ts";
import { queries } from "../../state/queries.ts";
import { ALL_FOLDERS } from "../folders/folders.ts";
import { foldersNamed, TEMPLATES } from "./templates.ts";

/** Gives the folder of templates, which is made if there is none, or says why not. */
export const createFolder = (then: (id: string) => void): Promise<boolean> =>
  attempt(async (changes) => {
    const [known] = foldersNamed(await queries.fetchQuery({ ...ALL_FOLDERS, staleTime: 0 }), TEMPLATES);
    const { id } = known ?? (await foldersApi.create({ name: TEMPLATES, parent_id: null }, { changes }));
    then(id);
    return known ? undefined : `Folder “${TEMPLATES}” created: what is in it is offered for new documents`;
  });
