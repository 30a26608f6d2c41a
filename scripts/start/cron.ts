import { FRONT_SECRET_HEADER } from "../../src/contract/hosts.ts";
import type { RuntimeTarget } from "./forward.ts";

const HOUR_MS = 3_600_000;

/** Runs the cron handler now and every hour, because Miniflare does not schedule it. */
export function runCronHourly({ miniflare, secret, disk }: RuntimeTarget): void {
  const url = `http://127.0.0.1:${miniflare}/cdn-cgi/local/scheduled?cron=${secret}`;
  const run = () =>
    fetch(url, { headers: { [FRONT_SECRET_HEADER]: secret } }).then(
      (answer) => answer.ok || console.error(`The hourly clean-up failed: ${answer.status}`),
      (problem: Error) => console.error(`The hourly clean-up failed: ${problem.message}`),
    );
  run();
  // On a full disk it could not clean up anything.
  setInterval(() => disk?.state === "full" || run(), HOUR_MS);
}
