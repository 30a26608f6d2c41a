export type SnippetPart = { text: string; isMatch: boolean };

const CHARACTERS: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

const plain = (escaped: string) =>
  escaped.replace(/&(?:amp|lt|gt|quot|#39);/g, (name) => CHARACTERS[name] ?? name);

/**
 * The parts of a snippet that the API sent as escaped HTML with `<mark>` around the matches. They are rendered as text,
 * so that nothing in them can be markup.
 */
export const parseMarks = (snippet: string): SnippetPart[] =>
  snippet
    .split(/<mark>(.*?)<\/mark>/su)
    .map((part, index) => ({ text: plain(part), isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
