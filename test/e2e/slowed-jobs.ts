import type { BrowserContext } from "playwright-core";
import type { Job, JobList } from "../../src/contract/jobs.ts";
import type { Ask } from "./ask.ts";
import { processTree } from "./processes.ts";
import { type Service, until } from "./service.ts";

// Work takes as long as the machine likes. A story that looks at it while it is under way decides itself how long that is.

const newest = async (ask: Ask) => (await ask<JobList>("GET", "/api/jobs?limit=1")).items[0];

export type Slowed = {
  /** Lets the tabs hear of more than `done`, as soon as the service has said so. */
  moveOn: (done: number) => Promise<void>;
  /** From now on the tabs hear how it is. */
  release: () => Promise<void>;
};

/** The tabs of a window hear of the next job only what the service said of it at first, and what it said later when told to. */
export async function slowJobs(context: BrowserContext, ask: Ask): Promise<Slowed> {
  /** What the service said of it while it was running, in order. */
  const said: Job[] = [];
  let isOver = false;
  let shown: Job | undefined;
  const before = (await newest(ask))?.id;
  const isNew = (job: Job | undefined): job is Job => job !== undefined && job.id !== before;
  const hear = async () => {
    for (let job: Job | undefined; !isNew(job) || job.state === "running"; job = await newest(ask))
      if (isNew(job) && said.at(-1)?.done !== job.done) said.push(job);
  };
  const heard = hear();
  // The service may be stopped before, in a story that fails.
  heard.catch(() => undefined);
  await context.route(/\/api\/jobs(\/|\?|$)/, async (route) => {
    shown ??= said[0];
    const isAsked = route.request().method() === "GET";
    if (isOver || !isAsked || !shown) return route.fallback();
    const isList = new URL(route.request().url()).pathname.endsWith("/jobs");
    return route.fulfill({ json: isList ? { items: [shown], total: 1 } : shown });
  });
  return {
    moveOn: (done) =>
      until(
        () => {
          shown = said.find((job) => job.done > done) ?? shown;
          return shown !== undefined && shown.done > done;
        },
        () => `The service said no more than ${done}: ${said.map((job) => job.done)}`,
      ),
    release: async () => {
      isOver = true;
      await heard;
    },
  };
}

/** Holds a service: nothing in it goes on, and whoever asks waits. Returns what lets it go on. */
export function hold({ pid }: Service): () => void {
  const runtimes = processTree(pid).filter(({ command }) => command.includes("workerd serve"));
  for (const one of runtimes) process.kill(one.pid, "SIGSTOP");
  return () => {
    for (const one of runtimes) process.kill(one.pid, "SIGCONT");
  };
}
