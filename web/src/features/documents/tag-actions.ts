import { isJob } from "../../api/jobs.ts";
import { tagsApi } from "../../api/tags.ts";
import { runWithToast } from "../../state/attempt.ts";
import { trackJob } from "../../state/jobs.ts";

/** @param then called once the server has accepted the request */
export const renameTag = (tag: string, name: string, then: () => void) =>
  runWithToast(async (changes) => {
    const answer = await tagsApi.rename(tag, name, { changes });
    then();
    return isJob(answer) ? trackJob(answer) : `Tag renamed to “${name}”`;
  });

export const removeTag = (tag: string, then: () => void) =>
  runWithToast(async (changes) => {
    const job = await tagsApi.remove(tag, { changes });
    then();
    return job ? trackJob(job) : `Tag “${tag}” removed`;
  });
