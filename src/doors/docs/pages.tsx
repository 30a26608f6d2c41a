/** A page that renders /openapi.json: its HTML, and the Content-Security-Policy that its library needs. */
export type DocsPage = { html: string; policy: string };

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

const SignedOut = () => (
  <>
    <p id="status" role="status">
      Sign in to send requests as yourself.
    </p>
    <p>
      <a class="button" href="/sign-in?to=/docs">
        Sign in
      </a>
    </p>
  </>
);

const SignedIn = ({ email }: { email: string }) => (
  <>
    <p id="status" role="status">
      Signed in as {email}. Requests are sent with your account.
    </p>
    <form id="signed-in">
      <button type="submit">Sign out</button>
    </form>
  </>
);

const SignInBox = ({ email }: { email: string | undefined }) => (
  <section class="sign-in" aria-labelledby="sign-in-title">
    <h2 id="sign-in-title">Try it out</h2>
    {email === undefined ? <SignedOut /> : <SignedIn email={email} />}
    <p>
      To use an API key or an access token, click “Authorize” below.{" "}
      <a href="/redoc">View as a single page</a>.
    </p>
  </section>
);

/** Swagger UI, for trying out the operations. `email` is that of the signed-in user. */
export const swaggerPage = (email: string | undefined): DocsPage => ({
  html: pageOf(
    "Commonplace API",
    '<link rel="stylesheet" href="/vendor/swagger-ui.css">',
    `${SignInBox({ email })}
    <div id="swagger-ui"></div>
    <script src="/vendor/swagger-ui-bundle.js"></script>
    <script type="module" src="/docs/swagger-ui.js"></script>`,
  ),
  policy: [...POLICY, "style-src 'self'"].join("; "),
});

/** Redoc, all operations on one page. It needs inline styles, and a worker for its search. */
export const redocPage: DocsPage = {
  html: pageOf(
    "Commonplace API reference",
    "",
    `<div id="redoc"></div>
    <script src="/vendor/redoc.standalone.js"></script>
    <script src="/docs/redoc.js"></script>`,
  ),
  policy: [...POLICY, "style-src 'self' 'unsafe-inline'", "worker-src blob:"].join("; "),
};
