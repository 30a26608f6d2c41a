import type { Context } from "hono";
import type { Child, PropsWithChildren } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../../platform/core/ctx.ts";

// Server-rendered pages, which work without scripts.

type LayoutProps = PropsWithChildren<{
  title: string;
  /** An error, shown first in the title, which screen readers read first. */
  problem?: string | undefined;
  /** The files in public/pages that improve the page's forms. */
  scripts?: readonly string[];
  isWide?: boolean;
}>;

export const Layout = ({ title, problem, scripts = [], isWide = false, children }: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>{[problem && `Error: ${problem}`, title, "Commonplace"].filter(Boolean).join(" – ")}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="/pages/tokens.css" />
      <link rel="stylesheet" href="/pages/style.css" />
      {scripts.map((script) => (
        <script src={`/pages/${script}`} defer />
      ))}
    </head>
    <body>
      <header>Commonplace</header>
      <main class={isWide ? "wide" : undefined}>{children}</main>
    </body>
  </html>
);

/** An error message that screen readers announce immediately. Invalid fields refer to it. */
export const Alert = ({ children }: PropsWithChildren) => (
  <p class="alert" role="alert" id="alert">
    {children}
  </p>
);

const policyOf = (pictures: string) =>
  `default-src 'none'; style-src 'self'; img-src ${pictures}; frame-ancestors 'none'; base-uri 'none'`;

type Options = {
  status?: ContentfulStatusCode;
  /** Another redirect target allowed for forms, such as the origin of a client. */
  formTarget?: string;
  /** Whether the page may load our own scripts and pictures. */
  scripts?: boolean;
};

export function answerPage(
  c: Context<AppEnv>,
  page: Child,
  { status = 200, formTarget = "", scripts = false }: Options = {},
): Response {
  const policy = [
    policyOf(scripts ? "'self' data:" : "data:"),
    ...(scripts ? ["script-src 'self'", "connect-src 'self'"] : []),
    `form-action ${`'self' ${formTarget}`.trim()}`,
  ];
  return c.html(`<!doctype html>${page}`, status, {
    "Content-Security-Policy": policy.join("; "),
    "X-Frame-Options": "DENY",
    // With no-referrer, browsers send our own forms with the origin "null".
    "Referrer-Policy": "same-origin",
  });
}
