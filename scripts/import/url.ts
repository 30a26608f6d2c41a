const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i;

/** Normalizes an API address typed by a user: adds the scheme, removes trailing slashes. Throws if it is not a URL. */
export function normalizeApiUrl(text: string): string {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
    ? trimmed
    : `${LOCAL.test(trimmed) ? "http" : "https"}://${trimmed}`;
  const url = URL.parse(whole);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw new Error(`${text} is not the address of an API, such as http://localhost:8000`);
  return whole.replace(/\/+$/, "");
}
