import Markdown from "react-markdown";
import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";

// Parses a Markdown text in a worker, and reports whether that succeeded.

addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    Markdown({ children: data, remarkPlugins: [remarkGfm, remarkBreaks] });
    postMessage(true);
  } catch {
    // Nested too deeply for the parser.
    postMessage(false);
  }
});
