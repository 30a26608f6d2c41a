import { z } from "zod";

// Zod compiles schemas with `new Function`, which the app's Content-Security-Policy forbids and reports.
z.config({ jitless: true });

export { z };
