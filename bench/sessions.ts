import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "./asking.ts";
import { PASSWORD, type Person } from "./people.ts";

// People's sessions: an access token is valid for 15 minutes, and is exchanged as the app does.

const EVERY_MS = 600_000;

type Tokens = { access_token: string; refresh_token: string };

const post = async (url: string, path: string, body: object) =>
  JSON.parse(
    await ask(url, {
      method: "POST",
      path,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  ) as Tokens;

/**
 * Signs everybody in, and exchanges their tokens in turn until it is stopped. No exchange waits for the one before it:
 * on a busy machine, the last in turn would come too late.
 */
export async function keepSignedIn(url: string, people: Person[], failed: (problem: Error) => void) {
  const refreshTokens = new Map<Person, string>();
  const use = (person: Person, { access_token, refresh_token }: Tokens) => {
    person.token = access_token;
    refreshTokens.set(person, refresh_token);
  };
  for (const person of people)
    use(person, await post(url, "/api/auth/login", { email: person.email, password: PASSWORD }));
  const stopping = new AbortController();
  const exchange = async () => {
    for (let turn = 0; ; turn++) {
      await sleep(EVERY_MS / people.length, undefined, stopping);
      const person = people[turn % people.length] as Person;
      const refresh_token = refreshTokens.get(person);
      void post(url, "/api/auth/refresh", { refresh_token }).then((tokens) => use(person, tokens), failed);
    }
  };
  const ended = exchange().catch(() => undefined);
  return async () => {
    stopping.abort();
    await ended;
  };
}
