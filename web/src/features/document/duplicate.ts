import { type Document, documentsApi } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { randomId } from "../../api/random-id.ts";
import { titleText } from "../../kit/title-text.ts";
import { attempt } from "../../state/attempt.ts";
import { pinOf } from "../things/pinned.ts";
import { showWritten } from "./data.ts";
import { divided } from "./writing.ts";

const SUFFIX = " (copy)";
/** The longest title that the service accepts. */
const MAX_TITLE = 500;

const copyTitle = (title: string) => title.slice(0, MAX_TITLE - SUFFIX.length).toWellFormed() + SUFFIX;

/** Creates a copy of a document in the same folder and opens it. Import notes are not copied. */
export const duplicate = (document: Document, open: (copy: Document) => void): Promise<boolean> =>
  attempt(async (changes) => {
    const { title, tags, folder_id, content } = document;
    const own = content ? divided(content).own : null;
    // The copy is not pinned.
    const unpinned = tags.filter((tag) => tag !== pinOf({ tags }));
    const input = { title: copyTitle(title), tags: unpinned, folder_id, content: own };
    const key = randomId();
    const copy = await untilAnswered(() => documentsApi.create(input, key, { changes }));
    showWritten(copy);
    open(copy);
    return `“${titleText(title)}” duplicated`;
  });
