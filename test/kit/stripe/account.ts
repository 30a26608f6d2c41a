// What an account at Stripe has, and how it changes as time passes and people pay or do not.

const DAY = 86_400;
/** How long Stripe tries to get a payment before it ends the subscription, and what an unpaid first one gets. */
const DUNNING = 21 * DAY;

export type Card = "works" | "fails" | "none";
export type Customer = {
  id: string;
  object: "customer";
  email: string | null;
  metadata: Record<string, string>;
  deleted?: true;
};
export type Price = {
  id: string;
  object: "price";
  active: boolean;
  product: string;
  currency: string;
  unit_amount: number;
  lookup_key: string | null;
  metadata: Record<string, string>;
  recurring: { interval: "month" | "year" };
  tax_behavior: string;
};
type Item = {
  id: string;
  price: Price;
  quantity: number;
  current_period_start: number;
  current_period_end: number;
};
export type Subscription = {
  id: string;
  object: "subscription";
  customer: string;
  status: string;
  created: number;
  trial_start: number | null;
  trial_end: number | null;
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  ended_at: number | null;
  cancellation_details: { reason: string | null };
  items: { object: "list"; data: Item[] };
  latest_invoice: { id: string; object: "invoice"; created: number; status: string };
};
export type Session = {
  id: string;
  object: "checkout.session";
  customer: string;
  status: "open" | "complete" | "expired";
  created: number;
  url: string | null;
  metadata: Record<string, string>;
  price: string;
  trial_days: number;
  success_url: string;
  cancel_url: string;
};
export type Event = {
  id: string;
  object: "event";
  type: string;
  created: number;
  api_version: string;
  livemode: boolean;
  data: { object: Record<string, unknown> };
};
type Other = Record<string, unknown> & { id: string };

const all = <Row>(rows: Map<string, Row>) => [...rows.values()];

export class Account {
  readonly apiVersion: string;
  readonly customers = new Map<string, Customer>();
  readonly prices = new Map<string, Price>();
  readonly products = new Map<string, Other>();
  readonly sessions = new Map<string, Session>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly configurations = new Map<string, Other>();
  readonly endpoints = new Map<string, Other>();
  readonly events: Event[] = [];
  readonly answers = new Map<string, { asked: string; status: number; text: string }>();
  /** How far a customer's clock is behind ours, in seconds; and their cards. */
  readonly behind = new Map<string, number>();
  readonly cards = new Map<string, Card>();
  readonly log: string[] = [];
  /** How requests about a customer fail, one after the other: other tests run at the same time. */
  readonly faults = new Map<string, string[]>();
  #ids = 0;

  constructor(apiVersion: string) {
    this.apiVersion = apiVersion;
  }

  id(prefix: string): string {
    return `${prefix}_${(++this.#ids).toString().padStart(6, "0")}${crypto.randomUUID().slice(0, 8)}`;
  }

  now(customer = ""): number {
    return Math.floor(Date.now() / 1000) - (this.behind.get(customer) ?? 0);
  }

  tell(type: string, object: object): void {
    const data = { object: structuredClone(object) as Record<string, unknown> };
    const { apiVersion: api_version } = this;
    const event = {
      id: this.id("evt"),
      object: "event" as const,
      type,
      created: this.now(),
      api_version,
      livemode: false,
      data,
    };
    this.events.push(event);
  }

  change(subscription: Subscription, fields: Partial<Subscription>, type = "updated"): void {
    Object.assign(subscription, fields);
    this.tell(`customer.subscription.${type}`, subscription);
  }

  #invoice(customer: string, status: string) {
    const invoice = { id: this.id("in"), object: "invoice" as const, created: this.now(customer), status };
    this.tell(status === "paid" ? "invoice.paid" : "invoice.payment_failed", { ...invoice, customer });
    return invoice;
  }

  #period(price: Price, from: number) {
    const length = price.recurring.interval === "year" ? 365 * DAY : 30 * DAY;
    return { current_period_start: from, current_period_end: from + length };
  }

  /** Pays on the page of a session; a trial needs no card. */
  pay(session: Session, card: Card): Subscription {
    if (session.status !== "open") throw new Error(`The session is ${session.status}`);
    const { customer, trial_days } = session;
    const price = this.prices.get(session.price) as Price;
    const now = this.now(customer);
    this.cards.set(customer, card);
    const isTrial = trial_days > 0;
    const trial_end = isTrial ? now + trial_days * DAY : null;
    const isPaid = isTrial || card === "works";
    const period = isTrial
      ? { current_period_start: now, current_period_end: now + trial_days * DAY }
      : this.#period(price, now);
    const subscription: Subscription = {
      ...{ id: this.id("sub"), object: "subscription", customer, created: now, trial_end, cancel_at: null },
      status: isTrial ? "trialing" : isPaid ? "active" : "incomplete",
      ...{
        trial_start: isTrial ? now : null,
        cancel_at_period_end: false,
        canceled_at: null,
        ended_at: null,
      },
      cancellation_details: { reason: null },
      items: { object: "list", data: [{ id: this.id("si"), price, quantity: 1, ...period }] },
      latest_invoice: this.#invoice(customer, isPaid ? "paid" : "open"),
    };
    this.subscriptions.set(subscription.id, subscription);
    this.change(subscription, {}, "created");
    if (isPaid) {
      Object.assign(session, { status: "complete", url: null });
      this.tell("checkout.session.completed", session);
    }
    return subscription;
  }

  end(subscription: Subscription, reason: string, at = this.now(subscription.customer)): void {
    const canceled_at = subscription.canceled_at ?? at;
    const fields = { status: "canceled", canceled_at, ended_at: at, cancellation_details: { reason } };
    this.change(subscription, fields, "deleted");
  }

  /** What the portal does since flexible billing: `cancel_at`, and no `cancel_at_period_end`. */
  cancelLater(subscription: Subscription): void {
    const [item] = subscription.items.data;
    this.change(subscription, {
      cancel_at: item?.current_period_end ?? null,
      canceled_at: this.now(subscription.customer),
      cancellation_details: { reason: "cancellation_requested" },
    });
  }

  /** Tries to get the money for a period that begins. */
  #charge(subscription: Subscription, from: number): void {
    const [item] = subscription.items.data as [Item];
    Object.assign(item, this.#period(item.price, from));
    const isPaid = this.cards.get(subscription.customer) === "works";
    const latest_invoice = this.#invoice(subscription.customer, isPaid ? "paid" : "open");
    this.change(subscription, { status: isPaid ? "active" : "past_due", latest_invoice });
  }

  #tick(subscription: Subscription, now: number): void {
    const { status, cancel_at, latest_invoice, created } = subscription;
    const [item] = subscription.items.data as [Item];
    if (cancel_at !== null && cancel_at <= now && ["trialing", "active", "past_due"].includes(status))
      this.end(subscription, "cancellation_requested", cancel_at);
    else if (status === "trialing") this.#tickTrial(subscription, now);
    else if (status === "active" && item.current_period_end <= now)
      this.#charge(subscription, item.current_period_end);
    else if (status === "past_due" && latest_invoice.created + DUNNING <= now)
      this.end(subscription, "payment_failed", now);
    else if (status === "incomplete" && created + DAY <= now)
      this.change(subscription, { status: "incomplete_expired" });
  }

  #tickTrial(subscription: Subscription, now: number): void {
    const end = subscription.trial_end ?? now;
    const hasCard = this.cards.get(subscription.customer) !== "none";
    if (end <= now && hasCard) this.#charge(subscription, end);
    else if (end <= now) this.end(subscription, "payment_failed", end);
    else if (end - now < 3 * DAY) this.tell("customer.subscription.trial_will_end", subscription);
  }

  /** Sets a customer's clock back, before anything has happened. */
  begin(customer: string, daysAgo: number): void {
    this.behind.set(customer, daysAgo * DAY);
  }

  /** Lets days pass for a customer, up to the present. */
  pass(customer: string, days: number): void {
    for (let day = 0; day < days; day++) {
      this.behind.set(customer, Math.max(0, (this.behind.get(customer) ?? 0) - DAY));
      for (const one of this.ofCustomer(customer)) this.#tick(one, this.now(customer));
    }
  }

  /** Pays what is owed with a card that works now. */
  settle(customer: string): void {
    this.cards.set(customer, "works");
    for (const one of this.ofCustomer(customer)) {
      if (!["past_due", "unpaid", "incomplete"].includes(one.status)) continue;
      Object.assign(one.latest_invoice, { status: "paid" });
      this.tell("invoice.paid", { ...one.latest_invoice, customer });
      this.change(one, { status: "active" });
    }
  }

  remove(customer: Customer): void {
    for (const one of this.ofCustomer(customer.id))
      if (one.status !== "canceled") this.end(one, "cancellation_requested");
    customer.deleted = true;
    this.tell("customer.deleted", customer);
  }

  ofCustomer(customer: string): Subscription[] {
    return all(this.subscriptions).filter((one) => one.customer === customer);
  }

  addPrice(price: Omit<Price, "id" | "object" | "active">): Price {
    const added: Price = { id: this.id("price"), object: "price", active: true, ...price };
    this.prices.set(added.id, added);
    return added;
  }
}
