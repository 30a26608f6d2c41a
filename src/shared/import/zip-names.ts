// Names of files in zips.

/** Decodes a name, given with one character per byte, as UTF-8, which some programs write without declaring it. */
export function decodeZipName(name: string): string {
  const codes = Array.from(name, (character) => character.charCodeAt(0));
  if (codes.some((code) => code > 0xff)) return name;
  try {
    const bytes = Uint8Array.from(codes);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return name;
  }
}

/** The normalized path of an entry, or undefined if it leads outside the archive. */
export function safePath(name: string): string | undefined {
  const whole = name.replaceAll("\\", "/");
  const path = whole
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  const leadsOut = whole.startsWith("/") || /^[a-z]:/i.test(path) || path.split("/").includes("..");
  return leadsOut ? undefined : path;
}
