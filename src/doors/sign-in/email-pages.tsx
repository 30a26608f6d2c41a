import { Layout } from "../pages/layout.tsx";
import type { PageLink } from "../pages/problems.tsx";
import {
  EmailField,
  FieldError,
  FieldInput,
  FORM_SCRIPT,
  FormHeader,
  type FormPage,
  NewPasswordField,
  SignInForm,
  SubmitButton,
} from "./pages.tsx";

// Pages for links in emails. A script reads the code from the URL, after `#`; without scripts, people paste it.

const FORGOT_LEADS = {
  mailbox: "We’ll send you a link to set a new one.",
  terminal:
    "This server can’t send email. The link to set a new password is printed in its operator’s terminal or log.",
};

export const AskOperatorPage = () => (
  <Layout title="Forgot your password?">
    <h1>Forgot your password?</h1>
    <p>
      This server can’t send email. Ask its operator for a link to set a new password:{" "}
      <code>npm run admin -- reset</code> with the address of your account prints one, and needs no email.
    </p>
    <p class="aside">
      <a href="/sign-in">Sign in</a>
    </p>
  </Layout>
);

export const ForgotPage = ({ mail, ...page }: FormPage & { mail: "mailbox" | "terminal" }) => (
  <Layout title="Forgot your password?" problem={page.alert} scripts={[FORM_SCRIPT]}>
    <FormHeader page={page} title="Forgot your password?" next="" />
    <p>{FORGOT_LEADS[mail]}</p>
    <SignInForm page={page} action="/sign-in/forgot">
      <EmailField page={page} />
      <SubmitButton>Send me a link</SubmitButton>
    </SignInForm>
    <p class="aside">
      <a href="/sign-in">Sign in</a>
    </p>
  </Layout>
);

export const ConfirmationPage = ({ title, texts }: { title: string; texts: string[] }) => (
  <Layout title={title}>
    <h1>{title}</h1>
    {texts.map((text) => (
      <p role="status">{text}</p>
    ))}
    <p class="actions">
      <a class="button primary" href="/sign-in">
        Sign in
      </a>
    </p>
  </Layout>
);

export type LinkForm = {
  action: string;
  title: string;
  lead: string;
  button: string;
  asksPassword?: boolean;
  /** Where people request another link. */
  renewal?: PageLink;
};

export const LinkFormPage = ({ page, form }: { page: FormPage; form: LinkForm }) => (
  <Layout title={form.title} problem={page.alert} scripts={[FORM_SCRIPT]}>
    <FormHeader page={page} title={form.title} next="" />
    <p>{form.lead}</p>
    <SignInForm page={page} action={form.action}>
      <p class="field">
        <label for="code">Code from the email</label>
        <FieldInput page={page} name="code" type="text" autocomplete="off" value={page.code ?? ""} />
        <FieldError page={page} name="code" />
      </p>
      {form.asksPassword && <NewPasswordField page={page} label="New password" />}
      <SubmitButton>{form.button}</SubmitButton>
    </SignInForm>
    {form.renewal && (
      <p class="aside">
        <a href={form.renewal.href}>{form.renewal.text}</a>
      </p>
    )}
  </Layout>
);
