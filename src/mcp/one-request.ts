import { packJson } from "../core/bytes.ts";
import type { Env } from "../env.ts";

// McpAgent.serve of agents 0.32 asks a session's object three times for each message: to start, whether it was ever begun,
// and to take the message. Each is a request that is billed and waited for. Here the first two travel along with the third.

/** The header that begins a session: what its client said. The Worker alone writes it. */
export const BEGIN_HEADER = "x-commonplace-begin";

/** A session that was never begun, or was erased. */
export class UnknownSession extends Error {}

type Sessions = Env["MCP_SESSIONS"];

/** A stub that asks its object once; the object does the rest before it takes the message. */
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

/** The sessions as the library may have them for one message. */
export const askedOnce = (sessions: Sessions): Sessions =>
  ({
    newUniqueId: () => sessions.newUniqueId(),
    idFromName: (name: string) => sessions.idFromName(name),
    get: (id: DurableObjectId) => stubOf(sessions.get(id)),
  }) as unknown as Sessions;
