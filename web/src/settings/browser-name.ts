const BROWSERS: [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/(Chrome|Chromium|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS/, "macOS"],
  [/Linux/, "Linux"],
];

const firstOf = (names: [RegExp, string][], text: string) => names.find(([sign]) => sign.test(text))?.[1];

/** "Firefox on Linux", or what the program called itself. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return "A program that gave no name";
  const browser = firstOf(BROWSERS, userAgent);
  const system = firstOf(SYSTEMS, userAgent);
  return browser && system ? `${browser} on ${system}` : userAgent.slice(0, 80);
}
