import { Command } from "commander";
import { planPrices } from "../src/contract/plan-prices.ts";
import { findCatalogueChanges } from "./billing/catalogue.ts";
import { failCommand } from "./common/fail.ts";
import { requireConfirmation } from "./common/prompt.ts";
import { configuredVars } from "./common/settings.ts";
import { createStripeClient, stripeMode } from "./common/stripe.ts";

// `npm run billing`: the operator's products and prices at Stripe.

type Options = { yes?: true; dryRun?: true };

const program = new Command("npm run billing --").description("The prices of the plans, at Stripe");

program
  .command("prices")
  .description("creates or updates the products and prices of the plans at Stripe; shows the changes first")
  .option("--yes", "do not ask, for scripts")
  .option("--dry-run", "only show what would be done")
  .action(async ({ yes, dryRun }: Options) => {
    const settings = { ...configuredVars(), ...process.env };
    const stripe = createStripeClient(settings);
    if (!stripe) throw new Error("Set STRIPE_SECRET_KEY, in the environment or in .dev.vars");
    const steps = await findCatalogueChanges(stripe, planPrices(settings.PLAN_PRICES));
    console.log(`Stripe, ${stripeMode(settings.STRIPE_SECRET_KEY ?? "")}:`);
    if (steps.length === 0) return console.log("  everything matches PLAN_PRICES.");
    for (const { text } of steps) console.log(`  - ${text}`);
    if (dryRun) return;
    if (!yes) await requireConfirmation();
    for (const { run } of steps) await run();
    console.log("Done.");
  });

program.parseAsync().catch(failCommand);
