/** A page that shows /openapi.json: its HTML, and the Content-Security-Policy that its library needs. */
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
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/docs.css">
    ${head}
  </head>
  <body>
    ${main}
  </body>
</html>
`;

const SIGN_IN = `<section class="sign-in" aria-labelledby="sign-in-title">
      <h2 id="sign-in-title">Sign in to try it out</h2>
      <p>Your requests will then include your access token. No account yet? <a href="/sign-in/register">Create one</a>.
        To use an API key, click “Authorize” below. <a href="/redoc">View as a single page</a>.</p>
      <form id="sign-in">
        <label>E-mail <input name="email" type="email" autocomplete="username" required></label>
        <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
        <button>Sign in</button>
      </form>
      <form id="signed-in" hidden>
        <button>Sign out</button>
      </form>
      <p id="status" role="status"></p>
    </section>`;

/** Swagger UI, for trying out the operations. */
export const swaggerPage: Page = {
  html: pageOf(
    "Commonplace API",
    '<link rel="stylesheet" href="/vendor/swagger-ui.css">',
    `${SIGN_IN}
    <div id="swagger-ui"></div>
    <script src="/vendor/swagger-ui-bundle.js"></script>
    <script type="module" src="/docs/swagger-ui.js"></script>`,
  ),
  policy: [...POLICY, "style-src 'self'"].join("; "),
};

/** Redoc, all operations on one page. It needs inline styles, and a worker for its search. */
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
