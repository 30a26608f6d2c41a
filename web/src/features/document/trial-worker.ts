import Markdown from "react-markdown";
import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";

addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    Markdown({ children: data, remarkPlugins: [remarkGfm, remarkBreaks] });
    postMessage(true);
  } catch {
    // Nested too deeply for the parser.
    postMessage(false);
  }
});
