import { z } from "@hono/zod-openapi";
import { CHANGE_ID_PATTERN, changeNumbersIn } from "./change-id.ts";

const CHANGE_ID_ERROR = "must be the Change-Id of a write, such as 57 or 57-59,61";

/** One or several changes as text: the header, `change_id`, and each item of a list of changes. */
export const ChangeId = z.string().regex(CHANGE_ID_PATTERN, CHANGE_ID_ERROR).meta({ example: "57" });

/** A change id in a request. Also accepts the number of a change, as earlier releases required. */
export const ChangeIdInput = z
  .preprocess((sent) => (typeof sent === "number" ? String(sent) : sent), ChangeId)
  .openapi({ type: "string", pattern: CHANGE_ID_PATTERN.source });

/** A list of change ids in a request, parsed to at most `max` change numbers. */
export const ChangeIdListInput = (min: number, max: number) =>
  z
    .array(ChangeIdInput)
    .min(min)
    .max(max)
    .transform((ids, issue) => {
      const numbers = changeNumbersIn(ids, max);
      if (numbers) return numbers;
      issue.addIssue({ code: "custom", message: `must name at most ${max} changes together` });
      return z.NEVER;
    });

/** The number of a change in the account's activity. */
export const ChangeNumber = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

export const ChangeIdHeader = z.object({
  "Change-Id": ChangeId.optional().meta({
    description:
      "The changes made by the request, such as `57` or `57-59,61`. Pass it as `change_id` to POST /api/activity/undo to " +
      "undo them. Absent if nothing was changed or can be undone, or if the numbers need more than 100 ranges because of " +
      "concurrent changes",
    example: "57",
  }),
});

type ResponseSpec = { description: string; headers?: z.ZodObject };

export const withChangeId = <Spec extends ResponseSpec>(response: Spec) => ({
  ...response,
  headers: ChangeIdHeader.extend(response.headers?.shape ?? {}),
});

/** Responses of an update: the changed resource, or 204 for a write-only key. See `hideBodyFromWriteOnlyKeys`. */
export const updateResponses = <Spec extends ResponseSpec>(response: Spec) => ({
  200: withChangeId(response),
  204: withChangeId({ description: "Done. Returned to API keys that may write but not read" }),
});
