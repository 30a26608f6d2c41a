// The names of a zip's files.

/** A name as UTF-8, which some programs write without saying so. It comes with a character for each byte. */
export function nameOf(name: string): string {
  const codes = Array.from(name, (character) => character.charCodeAt(0));
  if (codes.some((code) => code > 0xff)) return name;
  try {
    const bytes = Uint8Array.from(codes);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return name;
  }
}

/** The path of an entry, or undefined if it leads out of the zip. */
export function safePath(name: string): string | undefined {
  const whole = name.replaceAll("\\", "/");
  const path = whole
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  const leadsOut = whole.startsWith("/") || /^[a-z]:/i.test(path) || path.split("/").includes("..");
  return leadsOut ? undefined : path;
}
