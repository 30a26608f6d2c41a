import {
  type ApiClient,
  type ApiRequest,
  RequestRejectedError,
} from "../../../../src/shared/import/client.ts";
import { type ApiError, isApiError, isTransientError, request, STILL_RUNNING } from "../../api/request.ts";
import { type RetryOptions, sendWithRetry } from "../../api/retry.ts";

/** The importer's client, with the session of the app. It retries as long as the server cannot be reached. */
export function clientFor(waiting: RetryOptions): ApiClient {
  const { signal } = waiting;
  const send = async <Body>({ path, ...options }: ApiRequest): Promise<Body> => {
    // The same request, sent before a reload, may still be running.
    const also = options.headers?.["Idempotency-Key"] ? [STILL_RUNNING] : [];
    const isRetryable = (problem: unknown): problem is ApiError => isTransientError(problem, ...also);
    try {
      return await sendWithRetry(() => request<Body>(path, { ...options, signal }), waiting, isRetryable);
    } catch (problem) {
      throw isApiError(problem) ? new RequestRejectedError(problem.status, problem.message) : problem;
    }
  };
  return { send };
}
