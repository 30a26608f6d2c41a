import { ACTIVE } from "./active-records.ts";
import { PAST } from "./past-records.ts";

export const RECORDS = [...ACTIVE, ...PAST];
