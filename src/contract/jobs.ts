import { z } from "@hono/zod-openapi";
import { IntegerParam, ItemList, PageParams, RequestQuery, Timestamp, Uuid } from "./fields.ts";

export const JOB_KINDS = ["folder", "import", "project", "tag", "tidy", "trash"] as const;
export const JobKind = z.enum(JOB_KINDS);
export type JobKind = z.infer<typeof JobKind>;

export const JOB_STATES = ["running", "done", "failed", "cancelled"] as const;

/** Maximum time that a request waits for a job, in seconds. */
export const MAX_WAIT_SECONDS = 30;

export const Job = z
  .strictObject({
    id: Uuid,
    kind: JobKind.meta({ description: "What the job works on" }),
    title: z.string().meta({ description: "What the job does", example: 'Rename the tag "todo" to "later"' }),
    state: z.enum(JOB_STATES),
    done: z.int().meta({ description: "Number of documents, records or lines done" }),
    total: z
      .int()
      .nullable()
      .meta({ description: "Number of documents, records or lines, counted at the start" }),
    result: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "When done: the result; empty if the operation returns 204" }),
    detail: z
      .string()
      .nullable()
      .meta({ description: "Why it failed or, while it is running, what it waits for" }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Job" });
export type Job = z.infer<typeof Job>;

export const JobList = ItemList("JobList", Job);
export type JobList = z.infer<typeof JobList>;

export const JobListQuery = RequestQuery({
  ...PageParams,
  state: z.enum(JOB_STATES).optional().meta({ description: "Only jobs in this state" }),
});
export type JobListQuery = z.infer<typeof JobListQuery>;

export const JobParams = z.object({ job_id: Uuid });

export const JobQuery = RequestQuery({
  wait: IntegerParam({ min: 0, max: MAX_WAIT_SECONDS, default: 0 }).meta({
    description: "Wait up to this many seconds for the job to end before responding",
  }),
});

export const PreferHeader = z.object({
  prefer: z
    .string()
    .optional()
    .meta({
      description:
        `\`wait=20\`: wait up to 20 seconds (at most ${MAX_WAIT_SECONDS}) for a job to end; ` +
        "`respond-async`: start the job and return 202 (RFC 7240). Invalid values are ignored",
      example: "wait=20",
    }),
});
