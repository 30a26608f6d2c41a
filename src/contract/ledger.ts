import { z } from "@hono/zod-openapi";
import { CHANGE_ID, changesNamedTogether } from "./change-id.ts";

const MISNAMED = "must be the Change-Id of a write, such as 57 or 57-59,61";

/** What names changes, one or several, is this text: the header, `change_id`, and each item of a list of them. */
export const ChangeId = z.string().regex(CHANGE_ID, MISNAMED).meta({ example: "57" });

/** The same in a request, which may also send the number of a change, as earlier releases asked for it. */
export const SentChangeId = z
  .preprocess((sent) => (typeof sent === "number" ? String(sent) : sent), ChangeId)
  .openapi({ type: "string", pattern: CHANGE_ID.source });

/** A list of them in a request, read as the numbers of the changes: at least and at most so many. */
export const SentChangeIds = (least: number, most: number) =>
  z
    .array(SentChangeId)
    .min(least)
    .max(most)
    .transform((ids, issue) => {
      const numbers = changesNamedTogether(ids, most);
      if (numbers) return numbers;
      issue.addIssue({ code: "custom", message: `must name at most ${most} changes together` });
      return z.NEVER;
    });

/** The number of one change, as the activity counts them. */
export const ChangeNumber = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

export const ChangeIdHeader = z.object({
  "Change-Id": ChangeId.optional().meta({
    description:
      "What the request changed, to be undone with `change_id` of POST /api/activity/undo: numbers of changes, as `57` or " +
      "`57-59,61`. Absent when nothing was changed or nothing of it can be undone, and when others' changes came in " +
      "between so often that there would be more than 100 ranges",
    example: "57",
  }),
});

type Described = { description: string; headers?: z.ZodObject };

export const named = <Answer extends Described>(answer: Answer) => ({
  ...answer,
  headers: ChangeIdHeader.extend(answer.headers?.shape ?? {}),
});

/** The changed resource, or 204 for a key that may write it but not read it: see `withholdUnread`. */
export const changed = <Answer extends Described>(answer: Answer) => ({
  200: named(answer),
  204: named({ description: "Done. The answer for a key that has the scope to write but not to read" }),
});
