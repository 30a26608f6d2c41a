import Markdown from "react-markdown";
import { REMARK_PLUGINS } from "./obsidian/remark-plugins.ts";

addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    Markdown({ children: data, remarkPlugins: REMARK_PLUGINS });
    postMessage(true);
  } catch {
    // Nested too deeply for the parser.
    postMessage(false);
  }
});
