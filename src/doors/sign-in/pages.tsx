import type { PropsWithChildren } from "hono/jsx";
import type { RegistrationMode } from "../../contract/auth.ts";
import { Alert, Layout } from "../pages/layout.tsx";

export type FormField = "email" | "password" | "code";
/** A sentence about each field that is not valid. */
export type FieldErrors = Partial<Record<FormField, string>>;

export type FormPage = {
  form: string;
  to: string | undefined;
  /** Who requests access, as the beginning of a sentence. */
  requester: string | undefined;
  mode: RegistrationMode;
  needsSetUp: boolean;
  /** Whether there is no account yet, and only programs on this machine can reach the service. */
  isFirst: boolean;
  offersEu?: boolean;
  /** `eu` if that was chosen. */
  region?: string;
  email?: string;
  /** The code of the link that opened the form. */
  code?: string;
  alert?: string | undefined;
  invalid?: readonly FormField[];
  /** Shown at the fields, in place of the alert. */
  errors?: FieldErrors | undefined;
  isExpired?: boolean;
  isDeleted?: boolean;
  isSignedOut?: boolean;
};

/** Whether people can register without an invitation. */
export const isRegistrationPublic = (mode: RegistrationMode) => mode === "open" || mode === "verified";

export const FORM_SCRIPT = "forms.js";

const query = (to: string | undefined) => (to ? `?to=${encodeURIComponent(to)}` : "");

const nextField = ({ email, code, invalid = [], errors }: FormPage): FormField =>
  !errors?.email && (email || code) && (invalid.includes("password") || !invalid.includes("email"))
    ? "password"
    : "email";

type InputProps = {
  page: FormPage;
  name: FormField;
  type: string;
  autocomplete: string;
  value?: string;
  minlength?: number;
  autofocus?: boolean;
  /** Id of the text that describes what is valid. */
  rule?: string;
};

/** The input of a field, marked as invalid and linked to its error, or to the alert if that concerns it. */
export function FieldInput({ page, name, rule, ...attributes }: InputProps) {
  const isInvalid = page.invalid?.includes(name);
  const error = page.errors?.[name];
  const describedBy = [isInvalid && (error ? `${name}-error` : "alert"), rule].filter(Boolean).join(" ");
  return (
    <input
      id={name}
      name={name}
      required
      autofocus={nextField(page) === name}
      aria-invalid={isInvalid ? "true" : undefined}
      aria-describedby={describedBy || undefined}
      {...attributes}
    />
  );
}

/** What is wrong with a field, below its input. */
export const FieldError = ({ page, name }: { page: FormPage; name: FormField }) =>
  page.errors?.[name] ? (
    <small class="wrong" id={`${name}-error`} role="alert">
      {page.errors[name]}
    </small>
  ) : null;

/** A script adds a button beside the input. */
const PasswordInput = (attributes: Omit<InputProps, "name" | "type">) => (
  <span class="with-button">
    <FieldInput name="password" type="password" {...attributes} />
  </span>
);

export const EmailField = ({ page }: { page: FormPage }) => (
  <p class="field">
    <label for="email">Email</label>
    <FieldInput page={page} name="email" type="email" autocomplete="username" value={page.email ?? ""} />
    <FieldError page={page} name="email" />
  </p>
);

export const NewPasswordField = ({ page, label }: { page: FormPage; label: string }) => (
  <p class="field">
    <label for="password">{label}</label>
    <PasswordInput page={page} rule="password-rule" autocomplete="new-password" minlength={8} />
    <FieldError page={page} name="password" />
    <small id="password-rule">At least 8 characters</small>
  </p>
);

export const SubmitButton = ({ children }: PropsWithChildren) => (
  <p class="actions">
    <button type="submit" class="primary">
      {children}
    </button>
  </p>
);

/** The code of the link that opened this page. A script fills it in and hides the field. */
const Code = ({ page }: { page: FormPage }) => (
  <p class="field">
    <label for="code">Code</label>
    <input
      id="code"
      name="code"
      required
      autocomplete="off"
      value={page.code ?? ""}
      aria-invalid={page.errors?.code ? "true" : undefined}
      aria-describedby={page.errors?.code ? "code-error code-rule" : "code-rule"}
    />
    <FieldError page={page} name="code" />
    <small id="code-rule">The part after # in the link you received</small>
  </p>
);

export const FormHeader = ({ page, title, next }: { page: FormPage; title: string; next: string }) => (
  <>
    <h1>{title}</h1>
    {page.requester && (
      <p class="asker">
        <strong>{page.requester}</strong> is requesting access to your Commonplace. {next}
      </p>
    )}
    {page.isExpired && !page.alert && (
      <p class="notice" role="status">
        Your session has expired. Sign in again.
      </p>
    )}
    {page.isDeleted && !page.alert && (
      <p class="notice" role="status">
        Your account has been deleted.
      </p>
    )}
    {page.alert && !page.errors && <Alert>{page.alert}</Alert>}
  </>
);

/** Errors are shown at the fields. A browser’s own would cover the next one. */
export const SignInForm = ({
  page,
  action,
  children,
}: PropsWithChildren<{ page: FormPage; action: string }>) => (
  <form method="post" action={`${action}${query(page.to)}`} data-signed-out={page.isSignedOut} novalidate>
    <input type="hidden" name="form" value={page.form} />
    {children}
  </form>
);

/** A script shows the button if the browser supports passkeys, and fills in the passkey's response. */
const PasskeyForm = ({ page }: { page: FormPage }) => (
  <form method="post" action={`/sign-in/passkey${query(page.to)}`} id="passkey" hidden>
    <input type="hidden" name="form" value={page.form} />
    {["id", "clientDataJSON", "authenticatorData", "signature", "userHandle"].map((name) => (
      <input type="hidden" name={name} value="" />
    ))}
    <p class="actions">
      <button type="submit">Use a passkey</button>
    </p>
    <p class="quiet" role="status" id="passkey-status" />
  </form>
);

export const SignInPage = (page: FormPage) => (
  <Layout title="Sign in" problem={page.alert} scripts={[FORM_SCRIPT, "passkey.js"]}>
    <FormHeader page={page} title="Sign in" next="Sign in to allow or deny it." />
    <SignInForm page={page} action="/sign-in">
      <EmailField page={page} />
      <p class="field">
        <label for="password">Password</label>
        <PasswordInput page={page} autocomplete="current-password" />
        <FieldError page={page} name="password" />
      </p>
      <SubmitButton>Sign in</SubmitButton>
    </SignInForm>
    <PasskeyForm page={page} />
    <p class="aside">
      <a href="/sign-in/forgot">Forgot password?</a>
      {isRegistrationPublic(page.mode) && (
        <>
          <br />
          No account yet? <a href={`/sign-in/register${query(page.to)}`}>Create one</a>
        </>
      )}
    </p>
    {page.needsSetUp && !isRegistrationPublic(page.mode) && (
      <p class="aside">
        This service has not been set up yet. Its operator can create a link with{" "}
        <code>npm run admin -- setup</code>.
      </p>
    )}
  </Layout>
);

/** The second step of two-factor authentication. */
export const CodeStepPage = ({ page, ticket }: { page: FormPage; ticket: string }) => (
  <Layout title="Enter your code" problem={page.alert} scripts={[FORM_SCRIPT]}>
    <FormHeader page={page} title="Enter your code" next="Enter your code to allow or deny it." />
    <SignInForm page={page} action="/sign-in/code">
      <input type="hidden" name="ticket" value={ticket} />
      <p class="field">
        <label for="code">Code</label>
        <FieldInput
          page={page}
          name="code"
          type="text"
          rule="code-rule"
          autocomplete="one-time-code"
          autofocus
        />
        <FieldError page={page} name="code" />
        <small id="code-rule">
          From your authenticator app, or one of your recovery codes. If you have lost both, ask the operator
          of this service.
        </small>
      </p>
      <SubmitButton>Sign in</SubmitButton>
    </SignInForm>
    <p class="aside">
      <a href={`/sign-in${query(page.to)}`}>Start again</a>
    </p>
  </Layout>
);

const About = () => (
  <>
    <p>
      Commonplace keeps your documents and everything that you and your AI assistants decide and promise, and
      shows you each day what needs your attention.
    </p>
    <p>Everything stays on this machine. The first account is the administrator.</p>
    <picture class="look">
      <source srcset="/pages/today-dark.webp" media="(prefers-color-scheme: dark)" />
      <img
        src="/pages/today-light.webp"
        width="1120"
        height="700"
        alt="Today: a list of what is overdue and due"
      />
    </picture>
  </>
);

export const RegisterPage = (page: FormPage) => {
  const title = page.isFirst ? "Create the first account" : "Create an account";
  return (
    <Layout title={title} problem={page.alert} scripts={[FORM_SCRIPT]} isWide={page.isFirst}>
      <FormHeader page={page} title={title} next="Create an account to allow or deny it." />
      {page.isFirst && <About />}
      <RegisterForm page={page} />
    </Layout>
  );
};

const RegisterForm = ({ page }: { page: FormPage }) => (
  <>
    <SignInForm page={page} action="/sign-in/register">
      <input type="hidden" name="timezone" value="" />
      <EmailField page={page} />
      <NewPasswordField page={page} label="Password" />
      {!isRegistrationPublic(page.mode) && <Code page={page} />}
      {page.offersEu && (
        <label class="choice">
          <input type="checkbox" name="region" value="eu" checked={page.region === "eu"} />
          Keep my data in the European Union
        </label>
      )}
      <SubmitButton>Create the account</SubmitButton>
    </SignInForm>
    {!page.isFirst && (
      <p class="aside">
        Already have an account? <a href={`/sign-in${query(page.to)}`}>Sign in</a>
      </p>
    )}
  </>
);
