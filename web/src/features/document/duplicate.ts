import { type Document, documentsApi } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { randomId } from "../../api/random-id.ts";
import { titleText } from "../../kit/title-text.ts";
import { attempt } from "../../state/attempt.ts";
import { pinOf } from "../things/pinned.ts";
import { showWritten } from "./data.ts";
import { divided } from "./writing.ts";

const ENDING = " (copy)";
/** The longest title that the service takes. */
const MAX_TITLE = 500;

const titleOfCopy = (title: string) => title.slice(0, MAX_TITLE - ENDING.length).toWellFormed() + ENDING;

/** Creates a copy of a document beside it and opens that, or says why not. What an import noted of it is not its own. */
export const duplicate = (document: Document, open: (copy: Document) => void): Promise<boolean> =>
  attempt(async (changes) => {
    const { title, tags, folder_id, content } = document;
    const own = content ? divided(content).own : null;
    // What stands on top is the one that was put there.
    const others = tags.filter((tag) => tag !== pinOf({ tags }));
    const input = { title: titleOfCopy(title), tags: others, folder_id, content: own };
    const key = randomId();
    const copy = await untilAnswered(() => documentsApi.create(input, key, { changes }));
    showWritten(copy);
    open(copy);
    return `“${titleText(title)}” duplicated`;
  });
