import { replaceEqualDeep } from "@tanstack/react-query";
import { createStore, delMany, promisifyRequest, type UseStore, values } from "idb-keyval";
import { isAccountErased, localAccount } from "../api/current-account.ts";
import { isTransientError, STILL_RUNNING } from "../api/request.ts";
import { createSharedState } from "./shared-state.ts";
import { type ChangeIds, undoChanges } from "./undo.ts";

// What the user did and the server has not answered. Each entry is stored in the browser first, with its account and the
// Idempotency-Key of its requests, and removed when the server has answered. So it survives a reload, waits for the network,
// is applied once, and any tab of the account may send it. A rejected entry stays until the user decides.

export type OutboxEntry = {
  /** The Idempotency-Key. */
  key: string;
  /** The account that it belongs to, sent along: the server rejects it if another account is signed in by now. */
  account: string;
  /** When the user did it, in milliseconds. */
  at: number;
  /** Whether to undo it once the server has answered. */
  isWithdrawn?: boolean;
  /** Why the server rejected it. */
  refused?: string | undefined;
};

type Sender<Entry> = {
  /** Returns why the server rejected the entry, if it did. Throws ApiError. */
  send: (entry: Entry, changes: ChangeIds) => Promise<string | undefined>;
  /** Refreshes the screen before an answered entry is removed. */
  refresh?: () => Promise<unknown>;
};

/** Why an entry was not sent. */
export const DISCARDED = "Discarded in another tab";

/** Whether an entry stays in the outbox, to be sent again. */
export const isUnanswered = (problem: unknown): boolean => isTransientError(problem, STILL_RUNNING);

/** Checked again after reading, because the server may name another account than the last one. */
const isOwn = ({ account }: OutboxEntry) => account === localAccount();

/** A tab holds the lock of each action that it is sending. Other releases use the same name. */
const LOCK_PREFIX = "commonplace-step:";

export class Outbox<Entry extends OutboxEntry> {
  /** Those of the account, oldest first. */
  readonly entries = createSharedState<readonly Entry[]>([]);
  /** The actions being sent. The tab that sends one shows its outcome, and releases its lock with the function. */
  readonly sending = createSharedState<ReadonlyMap<string, (() => void) | undefined>>(new Map());
  /** Called when another tab has sent or discarded an entry. */
  onSentElsewhere = () => {};
  /** The action of an entry. */
  readonly actionOf: (entry: Entry) => string;
  private readonly name: string;
  private readonly store: UseStore;
  private readonly channel: BroadcastChannel;
  /** Writes that IndexedDB has not confirmed, all of them if there is no usable storage. Undefined is a deletion. */
  private readonly unconfirmed = new Map<string, Entry | undefined>();
  private latestRun: Promise<unknown> = Promise.resolve();

  /**
   * @param name of the database, the channel and the lock. Other releases share them: neither names nor fields may change
   * @param actionOf what a caller waits for, which may have several entries
   */
  constructor(name: string, storeName: string, actionOf = ({ key }: Entry): string => key) {
    this.name = name;
    this.actionOf = actionOf;
    this.store = createStore(name, storeName);
    this.channel = new BroadcastChannel(name);
    this.channel.addEventListener("message", ({ data }) => void (data === "changed" && this.read()));
    // As early as possible: what waits must not look undone for a moment.
    void this.read();
  }

  get = this.entries.get;
  find = (key: string) => this.get().find((one) => one.key === key);
  isSending = (action: string) => this.sending.get().has(action);
  isToSend = (entry: Entry) => isOwn(entry) && !entry.refused && !this.isSending(this.actionOf(entry));

  /** Reads the entries of the account, of which another tab may have sent some. */
  async read(known: readonly Entry[] = this.get()): Promise<readonly Entry[]> {
    const locks = await navigator.locks?.query();
    const all = await this.readAll();
    // A lock is requested before its entry is stored, but perhaps after the locks were listed.
    if (all.some(({ key }) => known.every((one) => one.key !== key))) return this.read(all);
    for (const entry of all) this.followOther(this.actionOf(entry), locks?.held);
    const before = this.get().length;
    this.show(all);
    if (this.get().length < before) this.onSentElsewhere();
    return this.get();
  }

  /**
   * Saves some entries and deletes others. Returns whether the browser stored it; if not, it is lost when the page closes.
   *
   * @param isAnnounced false keeps other tabs from showing it
   */
  async write(
    saved: readonly Entry[],
    deleted: readonly Pick<Entry, "key">[] = [],
    isAnnounced = true,
  ): Promise<boolean> {
    const written = new Map<string, Entry | undefined>(deleted.map(({ key }) => [key, undefined]));
    for (const one of saved) written.set(one.key, one);
    for (const [key, entry] of written) this.unconfirmed.set(key, entry);
    this.show([...this.get().filter(({ key }) => !written.has(key)), ...saved]);
    const isStored = await this.writeStored(written).then(
      () => true,
      () => false,
    );
    for (const [key, entry] of written)
      if (isStored && this.unconfirmed.get(key) === entry) this.unconfirmed.delete(key);
    if (isAnnounced) this.channel.postMessage("changed");
    return isStored;
  }

  remove = (key: string) => this.write([], [{ key }]);

  /** Updates an entry unless it was deleted in the meantime. Returns it as it is now. */
  async update(key: string, part: Partial<Entry>): Promise<Entry | undefined> {
    const showUpdated = (next: Entry | undefined) => {
      const others = this.get().filter((one) => one.key !== key);
      if (!this.unconfirmed.has(key)) this.show(next ? [...others, next] : others);
      this.channel.postMessage("changed");
      return true;
    };
    const isUpdated =
      !this.unconfirmed.has(key) && (await this.updateStored(key, part).then(showUpdated, () => false));
    const known = this.find(key);
    if (!isUpdated && known) await this.write([{ ...known, ...part }]);
    return this.find(key);
  }

  /** Deletes the entries of an account, sent or not. */
  async forget(account: string): Promise<void> {
    const own = (await this.readAll()).filter((one) => one.account === account);
    await this.write([], own);
  }

  /** Runs one at a time, across all tabs if the browser has the Web Locks API. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    if (navigator.locks) return navigator.locks.request(this.name, () => work());
    const run = this.latestRun.then(() => work());
    this.latestRun = run.catch(() => undefined);
    return run;
  }

  hasToSend = () => this.get().some(this.isToSend);

  /** Sends the waiting entries made before a time, in order. Throws ApiError while the server does not answer. */
  async sendWaiting(sender: Sender<Entry>, before = Number.POSITIVE_INFINITY): Promise<void> {
    for (const { key } of await this.read()) {
      const entry = this.find(key);
      if (entry && this.isToSend(entry) && entry.at < before) await this.sendOne(entry, sender);
    }
  }

  /** Undoes an answered entry that was withdrawn in the meantime. Returns false if it was not. */
  async undoIfWithdrawn({ key }: Entry, changes: ChangeIds): Promise<boolean> {
    if (!this.find(key)?.isWithdrawn) return false;
    // Otherwise it is sent and undone again after a reload.
    if (changes.length === 0 || (await undoChanges(changes))) await this.remove(key);
    return true;
  }

  /** Marks an action as sent by this tab, so that no tab shows it as waiting. */
  markSending = (action: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void navigator.locks?.request(LOCK_PREFIX + action, () => promise);
    this.sending.set(new Map(this.sending.get()).set(action, resolve));
  };
  endSending = (action: string) => {
    const sending = new Map(this.sending.get());
    sending.get(action)?.();
    sending.delete(action);
    this.sending.set(sending);
  };

  /** Leaves an action to the tab that is sending it, if any, until that tab is done or closed. */
  private followOther(action: string, held: LockInfo[] | undefined): void {
    const lock = LOCK_PREFIX + action;
    if (this.isSending(action) || !held?.some(({ name, mode }) => name === lock && mode === "exclusive"))
      return;
    this.sending.set(new Map(this.sending.get()).set(action, undefined));
    void navigator.locks
      .request(lock, { mode: "shared" }, () => this.read())
      .then(() => this.endSending(action));
  }

  /** Sends an entry that no caller waits for. */
  private async sendOne(entry: Entry, { send, refresh }: Sender<Entry>): Promise<void> {
    const { key } = entry;
    const changes: ChangeIds = [];
    const refused = await send(entry, changes).catch((problem: unknown) => {
      if (isUnanswered(problem)) throw problem;
      return (problem as Error).message;
    });
    if (await this.undoIfWithdrawn(entry, changes)) return;
    await refresh?.();
    await (refused === undefined ? this.remove(key) : this.update(key, { refused } as Partial<Entry>));
  }

  /** Unchanged entries keep their identity, and so does the list, so that nothing rerenders. */
  private show(all: readonly Entry[]): void {
    const before = this.get();
    const known = new Map(before.map((one) => [one.key, one]));
    const own = all
      .filter(isOwn)
      .sort((one, other) => one.at - other.at)
      .map((one) => replaceEqualDeep(known.get(one.key), one));
    const isSame = own.length === before.length && own.every((one, index) => one === before[index]);
    if (!isSame) this.entries.set(own);
  }

  /** The entries of every account. */
  private async readAll(): Promise<Entry[]> {
    const stored = await values<Entry>(this.store).catch(this.get);
    const all = new Map(stored.map((one) => [one.key, one]));
    for (const [key, entry] of this.unconfirmed) entry ? all.set(key, entry) : all.delete(key);
    return [...all.values()];
  }

  /** One transaction: an entry is deleted if and only if what replaces it is stored. */
  private async writeStored(written: ReadonlyMap<string, Entry | undefined>): Promise<void> {
    await this.store("readwrite", (stored) => {
      for (const [key, entry] of written)
        entry && !isAccountErased() ? stored.put(entry, key) : stored.delete(key);
      return promisifyRequest(stored.transaction);
    });
    // Another tab may have erased the account in the meantime.
    if (isAccountErased()) await delMany([...written.keys()], this.store);
  }

  /** One transaction: it neither restores a deleted entry nor drops a concurrent update. */
  private updateStored(key: string, part: Partial<Entry>): Promise<Entry | undefined> {
    return this.store("readwrite", async (stored) => {
      let next: Entry | undefined;
      const known: IDBRequest<Entry | undefined> = stored.get(key);
      known.onsuccess = () => {
        next = known.result && { ...known.result, ...part };
        if (next) stored.put(next, key);
      };
      await promisifyRequest(stored.transaction);
      return next;
    });
  }
}

/** Whether any entry has to be sent, or sent and undone. */
export function useHasToSend<Entry extends OutboxEntry>(outbox: Outbox<Entry>): boolean {
  outbox.sending.use();
  return outbox.entries.use().some(outbox.isToSend);
}

/** Entries that wait for the server or for the user. */
export function useWaiting<Entry extends OutboxEntry>(outbox: Outbox<Entry>): readonly Entry[] {
  const { entries, sending, actionOf } = outbox;
  const actions = sending.use();
  return entries.use().filter((one) => isOwn(one) && !one.isWithdrawn && !actions.has(actionOf(one)));
}
