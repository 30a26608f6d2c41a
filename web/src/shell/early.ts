import { addressOf } from "../api/address.ts";
import { begin } from "../api/begun.ts";
import { dueBefore, pageAt, queriesOf } from "../features/today/asked.ts";

// A script of its own, which is there before the others: what every screen asks first, and Today, is on its way while they
// are loaded.

const ofToday = () =>
  Object.values(queriesOf(dueBefore())).map((query) =>
    addressOf("/api/memories", { ...query, ...pageAt(0) }),
  );

begin(["/api/auth/me", "/api/dashboard/summary", ...(location.pathname === "/" ? ofToday() : [])]);
