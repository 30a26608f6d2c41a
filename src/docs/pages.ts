/** A page that shows /openapi.json: its HTML, and the one policy under which its library works. */
export type Page = { html: string; policy: string };

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

const pageOf = (title: string, head: string, main: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    ${head}
  </head>
  <body>
    ${main}
  </body>
</html>
`;

/** Swagger UI: read the operations and try them out. */
export const swaggerPage: Page = {
  html: pageOf(
    "Commonplace API",
    '<link rel="stylesheet" href="/vendor/swagger-ui.css">',
    `<div id="swagger-ui"></div>
    <script src="/vendor/swagger-ui-bundle.js"></script>
    <script src="/docs/swagger-ui.js"></script>`,
  ),
  policy: [...POLICY, "style-src 'self'"].join("; "),
};

/** Redoc: read the operations as one long page. It styles itself with inline styles and searches in a worker. */
export const redocPage: Page = {
  html: pageOf(
    "Commonplace API reference",
    "",
    `<div id="redoc"></div>
    <script src="/vendor/redoc.standalone.js"></script>
    <script src="/docs/redoc.js"></script>`,
  ),
  policy: [...POLICY, "style-src 'self' 'unsafe-inline'", "worker-src blob:"].join("; "),
};
