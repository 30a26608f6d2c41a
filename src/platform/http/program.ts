// What people know a program as that signs in: "Firefox on Linux", or the name that it gives itself.

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
/** Libraries, which say nothing of the program that uses them. */
const LIBRARIES: [RegExp, string][] = [
  [/^(node|undici|axios|got|node-fetch)\b/i, "A script in Node.js"],
  [/^(python|aiohttp|httpx)/i, "A script in Python"],
  [/^curl\b/i, "curl"],
];

const MAX_NAME = 80;
const NAMELESS = "A program that gave no name";

const firstOf = (names: [RegExp, string][], text: string) => names.find(([sign]) => sign.test(text))?.[1];

/** A name without characters that are invisible or reorder the text around them, cut to 80. */
export const shownName = (name: string): string => {
  const visible = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim();
  return visible.length > MAX_NAME ? `${visible.slice(0, MAX_NAME).toWellFormed()}…` : visible;
};

export function programIn(userAgent: string | null | undefined): string {
  const agent = shownName((userAgent ?? "").slice(0, 300));
  const browser = firstOf(BROWSERS, userAgent ?? "");
  const system = firstOf(SYSTEMS, userAgent ?? "");
  if (browser && system) return `${browser} on ${system}`;
  return firstOf(LIBRARIES, agent) ?? (agent || NAMELESS);
}

export const programOf = (headers: Headers): string =>
  shownName(headers.get("X-Client-Name") ?? "") || programIn(headers.get("User-Agent"));
