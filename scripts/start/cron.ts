const HOUR_MS = 3_600_000;

/** Where `wrangler dev` runs the cron handler: it keeps no schedule by itself. */
export const CRON_PATH = "/cdn-cgi/handler/scheduled";

/** Runs the cron handler now and every hour: what has expired goes, as it does on Cloudflare. */
export function runHourly(apiUrl: string): void {
  const run = () =>
    fetch(`${apiUrl}${CRON_PATH}`).then(
      (answer) => answer.ok || console.error(`The hourly clean-up failed: ${answer.status}`),
      (problem: Error) => console.error(`The hourly clean-up failed: ${problem.message}`),
    );
  run();
  setInterval(run, HOUR_MS);
}
