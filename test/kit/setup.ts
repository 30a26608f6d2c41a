import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach } from "vitest";
import { mailService } from "./mailbox.ts";
import { createTables } from "./tables.ts";

// Every test starts with an empty deployment.
beforeEach(async () => {
  // `reset` skips a database that has been idle for ten seconds, so wake it first.
  const databases = [env.DB, env.DB_2, env.DB_3];
  await Promise.all(databases.map((database) => database.prepare("SELECT 1").run()));
  await reset();
  await createTables(env.DB);
  await mailService.clear();
});
