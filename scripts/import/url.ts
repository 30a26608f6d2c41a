const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i;

/**
 * Normalizes the address of an API as users write it: with a scheme and without a trailing slash. Throws if it is not
 * one.
 */
export function apiUrl(text: string): string {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
    ? trimmed
    : `${LOCAL.test(trimmed) ? "http" : "https"}://${trimmed}`;
  const url = URL.parse(whole);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw new Error(`${text} is not the address of an API; an example is http://localhost:8000`);
  return whole.replace(/\/+$/, "");
}
