import { type Plans, plansApi } from "../../api/plans.ts";
import { Button } from "../../kit/button.tsx";
import { LIMIT_ORDER, PLAN_NAMES } from "../usage/measures.tsx";
import { formatAmount, LIMIT_NOUNS, type Usage } from "../usage/usage.ts";
import styles from "./plan.module.css";
import { type BillingInterval, formatMoney, monthlyPrice, type PlanOffer } from "./plan-text.ts";
import type { useStripeRedirect } from "./use-plans.ts";

type Props = {
  offer: PlanOffer;
  plans: Plans;
  usage: Usage;
  interval: BillingInterval;
  leaving: ReturnType<typeof useStripeRedirect>;
};

const BILLED = { month: "monthly", year: "yearly" } as const;

function Price({ offer, plans, interval }: Pick<Props, "offer" | "plans" | "interval">) {
  if (offer.plan_tier === "free") {
    const { currency = "eur" } = plans.plans.find(({ month }) => month)?.month ?? {};
    return <p className={styles.price}>{formatMoney({ amount: 0, currency })}</p>;
  }
  const price = offer[interval];
  if (!price) return <p className={styles.none}>No {BILLED[interval]} billing</p>;
  return (
    <p className={styles.price}>
      {formatMoney(price)} <small>a {interval}</small>
      {interval === "year" && <small className={styles.each}>{monthlyPrice(price)} a month</small>}
    </p>
  );
}

/** The limits of a plan. Usage beyond a limit is shown: nothing is lost, but nothing can be added. */
function Limits({ offer, usage }: Pick<Props, "offer" | "usage">) {
  return (
    <ul className={styles.limits}>
      {LIMIT_ORDER.map((name) => {
        const [limit, { used }] = [offer.limits[name], usage[name]];
        const isOver = limit !== null && used !== null && used > limit;
        const noun = name === "requests_per_day" ? "requests a day" : LIMIT_NOUNS[name];
        return (
          <li key={name}>
            <strong>{limit === null ? "Unlimited" : formatAmount(name, limit)}</strong>{" "}
            {name === "bytes" && limit !== null ? "of text" : noun}
            {isOver && <span className={styles.over}> You have {formatAmount(name, used)}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** The button of a plan; undefined for the current plan, or one without a price for this interval. */
function planAction({ offer, plans, interval }: Props) {
  const { current, trial_days } = plans;
  const { plan_tier: plan } = offer;
  const isCurrent =
    current.plan_tier === plan && (!current.is_subscribed || current.billing_interval === interval);
  if (plan === "free")
    return current.is_subscribed && !current.ends_at
      ? { name: `Cancel ${PLAN_NAMES[current.plan_tier]}`, page: plansApi.portal }
      : undefined;
  if (isCurrent || plan === "self_hosted" || !offer[interval]) return undefined;
  if (current.is_subscribed)
    return {
      name:
        current.plan_tier === plan
          ? `Switch to ${BILLED[interval]} billing`
          : `Change to ${PLAN_NAMES[plan]}`,
      page: plansApi.portal,
    };
  const name = current.can_try
    ? `Try ${PLAN_NAMES[plan]} for ${trial_days} days`
    : `Choose ${PLAN_NAMES[plan]}`;
  return { name, page: () => plansApi.checkout({ plan, interval }) };
}

export function PlanCard(props: Props) {
  const { offer, plans, usage, interval, leaving } = props;
  const action = planAction(props);
  const isCurrent = plans.current.plan_tier === offer.plan_tier;
  return (
    <li className={styles.offer} aria-current={isCurrent ? "true" : undefined}>
      <h3>
        {PLAN_NAMES[offer.plan_tier]}
        {isCurrent && <span className={styles.badge}>Current</span>}
      </h3>
      <Price offer={offer} plans={plans} interval={interval} />
      <Limits offer={offer} usage={usage} />
      {action && (
        <Button
          kind={!plans.current.is_subscribed && offer.plan_tier === "pro" ? "primary" : "plain"}
          isDisabled={leaving.isLeaving}
          onPress={() => leaving.leave(action.page)}
        >
          {action.name}
        </Button>
      )}
    </li>
  );
}
