import { FIRST_HOME } from "../../src/contract/home.ts";
import {
  AT_ONCE,
  inTurnOf,
  type inTurnOfUploads,
  MOST_WAITING,
} from "../../src/platform/turns/account-turns.ts";
import type { Client } from "./client.ts";
import { numberOf } from "./ctx.ts";

/** Does something while as many requests of an account, or uploads, are under way and waiting as may be. */
export async function whileBusy<Result>(
  client: Client,
  work: () => Promise<Result>,
  takeTurn: typeof inTurnOfUploads = (who, answer) => inTurnOf(who, "change", answer),
): Promise<Result> {
  const who = { home: FIRST_HOME, owner: await numberOf(client) };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const requests = Array.from({ length: AT_ONCE.change + MOST_WAITING }, () => takeTurn(who, () => ended));
  const settled = Promise.allSettled(requests);
  try {
    return await work();
  } finally {
    end();
    await settled;
  }
}
