import { z } from "@hono/zod-openapi";
import { CHANGE_ID } from "./change-id.ts";

export const ChangeIdHeader = z.object({
  "Change-Id": z
    .string()
    .regex(CHANGE_ID)
    .optional()
    .meta({
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
