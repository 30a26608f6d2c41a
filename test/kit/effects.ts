import { Statement } from "../../src/platform/core/statement.ts";

// Whether a call to D1 may be sent again follows from what its statements say of themselves. Here that is compared with
// their texts, for every statement that a test sends.

const READS = /^\s*(?:select|with)\b/i;
const WRITES = /\b(?:insert|replace)\s+(?:or\s+\w+\s+)?into\b|\bdelete\s+from\b|\bupdate\s+["\w]+\s+set\b/i;

const wrong: string[] = [];
let isChecking = false;

/** The statements since the last call that only read and say otherwise, or the reverse. */
export const takeWrongEffects = (): string[] => wrong.splice(0);

/** Files of tests that share an isolate may share this module. */
export function checkEffects(): void {
  if (isChecking) return;
  isChecking = true;
  const { bind } = Statement.prototype;
  Statement.prototype.bind = function (session) {
    const { sql } = this.query;
    const isRead = READS.test(sql) && !WRITES.test(sql);
    if (isRead !== (this.options.effect === "none")) wrong.push(`${this.options.effect}: ${sql}`);
    return bind.call(this, session);
  };
}
