import { createRouter } from "../core/openapi.ts";
export const docsRoutes = createRouter();
