import { Buffer } from "node:buffer";
import { withoutTrailingSlash } from "./address.ts";

const FORM = "application/x-www-form-urlencoded";

/** An error response of the token endpoint (RFC 6749 section 5.2). */
export const oauthError = (error: string, error_description: string): Response =>
  Response.json({ error, error_description }, { status: 400, headers: { "Cache-Control": "no-store" } });

/** The form of a token request, whose body remains readable; undefined for a request that the library rejects. */
export async function readTokenForm(request: Request): Promise<FormData | undefined> {
  const type = (request.headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (request.method !== "POST" || type !== FORM) return undefined;
  return request
    .clone()
    .formData()
    .catch(() => undefined);
}

export async function withPlainResource(request: Request): Promise<Request> {
  const form = await readTokenForm(request);
  const fields = [...(form ?? [])].map(([name, value]) => [name, String(value)] as [string, string]);
  const plain = fields.map(([name, value]): [string, string] => [
    name,
    name === "resource" ? withoutTrailingSlash(value) : value,
  ]);
  const isPlain = fields.every(([, value], index) => value === plain[index]?.[1]);
  return isPlain ? request : new Request(request, { body: new URLSearchParams(plain).toString() });
}

/** The client id and secret in Basic credentials, still percent-encoded. */
const basicOf = (header: string) => Buffer.from(header.replace(/^basic\s+/i, ""), "base64").toString();

/** Whether authenticating the client could make the service fetch a URL of the client's choice. */
export function namesClientUrl(form: FormData, authorization: string | null): boolean {
  const isAddress = (id: unknown) => /^\s*https(:|%3a)/i.test(String(id));
  return (
    form.has("client_assertion") ||
    form.getAll("client_id").some(isAddress) ||
    (authorization !== null && isAddress(basicOf(authorization)))
  );
}

function grantKey(secret: unknown): string | undefined {
  const [userId, grantId, rest] = String(secret ?? "").split(":");
  return userId && grantId && rest ? `grant:${userId}:${grantId}` : undefined;
}

/** The KV key of the grant that the code or token of a request claims to belong to; undefined without one. */
export function grantKeyIn(form: FormData): string | undefined {
  const [secret] = ["code", "refresh_token", "token"].flatMap((name) => form.getAll(name));
  return grantKey(secret);
}

/**
 * What must be exchanged by one request at a time: its code, or the connection of its refresh token; undefined for neither.
 * A client that signs its requests needs no protection: it never sends one twice, and others cannot use its tokens.
 */
export function exchangeKey(form: FormData): string | undefined {
  if (form.get("grant_type") === "refresh_token") {
    const isSigned = form.getAll("client_assertion").some((one) => one !== "");
    return isSigned ? undefined : grantKey(form.get("refresh_token"));
  }
  const code = form.get("code");
  // The names of connections begin with `grant:`, so a code must not.
  return typeof code === "string" && grantKeyIn(form) && !code.startsWith("grant:") ? code : undefined;
}
