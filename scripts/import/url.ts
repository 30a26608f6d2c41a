const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i;

/** The address of an API as a person writes it, with its scheme and without a slash at the end. Throws on others. */
export function apiUrl(text: string): string {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
    ? trimmed
    : `${LOCAL.test(trimmed) ? "http" : "https"}://${trimmed}`;
  const url = URL.parse(whole);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw new Error(`${text} is not the address of an API: give one such as http://localhost:8000`);
  return whole.replace(/\/+$/, "");
}
