import { type Client, Refused, type Request } from "../../../../src/contract/import/client.ts";
import { PASSING, persist, type Waiting } from "../../api/persist.ts";
import { type ApiError, isApiError, request } from "../../api/request.ts";

/** The importer's client, with the session of the app. It retries as long as the server cannot be reached. */
export function clientFor(waiting: Waiting): Client {
  const { signal } = waiting;
  const send = async <Body>({ path, ...options }: Request): Promise<Body> => {
    // With an idempotency key, 409 means that the same request, sent before a reload, is still running.
    const transient = options.headers?.["Idempotency-Key"] ? [...PASSING, 409] : PASSING;
    const isPassing = ({ status }: ApiError) => transient.includes(status);
    try {
      return await persist(() => request<Body>(path, { ...options, signal }), waiting, isPassing);
    } catch (problem) {
      throw isApiError(problem) ? new Refused(problem.status, problem.message) : problem;
    }
  };
  return { send };
}
