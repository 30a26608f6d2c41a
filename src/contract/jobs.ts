import { z } from "@hono/zod-openapi";
import { IntegerParam, Page, RequestQuery, Timestamp, Uuid } from "./fields.ts";

/** By what they work on. */
export const JOB_KINDS = ["folder", "import", "project", "tag", "tidy", "trash"] as const;
export const JobKind = z.enum(JOB_KINDS);
export type JobKind = z.infer<typeof JobKind>;

export const JOB_STATES = ["running", "done", "failed", "cancelled"] as const;

/** How long a request may wait for a job, in seconds. */
export const LONGEST_WAIT = 30;

export const Job = z
  .strictObject({
    id: Uuid,
    kind: JobKind.meta({ description: "What it works on" }),
    title: z
      .string()
      .meta({ description: "What it does, in words", example: 'Rename the tag "todo" to "later"' }),
    state: z.enum(JOB_STATES),
    done: z.int().meta({ description: "How many documents, records or lines are done" }),
    total: z.int().nullable().meta({ description: "Of how many, as counted at the beginning" }),
    result: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "When done: what came of it; empty where the operation answers 204" }),
    detail: z
      .string()
      .nullable()
      .meta({ description: "Why it failed; or, while it is running, what it waits for" }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Job" });
export type Job = z.infer<typeof Job>;

export const JobList = z.strictObject({ items: z.array(Job), total: z.int() }).meta({ id: "JobList" });
export type JobList = z.infer<typeof JobList>;

export const JobListQuery = RequestQuery({
  ...Page,
  state: z.enum(JOB_STATES).optional().meta({ description: "Only those in this state" }),
});
export type JobListQuery = z.infer<typeof JobListQuery>;

export const JobParams = z.object({ job_id: Uuid });

export const JobQuery = RequestQuery({
  wait: IntegerParam({ min: 0, max: LONGEST_WAIT, default: 0 }).meta({
    description: "Answer only when it has ended, or after this many seconds",
  }),
});

export const PreferHeader = z.object({
  prefer: z
    .string()
    .optional()
    .meta({
      description:
        `\`wait=20\`: wait so many seconds, at most ${LONGEST_WAIT}, for work that takes longer than a request; ` +
        "`respond-async`: begin it and answer 202 (RFC 7240). What makes no sense is ignored",
      example: "wait=20",
    }),
});
