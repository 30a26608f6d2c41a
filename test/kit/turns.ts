import { FIRST_SHARD } from "../../src/contract/shard.ts";
import {
  MAX_CONCURRENT,
  MAX_QUEUED,
  runInQueue,
  type runInUploadQueue,
} from "../../src/platform/queue/account-queue.ts";
import type { Client } from "./client.ts";
import { numberOf } from "./ctx.ts";

/** Does something while as many requests of an account, or uploads, are under way and waiting as may be. */
export async function whileBusy<Result>(
  client: Client,
  work: () => Promise<Result>,
  takeTurn: typeof runInUploadQueue = (who, answer) => runInQueue(who, "change", answer),
): Promise<Result> {
  const who = { shard: FIRST_SHARD, owner: await numberOf(client) };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const requests = Array.from({ length: MAX_CONCURRENT.change + MAX_QUEUED }, () =>
    takeTurn(who, () => ended),
  );
  const settled = Promise.allSettled(requests);
  try {
    return await work();
  } finally {
    end();
    await settled;
  }
}
