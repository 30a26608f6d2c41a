import { z } from "@hono/zod-openapi";
import { Name, Timestamp } from "./fields.ts";

// Fields of export lines. An export may come from an earlier release or another program, so lines are validated strictly.

const HIGHEST_VERSION = 2 ** 31 - 1;

export const ExportedVersion = z
  .int()
  .min(1)
  .transform((version) => Math.min(version, HIGHEST_VERSION));

/** An instant, normalized to the format of the service because lists are sorted by these strings. */
export const ExportedInstant = Timestamp.transform((value) => new Date(value).toISOString());

export const ExportedClientName = Name(200).nullable();
