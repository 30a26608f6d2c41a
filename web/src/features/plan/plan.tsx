import { useState } from "react";
import { type Plans, plansApi } from "../../api/plans.ts";
import { Button } from "../../kit/button.tsx";
import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { Section } from "../../kit/section.tsx";
import { Segments } from "../../kit/segments.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { LIMIT_REACHED_TEXT, limitState, UsageMeasures } from "../usage/measures.tsx";
import { type Usage, useUsage } from "../usage/usage.ts";
import styles from "./plan.module.css";
import { PlanCard } from "./plan-card.tsx";
import { type BillingInterval, planStatusText, planTitle, portalActionName } from "./plan-text.ts";
import { usePlans, useStripeRedirect, useStripeReturn } from "./use-plans.ts";

type PlanProps = { plans: Plans; usage: Usage; leaving: ReturnType<typeof useStripeRedirect> };

/** The current plan, its renewal or end, and its usage. */
function Current({ plans, usage, leaving }: PlanProps) {
  const { current } = plans;
  const { text, tone } = planStatusText(current);
  const step = portalActionName(current);
  const isUrgent = tone === "danger" || current.ends_at !== null;
  return (
    <Section title="Your plan">
      <div className={styles.current} data-tone={tone}>
        <div>
          <p className={styles.title}>
            {planTitle(current)}
            {current.status === "trialing" && <span className={styles.badge}>Trial</span>}
          </p>
          <p className={styles.said}>{text}</p>
        </div>
        {step && (
          <Button
            kind={isUrgent ? "primary" : "plain"}
            isDisabled={leaving.isLeaving}
            onPress={() => leaving.leave(plansApi.portal)}
          >
            {step}
          </Button>
        )}
      </div>
      {limitState(usage).isFull && <p className={styles.full}>{LIMIT_REACHED_TEXT}</p>}
      <UsageMeasures usage={usage} />
    </Section>
  );
}

const BILLING = { month: "Monthly", year: "Yearly" } as const;

function Choice({ plans, usage, leaving }: PlanProps) {
  const [interval, setInterval] = useState<BillingInterval>(plans.current.billing_interval ?? "year");
  return (
    <Section
      title="Plans"
      lead="Prices include tax. You pay on Stripe; this service never sees your card."
      actions={<Segments label="Billing" value={interval} options={BILLING} onChange={setInterval} />}
    >
      <ul className={styles.offers}>
        {plans.plans.map((offer) => (
          <PlanCard key={offer.plan_tier} {...{ offer, plans, usage, interval, leaving }} />
        ))}
      </ul>
    </Section>
  );
}

function PaidPlans({ usage }: { usage: Usage }) {
  const isReturning = useStripeReturn();
  const leaving = useStripeRedirect();
  const { data, error, refetch } = usePlans(!isReturning);
  if (error && !data) return <Problem problem={error} retry={refetch} />;
  if (!data || isReturning) return <Loading />;
  return (
    <div className={styles.column}>
      <Current plans={data} usage={usage} leaving={leaving} />
      <Choice plans={data} usage={usage} leaving={leaving} />
    </div>
  );
}

export default function Plan() {
  const { data: usage, error, refetch } = useUsage(0);
  return (
    <Screen title="Plan" back={BACK_TO_SETTINGS}>
      {error && !usage && <Problem problem={error} retry={refetch} />}
      {!usage && !error && <Loading />}
      {usage?.sells_plans && <PaidPlans usage={usage} />}
      {usage && !usage.sells_plans && (
        <Empty title="Everything here is free">
          <p>This service takes no payments. Its operator decides what your plan allows.</p>
        </Empty>
      )}
    </Screen>
  );
}
