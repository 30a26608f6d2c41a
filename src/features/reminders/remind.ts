import type { Env } from "../../env.ts";
import { type BaseCtx, type Ctx, ctxFor } from "../../platform/core/ctx.ts";
import { Unsent } from "../../platform/core/errors.ts";
import { publicOrigin } from "../../platform/http/origin.ts";
import { hasMailServer, sendMail } from "../../platform/mail/send.ts";
import { yieldToOthers } from "../../platform/turns/yield.ts";
import { pushToAll } from "../push/send.ts";
import { agendaOf, noticeOf } from "./agenda.ts";
import { claimDay, type Kind, listReminded, type Reminded, readDay, releaseDay } from "./store.ts";

/** The address of the app; undefined where the settings do not say. */
const addressOf = (env: Env) => (env.API_URL || env.MCP_URL ? publicOrigin(env) : undefined);

/** Push services want to know whom to ask. Some refuse an address that is not public. */
function subjectOf(env: Env): string {
  const address = addressOf(env);
  return address?.startsWith("https:") ? address : "mailto:operator@commonplace.invalid";
}

/** Mails go only to addresses whose owner has confirmed that they want to be written to. */
async function mail(ctx: Ctx, env: Env): Promise<void> {
  const { email: to, email_verified_at } = await ctx.user();
  if (email_verified_at === null) return;
  const agenda = agendaOf(await readDay(ctx), addressOf(env));
  if (agenda) await sendMail(env, { to, ...agenda });
}

async function push(ctx: Ctx, env: Env): Promise<void> {
  const notice = noticeOf(await readDay(ctx));
  if (notice) await pushToAll(ctx, notice, subjectOf(env));
}

type Remind = (ctx: Ctx, env: Env) => Promise<void>;

/** Accounts that are reminded at a time. Each has one request under way, and Workers have six. */
const AT_ONCE = 5;
/** After so long a run begins no more; who is left is reminded in the next one. */
const RUN_MS = 120_000;

/** Returns how many can be tried again. If some fail, throws after all have been tried. */
async function remindAll(
  base: BaseCtx,
  env: Env,
  { kind, remind }: { kind: Kind; remind: Remind },
): Promise<number> {
  const failures: unknown[] = [];
  let unsent = 0;
  const tell = async (reminded: Reminded) => {
    const ctx = ctxFor(base, reminded.user);
    if (!(await claimDay(ctx, kind, reminded))) return;
    await remind(ctx, env).catch(async (problem: unknown) => {
      if (!(problem instanceof Unsent && (await releaseDay(ctx, kind, reminded)))) throw problem;
      unsent += 1;
    });
  };
  const waiting = (await listReminded(base, kind)).values();
  const end = Date.now() + RUN_MS;
  const tellOneAfterAnother = async () => {
    for (const reminded of waiting) {
      await tell(reminded).catch((problem: unknown) => failures.push(problem));
      if (Date.now() > end) return;
      await yieldToOthers();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tellOneAfterAnother));
  if (failures.length > 0) throw new Error(`${failures.length} accounts got no ${kind}: ${failures[0]}`);
  return unsent;
}

export const pushDay = (base: BaseCtx, env: Env): Promise<number> =>
  remindAll(base, env, { kind: "push", remind: push });

/** Returns how many emails no server has taken. Without a mail server, everybody's day is left as it is. */
export const mailDay = async (base: BaseCtx, env: Env): Promise<number> =>
  hasMailServer(env) ? remindAll(base, env, { kind: "mail", remind: mail }) : 0;

/** When the mails that no server has taken are sent again. The next run of the cron handler tries once more. */
const PAUSES_MS = [60_000, 120_000];

/** Sends again what no server has taken, after pauses: for the cron handler. */
export async function mailAgain(open: () => BaseCtx, env: Env): Promise<void> {
  for (const pause of PAUSES_MS) {
    await new Promise((resume) => setTimeout(resume, pause));
    if ((await mailDay(open(), env)) === 0) return;
  }
}
