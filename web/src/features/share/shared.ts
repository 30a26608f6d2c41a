const MOST_TITLE = 200;

const ADDRESS = /https?:\/\/\S+/u;

const firstLine = (text: string) => text.split("\n", 1)[0]?.trim() ?? "";

/**
 * The title and the Markdown text of a document from what another app shares (Web Share Target). Many apps leave out the
 * title, or put the address at the end of the text.
 */
export function documentOf(shared: URLSearchParams): { title: string; text: string } {
  const said = (name: string) => (shared.get(name) ?? "").trim();
  const text = said("text");
  const url = said("url") || (ADDRESS.exec(text)?.[0] ?? "");
  const words = text.replace(url, "").trim();
  const title = said("title") || firstLine(words) || url;
  const body = words === title ? "" : words;
  const parts = [body, url && `<${url}>`].filter(Boolean);
  return { title: title.slice(0, MOST_TITLE), text: parts.join("\n\n") };
}
