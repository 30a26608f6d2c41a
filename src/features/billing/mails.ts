import type { Mail } from "../../platform/mail/letter.ts";

type About = { to: string; plan: string; until: string; page: string };

const dayOf = (instant: string, timeZone: string) =>
  new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone }).format(new Date(instant));

export type Zoned = About & { timezone: string };

export const trialMail = ({ to, plan, until, page, timezone }: Zoned): Mail => ({
  to,
  subject: "Your trial ends soon",
  body: [
    `The trial of the plan ${plan} for the Commonplace account of ${to} ends on ${dayOf(until, timezone)}.`,
    "If you have left a card, it is charged then and the plan goes on. If you have not, the plan ends. Nothing that you have written is deleted.",
    { text: "See the plan, add a card or cancel", url: page },
  ],
});

export const failedMail = ({ to, plan, until, page, timezone }: Zoned): Mail => ({
  to,
  subject: "A payment has failed",
  body: [
    `The payment for the plan ${plan} of the Commonplace account of ${to} has failed.`,
    `Everything works as before until ${dayOf(until, timezone)}. Please check your card by then, or the limits of the smaller plan apply. Nothing that you have written is deleted.`,
    { text: "Check the card", url: page },
  ],
});
