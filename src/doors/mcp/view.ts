import type { Env } from "../../env.ts";

// The view of records and changes inside a chat (MCP Apps, SEP-1865). It is a single page that makes no requests and acts only
// by calling tools.

export const VIEW_URI = "ui://commonplace/view";

export const VIEW_TYPE = "text/html;profile=mcp-app";

/** For tools with this view. Always sent, because claude.ai shows it without declaring the capability. */
export const VIEW_META = {
  ui: { resourceUri: VIEW_URI },
  "openai/outputTemplate": VIEW_URI,
  "openai/widgetAccessible": true,
};

/** For the page, which loads nothing from any origin. */
export const PAGE_META = {
  ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true },
  "openai/widgetDescription": "Records or changes, with buttons to act on them",
};

let page: Promise<string> | undefined;

async function assemble({ ASSETS }: Pick<Env, "ASSETS">): Promise<string> {
  const read = async (name: string) => {
    const file = await ASSETS.fetch(`https://assets.local/pages/${name}`);
    if (!file.ok) throw new Error(`${name} is missing: ${file.status}`);
    return file.text();
  };
  const [tokens, style, script] = await Promise.all(["tokens.css", "view.css", "view.js"].map(read));
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Commonplace</title>
<style>${tokens}${style}</style></head>
<body><main></main>
<script type="module">${script}</script></body>
</html>
`;
}

export function viewPage(env: Pick<Env, "ASSETS">): Promise<string> {
  page ??= assemble(env).catch((problem: unknown) => {
    page = undefined;
    throw problem;
  });
  return page;
}
