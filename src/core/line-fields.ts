import { z } from "@hono/zod-openapi";
import { Name, Timestamp } from "./fields.ts";

// Kinds of fields in the lines of an export, which hold a record as it is stored. A file may be older than this
// version or come from elsewhere, so each is read strictly.

/** Higher versions are no history: they become this one, from which a resource can be changed for ever. */
const HIGHEST_VERSION = 2 ** 31 - 1;

export const LineVersion = z
  .int()
  .min(1)
  .transform((version) => Math.min(version, HIGHEST_VERSION));

/** An instant as the service writes it, however many digits its seconds came with: lists are in the order of the texts. */
export const LineInstant = Timestamp.transform((value) => new Date(value).toISOString());

/** The name of a program that wrote. */
export const LineClient = Name(200).nullable();
