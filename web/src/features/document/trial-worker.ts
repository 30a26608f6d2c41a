import Markdown from "react-markdown";
import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";

// Parses a Markdown text beside the page, and says whether that succeeded.

addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    Markdown({ children: data, remarkPlugins: [remarkGfm, remarkBreaks] });
    postMessage(true);
  } catch {
    // Nested deeper than the parser can follow.
    postMessage(false);
  }
});
