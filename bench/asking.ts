import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

// One request and its answer, with less work for this process than fetch: it shares the machine with what it measures.

/** Idle connections are closed here, before the service closes them: a request that crosses that would be lost. */
const IDLE_MS = 60_000;
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

export type Asked = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | undefined;
};

/** An answer by which nothing was changed: a status from 400 to 499. */
export class Refused extends Error {}

/** Sends a request and returns the text of its answer. Throws unless it succeeds. */
export function ask(url: string, { method = "GET", path, headers = {}, body }: Asked): Promise<string> {
  return new Promise((done, failed) => {
    const sent = request(url + path, { method, headers, agent }, async (answer) => {
      const said = await text(answer).catch(failed);
      if (said === undefined) return;
      const { statusCode = 0 } = answer;
      const isRefused = statusCode < 200 || statusCode > 299 || said.includes('"isError":true');
      if (!isRefused) return done(said);
      const Problem = statusCode >= 400 && statusCode < 500 ? Refused : Error;
      failed(new Problem(`${method} ${path.split("?")[0]}: ${statusCode} ${said.slice(0, 200)}`));
    });
    sent.on("error", failed);
    sent.end(body);
  });
}
