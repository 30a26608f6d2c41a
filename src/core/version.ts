import { version } from "../../package.json";

/** The version of the service, as package.json has it. */
export const VERSION = version;
