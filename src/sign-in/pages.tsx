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

export type FormPage = { form: string; to: string | undefined; email?: string; alert?: string | undefined };

const Hidden = ({ form }: { form: string }) => <input type="hidden" name="form" value={form} />;

const query = (to: string | undefined) => (to ? `?to=${encodeURIComponent(to)}` : "");

const Email = ({ value }: { value: string | undefined }) => (
  <p class="field">
    <label for="email">E-mail</label>
    <input id="email" name="email" type="email" autocomplete="username" required value={value ?? ""} />
  </p>
);

export const SignInPage = ({ form, to, email, alert, open }: FormPage & { open: boolean }) => (
  <Layout title="Sign in">
    <h1>Sign in</h1>
    {alert && <Alert>{alert}</Alert>}
    <form method="post" action={`/sign-in${query(to)}`}>
      <Hidden form={form} />
      <Email value={email} />
      <p class="field">
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required />
      </p>
      <p class="actions">
        <button type="submit" class="primary">
          Sign in
        </button>
      </p>
    </form>
    {open && (
      <p>
        No account yet? <a href={`/sign-in/register${query(to)}`}>Create one</a>
      </p>
    )}
  </Layout>
);

export const RegisterPage = ({ form, to, email, alert }: FormPage) => (
  <Layout title="Create an account">
    <h1>Create an account</h1>
    {alert && <Alert>{alert}</Alert>}
    <form method="post" action={`/sign-in/register${query(to)}`}>
      <Hidden form={form} />
      <Email value={email} />
      <p class="field">
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="new-password"
          minlength={8}
          required
          aria-describedby="password-rule"
        />
        <small id="password-rule">At least 8 characters</small>
      </p>
      <p class="actions">
        <button type="submit" class="primary">
          Create account
        </button>
      </p>
    </form>
    <p>
      Already have an account? <a href={`/sign-in${query(to)}`}>Sign in</a>
    </p>
  </Layout>
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
