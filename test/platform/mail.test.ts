import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { sendVerificationRoute } from "../../src/features/auth/email/routes.ts";
import { personInApp } from "../kit/app-page.ts";

// How mails leave the service; test/e2e/mail.test.ts has SMTP.

/** A person's page on a deployment that has Miniflare's binding of the Email Service, with this sender. */
const pageWith = async (MAIL_FROM: string) =>
  (await personInApp(`${crypto.randomUUID()}@example.com`)).copy({ EMAIL: env.CHECKED_EMAIL, MAIL_FROM });

test.for([
  "notes@commonplace.test",
  "Commonplace <notes@commonplace.test>",
  '"Notes, ours" <notes@commonplace.test>',
])("Cloudflare's Email Service accepts mails of %s", async (MAIL_FROM) => {
  const ada = await pageWith(MAIL_FROM);
  expect((await ada.call(sendVerificationRoute)).status).toBe(202);
});

test.for([
  ...[
    "",
    "Commonplace",
    "notes@other.test",
    "Commonplace <notes@commonplace.test",
    "a@b.test\r\nBcc: c@d.test",
  ],
])("a mail of %j is not sent, the log says why, and the person is told to try later", async (MAIL_FROM) => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const ada = await pageWith(MAIL_FROM);
  const detail = "The email could not be sent: try again in a few minutes";
  expect(await ada.refusal(sendVerificationRoute)).toEqual({ status: 503, detail });
  expect(String(log.mock.calls.at(-1))).toContain('"mail":"failed"');
  log.mockRestore();
});
