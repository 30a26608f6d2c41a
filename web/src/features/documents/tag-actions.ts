import { isJob } from "../../api/jobs.ts";
import { tagsApi } from "../../api/tags.ts";
import { attempt } from "../../state/attempt.ts";
import { goesOn } from "../../state/jobs.ts";

/** @param then called once the server has accepted the request */
export const renameTag = (tag: string, name: string, then: () => void) =>
  attempt(async (changes) => {
    const answer = await tagsApi.rename(tag, name, { changes });
    then();
    return isJob(answer) ? goesOn(answer) : `Tag renamed to “${name}”`;
  });

export const removeTag = (tag: string, then: () => void) =>
  attempt(async (changes) => {
    const job = await tagsApi.remove(tag, { changes });
    then();
    return job ? goesOn(job) : `Tag “${tag}” removed`;
  });
