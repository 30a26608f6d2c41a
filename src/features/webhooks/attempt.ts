import { VERSION } from "../../platform/core/version.ts";
import { signedHeaders } from "./signature.ts";

export type WebhookMessage = { id: string; url: string; secrets: string[]; body: string };

/** The result of an attempt. `status`: of the receiver's answer, null without one. `error`: what went wrong. */
export type DeliveryOutcome = { delivered: boolean; status: number | null; error: string | null };

const TIMEOUT_MS = 10_000;

/** Only the status of an answer counts. Its body is not read. */
function toOutcome({ status }: Response): DeliveryOutcome {
  if (status >= 200 && status < 300) return { delivered: true, status, error: null };
  const isRedirect = status >= 300 && status < 400;
  const error = isRedirect ? "It answered with a redirect, which is not followed" : `It answered ${status}`;
  return { delivered: false, status, error };
}

/** Sends a message once. Never throws: failures are outcomes. */
export async function sendMessage(
  send: typeof fetch,
  message: WebhookMessage,
  at: Date,
): Promise<DeliveryOutcome> {
  const { id, url, secrets, body } = message;
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": `Commonplace/${VERSION}`,
    ...(await signedHeaders(secrets, { id, at, body })),
  };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await send(url, { method: "POST", headers, body, signal });
    // A receiver's body may be endless.
    answer.body?.cancel().catch(() => undefined);
    return toOutcome(answer);
  } catch (problem) {
    const isLate = problem instanceof Error && problem.name === "TimeoutError";
    const error = isLate ? "It did not answer within 10 seconds" : "It could not be reached";
    return { delivered: false, status: null, error };
  }
}
