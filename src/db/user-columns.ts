import { users } from "./tables.ts";

/** What everybody may see of their own account. */
export const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  timezone: users.timezone,
  stale_after_days: users.stale_after_days,
  created_at: users.created_at,
};

/** What a Ctx carries of its user. */
export const ctxUserColumns = { number: users.number, ...userColumns };
