import { breathe } from "../core/breathe.ts";
import { type BaseCtx, type Ctx, ctxFor } from "../core/ctx.ts";
import type { Env } from "../env.ts";
import { pushToAll } from "../push/send.ts";
import { noticeOf } from "./agenda.ts";
import { claimDay, type Kind, listReminded, readDay } from "./store.ts";

// Tells people about their day at the hour that they have chosen.

/** The address of the app; undefined where the settings do not say. */
function addressOf({ API_URL, MCP_URL }: Env): string | undefined {
  const url = API_URL || MCP_URL;
  return url === "" ? undefined : new URL(url).origin;
}

/** Push services want to know whom to ask. Some refuse an address that is not public. */
const subjectOf = (env: Env) => {
  const address = addressOf(env);
  return address?.startsWith("https:") ? address : "mailto:operator@commonplace.invalid";
};

async function push(ctx: Ctx, env: Env): Promise<void> {
  const notice = noticeOf(await readDay(ctx));
  if (notice) await pushToAll(ctx, notice, subjectOf(env));
}

type Remind = (ctx: Ctx, env: Env) => Promise<void>;

/** Reminds every account whose hour has come. If some fail, it throws after all have been tried. */
async function remindAll(
  base: BaseCtx,
  env: Env,
  { kind, remind }: { kind: Kind; remind: Remind },
): Promise<void> {
  const failures: unknown[] = [];
  for (const reminded of await listReminded(base, kind)) {
    const ctx = ctxFor(base, reminded.user);
    const tell = async () => {
      if (await claimDay(ctx, kind, reminded)) await remind(ctx, env);
    };
    await tell().catch((problem: unknown) => failures.push(problem));
    await breathe();
  }
  if (failures.length > 0) throw new Error(`${failures.length} accounts got no ${kind}: ${failures[0]}`);
}

/** Shows what is due today in subscribed browsers: for the cron handler. */
export const pushDay = (base: BaseCtx, env: Env): Promise<void> =>
  remindAll(base, env, { kind: "push", remind: push });

/** Whether this deployment can send mail. */
export const canMail = (_env: Env): boolean => false;
