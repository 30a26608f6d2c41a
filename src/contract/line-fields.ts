import { z } from "@hono/zod-openapi";
import { Name, Timestamp } from "./fields.ts";

// Field types for the lines of an export, which contain records as they are stored. A file may be older than this
// version or come from elsewhere, so all are validated strictly.

/** Higher versions are implausible and are reduced to this one, which leaves room for any number of changes. */
const HIGHEST_VERSION = 2 ** 31 - 1;

export const LineVersion = z
  .int()
  .min(1)
  .transform((version) => Math.min(version, HIGHEST_VERSION));

/** An instant normalized to the service's own format, because lists are sorted by these strings. */
export const LineInstant = Timestamp.transform((value) => new Date(value).toISOString());

/** The name of the program that wrote a record. */
export const LineClient = Name(200).nullable();
