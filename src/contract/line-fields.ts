import { z } from "@hono/zod-openapi";
import { Name, Timestamp } from "./fields.ts";

// A file may be older than this version or come from elsewhere, so lines are validated strictly.

const HIGHEST_VERSION = 2 ** 31 - 1;

export const LineVersion = z
  .int()
  .min(1)
  .transform((version) => Math.min(version, HIGHEST_VERSION));

/** An instant normalized to the service's own format, because lists are sorted by these strings. */
export const LineInstant = Timestamp.transform((value) => new Date(value).toISOString());

export const LineClient = Name(200).nullable();
