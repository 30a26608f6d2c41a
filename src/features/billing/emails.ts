import type { Email } from "../../platform/email/render.ts";

export type PlanEmail = { to: string; plan: string; until: string; page: string; timezone: string };

const dayOf = (instant: string, timeZone: string) =>
  new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone }).format(new Date(instant));

export const trialEndingEmail = ({ to, plan, until, page, timezone }: PlanEmail): Email => ({
  to,
  subject: "Your trial ends soon",
  body: [
    `Your trial of the plan ${plan} for the Commonplace account ${to} ends on ${dayOf(until, timezone)}.`,
    "If you have added a card, it is charged then and the plan continues. If not, the plan ends. Nothing you have written is deleted.",
    { text: "View your plan, add a card or cancel", url: page },
  ],
});

export const paymentFailedEmail = ({ to, plan, until, page, timezone }: PlanEmail): Email => ({
  to,
  subject: "Your payment failed",
  body: [
    `The payment for the plan ${plan} of the Commonplace account ${to} failed.`,
    `Everything keeps working until ${dayOf(until, timezone)}. Please check your card by then, or the limits of the smaller plan will apply. Nothing you have written is deleted.`,
    { text: "Check your card", url: page },
  ],
});
