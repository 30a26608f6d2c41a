import { Buffer } from "node:buffer";

// What a request to the token endpoint names, read as the OAuth library reads it. Plain values in, plain values out.

const FORM = "application/x-www-form-urlencoded";

/** An answer of the token endpoint that refuses (RFC 6749 section 5.2). */
export const oauthError = (error: string, error_description: string): Response =>
  Response.json({ error, error_description }, { status: 400, headers: { "Cache-Control": "no-store" } });

/** The form of a token request, whose body can still be read; undefined for one that the library refuses unread. */
export async function formOf(request: Request): Promise<FormData | undefined> {
  const type = (request.headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (request.method !== "POST" || type !== FORM) return undefined;
  return request
    .clone()
    .formData()
    .catch(() => undefined);
}

/** The client's name in Basic credentials, still percent-encoded. */
const basicOf = (header: string) => Buffer.from(header.replace(/^basic\s+/i, ""), "base64").toString();

/** Whether authenticating its client could make us fetch what the client names. */
export function namesAddress(form: FormData, authorization: string | null): boolean {
  const isAddress = (id: unknown) => /^\s*https(:|%3a)/i.test(String(id));
  return (
    form.has("client_assertion") ||
    form.getAll("client_id").some(isAddress) ||
    (authorization !== null && isAddress(basicOf(authorization)))
  );
}

/** The grant that a code or token of the request says it belongs to, as KV names it; undefined where it has none. */
export function grantIn(form: FormData): string | undefined {
  const [secret] = ["code", "refresh_token", "token"].flatMap((name) => form.getAll(name));
  const [userId, grantId, rest] = String(secret ?? "").split(":");
  return userId && grantId && rest ? `grant:${userId}:${grantId}` : undefined;
}
