import {
  type ApiClient,
  type ApiRequest,
  RequestRejectedError,
} from "../../../../src/shared/import/client.ts";
import { type ApiError, isApiError, request } from "../../api/request.ts";
import { type RetryOptions, sendWithRetry, TRANSIENT_STATUSES } from "../../api/retry.ts";

/** The importer's client, with the session of the app. It retries as long as the server cannot be reached. */
export function clientFor(waiting: RetryOptions): ApiClient {
  const { signal } = waiting;
  const send = async <Body>({ path, ...options }: ApiRequest): Promise<Body> => {
    // With an idempotency key, 409 means that the same request, sent before a reload, is still running.
    const transient = options.headers?.["Idempotency-Key"]
      ? [...TRANSIENT_STATUSES, 409]
      : TRANSIENT_STATUSES;
    const isPassing = ({ status }: ApiError) => transient.includes(status);
    try {
      return await sendWithRetry(() => request<Body>(path, { ...options, signal }), waiting, isPassing);
    } catch (problem) {
      throw isApiError(problem) ? new RequestRejectedError(problem.status, problem.message) : problem;
    }
  };
  return { send };
}
