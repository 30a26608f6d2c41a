import type { Context } from "hono";
import type { Child, PropsWithChildren } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../core/ctx.ts";

// Server-rendered pages without scripts.

type LayoutProps = PropsWithChildren<{ title: string }>;

export const Layout = ({ title, children }: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>{title} – Commonplace</title>
      <link rel="stylesheet" href="/pages/style.css" />
    </head>
    <body>
      <header>Commonplace</header>
      <main>{children}</main>
    </body>
  </html>
);

/** An error message that screen readers announce at once. */
export const Alert = ({ children }: PropsWithChildren) => (
  <p class="alert" role="alert">
    {children}
  </p>
);

export const MessagePage = ({ title, children }: LayoutProps) => (
  <Layout title={title}>
    <h1>{title}</h1>
    {children}
  </Layout>
);

const POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/**
 * Sends a page with the security headers of all pages.
 *
 * @param formTarget where a form may redirect besides our own pages, such as the origin of a client
 */
export function answerPage(
  c: Context<AppEnv>,
  page: Child,
  status: ContentfulStatusCode = 200,
  formTarget = "",
): Response {
  return c.html(`<!doctype html>${page}`, status, {
    "Content-Security-Policy": `${POLICY}; form-action ${`'self' ${formTarget}`.trim()}`,
    "X-Frame-Options": "DENY",
    // With no-referrer, browsers send our own forms with the origin "null".
    "Referrer-Policy": "same-origin",
  });
}
