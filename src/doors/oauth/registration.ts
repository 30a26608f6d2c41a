import { isObject } from "../../shared/files/content.ts";

// Normalizes the body of a client registration (RFC 7591). A server ignores what it does not know (section 2).

type Metadata = Record<string, unknown>;

/** Supported values. A client may request others too (section 2); the response has those that it was registered for. */
const SUPPORTED: Metadata = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
};

/** Libraries send a field without a value as null, an empty text or an empty list. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** The requested values that are supported, or all of them if none is, which are then rejected. */
function supportedValues(name: string, value: unknown): unknown {
  const offered = SUPPORTED[name];
  if (!Array.isArray(offered) || !Array.isArray(value)) return value;
  const supported = value.filter((one) => offered.includes(one));
  return supported.length > 0 ? supported : value;
}

/** The body of a registration without empty fields and unsupported values. */
export function normalizeRegistration(body: string): string {
  const sent = parsed(body);
  if (!sent) return body;
  const given = Object.entries(sent).filter(([, value]) => !isEmpty(value));
  return JSON.stringify(
    Object.fromEntries(given.map(([name, value]) => [name, supportedValues(name, value)])),
  );
}

function parsed(body: string): Metadata | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
