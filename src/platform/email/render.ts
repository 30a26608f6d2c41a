import { escapeHtml as escaped } from "../../shared/text/escape-html.ts";

export type EmailBlock = string | { text: string; url: string };

export type Email = { to: string; subject: string; body: EmailBlock[] };

const asText = (block: EmailBlock) => (typeof block === "string" ? block : `${block.text}:\n${block.url}`);

const asHtml = (block: EmailBlock) =>
  typeof block === "string"
    ? `<p>${escaped(block).replaceAll("\n", "<br>")}</p>`
    : `<p><a href="${escaped(block.url)}">${escaped(block.text)}</a></p>`;

export function renderEmail({ subject, body }: Email): { text: string; html: string } {
  const text = `${body.map(asText).join("\n\n")}\n`;
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 36em; margin: 2em auto; padding: 0 1em">
${body.map(asHtml).join("\n")}
</body></html>\n`;
  return { text, html };
}
