import { FIRST_SHARD } from "../../contract/shard.ts";
import type { BaseCtx } from "../core/ctx.ts";
import { openDatabase } from "./call.ts";

/** With a bookmark, a replica that is as recent may answer. Without one, the first statement goes to the primary. */
export const openSession = (d1: D1Database, bookmark?: string): D1DatabaseSession =>
  d1.withSession(bookmark ?? "first-primary");

export const openBaseCtx = (d1: D1Database, home = FIRST_SHARD, session = openSession(d1)): BaseCtx => ({
  db: openDatabase(session),
  now: new Date(),
  shard: home,
});
