// Display name of the program that sent a request: "Firefox on Linux", or the name that it sends.

const BROWSERS: [RegExp, string][] = [
  [/\bEdg(A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Mac OS/, "macOS"],
  [/Linux/, "Linux"],
];
/** Libraries, whose user agent does not name the program that uses them. */
const LIBRARIES: [RegExp, string][] = [
  [/^(node|undici|axios|got|node-fetch)\b/i, "A script in Node.js"],
  [/^(python|aiohttp|httpx)/i, "A script in Python"],
  [/^curl\b/i, "curl"],
];

const MAX_NAME = 80;
const UNNAMED = "Unnamed program";

const nameIn = (names: [RegExp, string][], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** A name without invisible characters and ones that reorder text, cut to 80 characters. */
export const visibleName = (name: string): string => {
  const visible = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim();
  return visible.length > MAX_NAME ? `${visible.slice(0, MAX_NAME).toWellFormed()}…` : visible;
};

export function programFromUserAgent(userAgent: string | null | undefined): string {
  const agent = visibleName((userAgent ?? "").slice(0, 300));
  const browser = nameIn(BROWSERS, userAgent ?? "");
  const system = nameIn(SYSTEMS, userAgent ?? "");
  if (browser && system) return `${browser} on ${system}`;
  return nameIn(LIBRARIES, agent) ?? (agent || UNNAMED);
}

export const requestProgram = (headers: Headers): string =>
  visibleName(headers.get("X-Client-Name") ?? "") || programFromUserAgent(headers.get("User-Agent"));
