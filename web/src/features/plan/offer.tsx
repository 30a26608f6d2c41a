import { type Plans, plansApi } from "../../api/plans.ts";
import { Button } from "../../kit/button.tsx";
import { NAMES, ORDER, PLANS } from "../usage/measures.tsx";
import { amount, type Usage } from "../usage/usage.ts";
import styles from "./plan.module.css";
import type { useLeaving } from "./use-plans.ts";
import { type Interval, moneyOf, monthlyOf, type Offer } from "./words.ts";

type Props = {
  offer: Offer;
  plans: Plans;
  usage: Usage;
  interval: Interval;
  leaving: ReturnType<typeof useLeaving>;
};

const BILLED = { month: "monthly", year: "yearly" } as const;

function Price({ offer, plans, interval }: Pick<Props, "offer" | "plans" | "interval">) {
  if (offer.plan_tier === "free") {
    const { currency = "eur" } = plans.plans.find(({ month }) => month)?.month ?? {};
    return <p className={styles.price}>{moneyOf({ amount: 0, currency })}</p>;
  }
  const price = offer[interval];
  if (!price) return <p className={styles.none}>No {BILLED[interval]} billing</p>;
  return (
    <p className={styles.price}>
      {moneyOf(price)} <small>a {interval}</small>
      {interval === "year" && <small className={styles.each}>{monthlyOf(price)} a month</small>}
    </p>
  );
}

/** The limits of a plan. Usage beyond a limit is shown: nothing is lost, but nothing can be added. */
function Limits({ offer, usage }: Pick<Props, "offer" | "usage">) {
  return (
    <ul className={styles.limits}>
      {ORDER.map((name) => {
        const [limit, { used }] = [offer.limits[name], usage[name]];
        const isOver = limit !== null && used !== null && used > limit;
        const noun =
          name === "requests_per_day"
            ? "requests a day"
            : NAMES[name].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
        return (
          <li key={name}>
            <strong>{limit === null ? "Unlimited" : amount(name, limit)}</strong>{" "}
            {name === "bytes" && limit !== null ? "of text" : noun}
            {isOver && <span className={styles.over}> You have {amount(name, used)}</span>}
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
      ? { name: `Cancel ${PLANS[current.plan_tier]}`, page: plansApi.portal }
      : undefined;
  if (isCurrent || plan === "self_hosted" || !offer[interval]) return undefined;
  if (current.is_subscribed)
    return {
      name: current.plan_tier === plan ? `Switch to ${BILLED[interval]} billing` : `Change to ${PLANS[plan]}`,
      page: plansApi.portal,
    };
  const name = current.can_try ? `Try ${PLANS[plan]} for ${trial_days} days` : `Choose ${PLANS[plan]}`;
  return { name, page: () => plansApi.checkout({ plan, interval }) };
}

/** A plan with its price and limits. */
export function Offered(props: Props) {
  const { offer, plans, usage, interval, leaving } = props;
  const action = planAction(props);
  const isCurrent = plans.current.plan_tier === offer.plan_tier;
  return (
    <li className={styles.offer} aria-current={isCurrent ? "true" : undefined}>
      <h3>
        {PLANS[offer.plan_tier]}
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
