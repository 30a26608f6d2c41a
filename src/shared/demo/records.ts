import { ACTIVE_RECORDS } from "./active-records.ts";
import { PAST_RECORDS } from "./past-records.ts";

export const DEMO_RECORDS = [...ACTIVE_RECORDS, ...PAST_RECORDS];
