const MAX_TITLE = 200;

const URL_PATTERN = /https?:\/\/\S+/u;

const firstLine = (text: string) => text.split("\n", 1)[0]?.trim() ?? "";

/** A document for content shared by another app. Many leave out the title, or put the URL at the end of the text. */
export function sharedDocument(shared: URLSearchParams): { title: string; text: string } {
  const parameter = (name: string) => (shared.get(name) ?? "").trim();
  const text = parameter("text");
  const url = parameter("url") || (URL_PATTERN.exec(text)?.[0] ?? "");
  const words = text.replace(url, "").trim();
  const title = parameter("title") || firstLine(words) || url;
  const body = words === title ? "" : words;
  const parts = [body, url && `<${url}>`].filter(Boolean);
  return { title: title.slice(0, MAX_TITLE), text: parts.join("\n\n") };
}
