import type { Env } from "../../env.ts";
import { packJson } from "../../platform/core/bytes.ts";

// The library makes three billed requests per message: to start a session, to ask whether it was initialized, and to
// deliver it. Here the first two travel with the third.

/** The header that carries the initialize request of a new session. Only the Worker sets it. */
export const BEGIN_HEADER = "x-commonplace-begin";

/** A session that was never initialized, or was erased. */
export class UnknownSession extends Error {}

type Sessions = Env["MCP_SESSIONS"];

function stubOf(session: ReturnType<Sessions["get"]>) {
  let begin: string | undefined;
  return {
    __unsafe_ensureInitialized: async () => {},
    getInitializeRequest: async () => true,
    setInitializeRequest: async (message: unknown) => {
      begin = packJson(message);
    },
    fetch: async (request: Request) => {
      const headers = new Headers(request.headers);
      if (begin === undefined) headers.delete(BEGIN_HEADER);
      else headers.set(BEGIN_HEADER, begin);
      const answer = await session.fetch(new Request(request, { headers }));
      if (answer.status === 404) throw new UnknownSession();
      return answer;
    },
  };
}

export const asOneRequest = (sessions: Sessions): Sessions =>
  ({
    newUniqueId: () => sessions.newUniqueId(),
    idFromName: (name: string) => sessions.idFromName(name),
    get: (id: DurableObjectId) => stubOf(sessions.get(id)),
  }) as unknown as Sessions;
