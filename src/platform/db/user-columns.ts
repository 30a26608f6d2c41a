import { users } from "./tables.ts";

export const userColumns = {
  id: users.id,
  email: users.email,
  email_verified_at: users.email_verified_at,
  name: users.name,
  role: users.role,
  timezone: users.timezone,
  stale_after_days: users.stale_after_days,
  created_at: users.created_at,
};

export const ctxUserColumns = {
  number: users.number,
  remind_before: users.remind_before,
  ...userColumns,
};
