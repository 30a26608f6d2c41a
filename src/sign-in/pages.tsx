import { Alert, Layout } from "../pages/layout.tsx";

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
          Create the account
        </button>
      </p>
    </form>
    <p>
      Already have an account? <a href={`/sign-in${query(to)}`}>Sign in</a>
    </p>
  </Layout>
);
