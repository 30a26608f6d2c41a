import { type Client, Refused, type Request } from "../../../../src/contract/import/client.ts";
import { PASSING, persist, type Waiting } from "../../api/persist.ts";
import { type ApiError, isApiError, request } from "../../api/request.ts";

/** The importer's client, with the session of the app. It waits for as long as the service does not answer. */
export function clientFor(waiting: Waiting): Client {
  const { signal } = waiting;
  const send = async <Body>({ path, ...options }: Request): Promise<Body> => {
    // Under a key, 409 says that the same request, from before a reload, is still running.
    const passing = options.headers?.["Idempotency-Key"] ? [...PASSING, 409] : PASSING;
    const isPassing = ({ status }: ApiError) => passing.includes(status);
    try {
      return await persist(() => request<Body>(path, { ...options, signal }), waiting, isPassing);
    } catch (problem) {
      throw isApiError(problem) ? new Refused(problem.status, problem.message) : problem;
    }
  };
  return { send };
}
