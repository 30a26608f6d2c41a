import type { BaseCtx } from "../core/ctx.ts";
import { FIRST_HOME } from "../../contract/home.ts";
import { openDatabase } from "./call.ts";

/**
 * Opens a D1 session. With a bookmark, a replica that is at least as recent may answer; without one, the first statement
 * goes to the primary.
 */
export const openSession = (d1: D1Database, bookmark?: string): D1DatabaseSession =>
  d1.withSession(bookmark ?? "first-primary");

/**
 * What stores need outside of an HTTP request: a session, by default on the primary, and the time.
 *
 * @param home the home that the database is
 */
export const openBase = (d1: D1Database, home = FIRST_HOME, session = openSession(d1)): BaseCtx => ({
  db: openDatabase(session),
  now: new Date(),
  home,
});
