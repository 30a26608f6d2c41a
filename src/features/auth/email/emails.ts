import type { Email } from "../../../platform/email/render.ts";

// The code in a link comes after `#`: browsers do not send that part, so it appears in no log.

const linkTo = (origin: string, page: string, code: string, text: string) => [
  { text, url: `${origin}/sign-in/${page}#${code}` },
  `If the page asks for a code, paste this one:\n${code}`,
];

const NOT_REQUESTED = "If you didn't ask for this, you can ignore this email. Nothing has changed.";

export type LinkEmail = { to: string; origin: string; code: string };

export const resetEmail = ({ to, origin, code }: LinkEmail): Email => ({
  to,
  subject: "Set a new password",
  body: [
    `Someone, probably you, asked to reset the password of the Commonplace account ${to}.`,
    ...linkTo(origin, "new-password", code, "Set a new password"),
    "The link works once, within 30 minutes. Setting a new password signs you out everywhere and disconnects every assistant.",
    NOT_REQUESTED,
  ],
});

export const verificationEmail = ({ to, origin, code }: LinkEmail): Email => ({
  to,
  subject: "Confirm your email address",
  body: [
    `A Commonplace account was created with the address ${to}.`,
    ...linkTo(origin, "confirm-email", code, "Confirm this address"),
    "The link works for 7 days. If you didn't create this account, you can ignore this email.",
  ],
});

export const confirmChangeEmail = ({ to, origin, code }: LinkEmail): Email => ({
  to,
  subject: "Confirm your new email address",
  body: [
    `Someone, probably you, asked to change the email address of a Commonplace account to ${to}.`,
    ...linkTo(origin, "change-email", code, "Confirm the new address"),
    "The link works for 24 hours. Your account keeps its current address until you confirm.",
    NOT_REQUESTED,
  ],
});

export const undoChangeEmail = ({ to, origin, code }: LinkEmail, next: string): Email => ({
  to,
  subject: "Your email address is about to change",
  body: [
    `Someone who knows your password asked to change the email address of your Commonplace account from ${to} to ${next}. It changes when the new address is confirmed.`,
    "If this was you, there's nothing to do. If not, use this link to keep your address, sign out everywhere and set a new password:",
    ...linkTo(origin, "undo-email", code, "Keep my address"),
    "The link works until 7 days after the change.",
  ],
});

export const passwordChangedEmail = (to: string): Email => ({
  to,
  subject: "Your password was changed",
  body: [
    "The password of your Commonplace account was changed. You have been signed out everywhere, and every assistant has been disconnected.",
    "If this wasn't you, use “Forgot password?” on the sign-in page right away.",
  ],
});
