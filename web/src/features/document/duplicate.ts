import { type Document, documentsApi } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { retryUntilAnswered } from "../../api/retry.ts";
import { titleText } from "../../kit/title-text.ts";
import { runWithToast } from "../../state/run-with-toast.ts";
import { pinTag } from "../things/pinned.ts";
import { publishDocument } from "./data.ts";
import { MAX_TITLE } from "./title-lines.ts";
import { divided } from "./writing.ts";

const SUFFIX = " (copy)";

const copyTitle = (title: string) => title.slice(0, MAX_TITLE - SUFFIX.length).toWellFormed() + SUFFIX;

/** Creates a copy of a document in the same folder and opens it. Import notes are not copied. */
export const duplicateDocument = (document: Document, open: (copy: Document) => void): Promise<boolean> =>
  runWithToast(async (changes) => {
    const { title, tags, folder_id, content } = document;
    const own = content ? divided(content).own : null;
    // The copy is not pinned.
    const unpinned = tags.filter((tag) => tag !== pinTag({ tags }));
    const input = { title: copyTitle(title), tags: unpinned, folder_id, content: own };
    const key = randomId();
    const copy = await retryUntilAnswered(() => documentsApi.create(input, key, { changes }));
    publishDocument(copy);
    open(copy);
    return `“${titleText(title)}” duplicated`;
  });
