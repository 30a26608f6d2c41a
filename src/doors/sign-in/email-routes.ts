import type { Context } from "hono";
import { z } from "zod";
import { NewPassword } from "../../contract/auth.ts";
import { PasswordResetRequest } from "../../contract/auth-email.ts";
import type { Memory } from "../../contract/memory.ts";
import type { ReminderAction } from "../../contract/reminders.ts";
import * as links from "../../features/auth/email/links.ts";
import { actOnReminder } from "../../features/reminders/act.ts";
import { wakeAfterWrite } from "../../features/webhooks/wake.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { emailDelivery } from "../../platform/email/send.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { limitByAddress } from "../../platform/rate-limit/limit.ts";
import { formSecret, requireOwnForms } from "../pages/browser.ts";
import { answerPage } from "../pages/layout.tsx";
import { answerErrorOn, answerErrorPage } from "../pages/problems.tsx";
import {
  AskOperatorPage,
  ConfirmationPage,
  ForgotPage,
  type LinkForm,
  LinkFormPage,
} from "./email-pages.tsx";
import { enteredValue, fieldErrorsOf, invalidFieldsOf, readForm } from "./fields.ts";
import type { FormPage } from "./pages.tsx";

export const emailRoutes = createRouter();

const IN_SETTINGS = { href: "/settings#email", text: "Request a new link in Settings" };

const NEW_PASSWORD: LinkForm = {
  action: "/sign-in/new-password",
  title: "Set a new password",
  lead: "Setting it signs you out everywhere and disconnects every assistant.",
  button: "Set the password",
  asksPassword: true,
  renewal: { href: "/sign-in/forgot", text: "Request a new link" },
};

const CONFIRMATIONS: Record<ReminderAction, (memory: Memory) => string> = {
  done: ({ status }) => (status === "resolved" ? "Marked as done." : `It is already ${status}.`),
  hour: () => "You will be reminded again in an hour.",
  tomorrow: ({ due_date }) => (due_date ? "It is now due tomorrow." : "You will be reminded tomorrow."),
};

const reminderForm = (action: ReminderAction, title: string) => ({
  action: `/sign-in/reminder-${action}`,
  title,
  lead: "This link from your reminder email works without signing in.",
  button: title,
  use: async (c: Context<AppEnv>, code: string) => {
    const memory = await actOnReminder(c, code, action);
    await wakeAfterWrite(c.var.ctx);
    return answerPage(c, ConfirmationPage({ title: memory.topic, texts: [CONFIRMATIONS[action](memory)] }));
  },
});

/** The forms that links in emails open. `use` performs the action and returns a confirmation page. */
const FORMS: (LinkForm & { use: (c: Context<AppEnv>, code: string) => Promise<Response> })[] = [
  {
    action: "/sign-in/confirm-email",
    title: "Confirm your email address",
    lead: "This confirms that you can read email sent to the address of your account.",
    button: "Confirm the address",
    renewal: IN_SETTINGS,
    use: async (c, code) => {
      await links.verifyEmail(c, code);
      return answerPage(c, ConfirmationPage({ title: "Your address is confirmed", texts: ["Thank you."] }));
    },
  },
  {
    action: "/sign-in/change-email",
    title: "Confirm your new email address",
    lead: "Once you confirm it, this becomes the address of your account. For 7 days, you can undo the change from the previous address.",
    button: "Confirm the new address",
    renewal: IN_SETTINGS,
    use: async (c, code) => {
      await links.changeEmail(c, code);
      const texts = ["From now on, sign in with your new address."];
      return answerPage(c, ConfirmationPage({ title: "Your address has been changed", texts }));
    },
  },
  {
    action: "/sign-in/undo-email",
    title: "Keep your email address",
    lead: "Your account keeps this address, all devices are signed out, and you choose a new password.",
    button: "Keep my address",
    use: async (c, code) => {
      const page = { ...pageOf(c), code: await links.undoEmailChange(c, code) };
      return answerPage(c, LinkFormPage({ page, form: NEW_PASSWORD }), { scripts: true });
    },
  },
  {
    ...NEW_PASSWORD,
    use: async (c, code) => {
      const { password } = await readForm(c, z.object({ password: NewPassword }));
      await links.resetPassword(c, code, password);
      const texts = [
        "You have been signed out everywhere, and every assistant has been disconnected.",
        "API keys and passkeys still work, unless the address of your account had never been confirmed.",
      ];
      return answerPage(c, ConfirmationPage({ title: "Your new password is set", texts }));
    },
  },
  reminderForm("done", "Mark as done"),
  reminderForm("hour", "Remind me in an hour"),
  reminderForm("tomorrow", "Move to tomorrow"),
];

const Code = z.object({ code: z.string().trim().min(1, "must not be empty").max(512) });

const pageOf = (c: Context<AppEnv>): FormPage => ({
  form: formSecret(c),
  to: undefined,
  requester: undefined,
  mode: "closed",
  needsSetUp: false,
  isFirst: false,
});

emailRoutes.onError((error, c) => {
  const form = FORMS.find(({ action }) => action === c.req.path);
  if (c.req.method !== "POST" || (!form && c.req.path !== "/sign-in/forgot"))
    return answerErrorPage(error, c, { onward: { href: "/sign-in", text: "Sign in" } });
  return answerErrorOn(c, error, async (message) => {
    const [email, code] = [await enteredValue(c, "email"), await enteredValue(c, "code")];
    const concerns = { invalid: invalidFieldsOf(error), errors: fieldErrorsOf(error) };
    const page = { ...pageOf(c), email, code, alert: message, ...concerns };
    return {
      page: form ? LinkFormPage({ page, form }) : ForgotPage({ ...page, mail: "mailbox" }),
      scripts: true,
    };
  });
});

emailRoutes.post("/forgot", limitByAddress("RATE_LIMIT_PASSWORD_RESET"));
emailRoutes.use("/forgot", requireOwnForms);
emailRoutes.get("/forgot", (c) => {
  const mail = emailDelivery(c.env);
  const page = mail === "none" ? AskOperatorPage() : ForgotPage({ ...pageOf(c), mail });
  return answerPage(c, page, { scripts: true });
});

/** Confirmation for a forgotten password, which does not reveal whether there is such an account. */
const sentTo = (email: string) => ({
  mailbox: {
    title: "Check your inbox",
    texts: [
      `If there is an account with the address ${email}, we have sent it a link that works for 30 minutes.`,
      "No email? Check your spam folder and the spelling of the address.",
    ],
  },
  terminal: {
    title: "Check the terminal",
    texts: [
      `If there is an account with the address ${email}, its link has been printed in the terminal or log of this server. It works for 30 minutes.`,
      "If someone else runs this server, ask them for the link.",
    ],
  },
});

emailRoutes.post("/forgot", async (c) => {
  const { email } = await readForm(c, PasswordResetRequest);
  await links.sendPasswordReset(c, email);
  const mail = emailDelivery(c.env);
  return answerPage(c, mail === "none" ? AskOperatorPage() : ConfirmationPage(sentTo(email)[mail]));
});

for (const form of FORMS) {
  const local = form.action.replace("/sign-in", "");
  emailRoutes.post(local, limitByAddress("RATE_LIMIT_MCP_LOGIN"));
  emailRoutes.use(local, requireOwnForms);
  emailRoutes.get(local, (c) => answerPage(c, LinkFormPage({ page: pageOf(c), form }), { scripts: true }));
  emailRoutes.post(local, async (c) => form.use(c, (await readForm(c, Code)).code));
}
