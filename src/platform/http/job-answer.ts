import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Job, PreferHeader } from "../../contract/jobs.ts";
import type { AppEnv } from "../core/ctx.ts";
import { json } from "./openapi.ts";
import { readPrefer } from "./prefer.ts";

export const OF_JOB = z.object({
  Location: z
    .string()
    .meta({ description: "The job", example: "/api/jobs/01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" }),
  "Retry-After": z.string().meta({ description: "Seconds until it is worth looking again", example: "2" }),
});

/** The answer of an operation whose work takes longer than a request. */
export const begun = {
  202: { ...json(Job, "It takes longer than a request: the job goes on by itself"), headers: OF_JOB },
};

export const prefers = PreferHeader;

const RETRY_SECONDS = "2";

export const preferOf = (c: Context<AppEnv>) => readPrefer(c.req.header("Prefer"));

export const jobHeaders = (id: string) => ({ Location: `/api/jobs/${id}`, "Retry-After": RETRY_SECONDS });

export const answerBegun = (c: Context<AppEnv>, job: Job) => c.json(job, 202, jobHeaders(job.id));
