import type { Account, Card, Customer, Event, Session, Subscription } from "./account.ts";

// What happens at Stripe that no request of ours causes.

export type Command =
  | { do: "pay"; session: string; card?: Card; daysAgo?: number }
  | { do: "pass"; customer: string; days: number }
  | { do: "card"; customer: string; card: Card }
  | { do: "settle" | "cancelLater" | "remove"; customer: string }
  | { do: "endNow"; customer: string; reason?: string }
  | { do: "set"; subscription: string; fields: Partial<Subscription> }
  | { do: "reprice"; subscription: string; lookup_key: string | null; isReplaced?: true }
  | { do: "add"; subscription: Subscription }
  | { do: "fail"; customer: string; faults: string[] }
  | { do: "look"; customer: string }
  | { do: "find"; user: string }
  | { do: "log"; customer: string };

export type Look = {
  customer: Customer;
  subscriptions: Subscription[];
  sessions: Session[];
  events: Event[];
};

const rows = <Row>(map: Map<string, Row>) => [...map.values()];

function aboutCustomer({ data }: Event, id: string): boolean {
  return data.object.id === id || data.object.customer === id;
}

function look(account: Account, id: string): Look {
  return {
    customer: account.customers.get(id) as Customer,
    subscriptions: account.ofCustomer(id),
    sessions: rows(account.sessions).filter(({ customer }) => customer === id),
    events: account.events.filter((event) => aboutCustomer(event, id)),
  };
}

function pay(
  account: Account,
  { session: id, card = "works", daysAgo = 0 }: Command & { do: "pay" },
): Subscription {
  const session = account.sessions.get(id) as Session;
  if (daysAgo > 0) account.begin(session.customer, daysAgo);
  return account.pay(session, card);
}

const LIVE = ["trialing", "active", "past_due", "unpaid", "paused"];
const live = (account: Account, customer: string) =>
  account.ofCustomer(customer).filter(({ status }) => LIVE.includes(status));

/** Gives a subscription the price of another plan, as it was before another took its name, or one that is not the service's. */
function reprice(account: Account, command: Command & { do: "reprice" }): void {
  const { subscription: id, lookup_key, isReplaced } = command;
  const subscription = account.subscriptions.get(id) as Subscription;
  const [item] = subscription.items.data;
  const known = rows(account.prices).find((price) => price.lookup_key === lookup_key);
  const foreign = { product: "other", currency: "eur", unit_amount: 1, lookup_key: null, metadata: {} };
  const price =
    (lookup_key && known) ||
    account.addPrice({ ...foreign, recurring: { interval: "month" }, tax_behavior: "inclusive" });
  if (item) item.price = isReplaced ? { ...price, id: account.id("price"), lookup_key: null } : price;
  account.change(subscription, {});
}

export function carryOut(account: Account, command: Command): unknown {
  switch (command.do) {
    case "pay":
      return pay(account, command);
    case "pass":
      return account.pass(command.customer, command.days);
    case "card":
      return account.cards.set(command.customer, command.card) && null;
    case "settle":
      return account.settle(command.customer);
    case "cancelLater":
      return live(account, command.customer).map((one) => account.cancelLater(one)) && null;
    case "endNow":
      return (
        live(account, command.customer).map((one) =>
          account.end(one, command.reason ?? "cancellation_requested"),
        ) && null
      );
    case "remove":
      return account.remove(account.customers.get(command.customer) as Customer);
    case "set":
      return account.change(account.subscriptions.get(command.subscription) as Subscription, command.fields);
    case "reprice":
      return reprice(account, command);
    case "add":
      return account.subscriptions.set(command.subscription.id, command.subscription) && null;
    case "fail":
      return account.faults.set(command.customer, command.faults) && null;
    case "look":
      return look(account, command.customer);
    case "find":
      return rows(account.customers).filter(({ metadata }) => metadata.user_id === command.user);
    case "log":
      return account.log.filter((line) => line.includes(command.customer));
  }
}
