import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Job, PreferHeader } from "../../contract/jobs.ts";
import type { AppEnv } from "../core/ctx.ts";
import { json } from "./openapi.ts";
import { parsePrefer } from "./prefer.ts";

export const JOB_HEADERS = z.object({
  Location: z
    .string()
    .meta({ description: "URL of the job", example: "/api/jobs/01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" }),
  "Retry-After": z.string().meta({ description: "Seconds to wait before the next poll", example: "2" }),
});

export const ACCEPTED_RESPONSE = {
  202: {
    ...json(Job, "This takes longer than a request; the job continues in the background"),
    headers: JOB_HEADERS,
  },
};

export const PREFER_HEADERS = PreferHeader;

const RETRY_SECONDS = "2";

export const requestPreference = (c: Context<AppEnv>) => parsePrefer(c.req.header("Prefer"));

export const jobHeaders = (id: string) => ({ Location: `/api/jobs/${id}`, "Retry-After": RETRY_SECONDS });

export const answerAccepted = (c: Context<AppEnv>, job: Job) => c.json(job, 202, jobHeaders(job.id));
