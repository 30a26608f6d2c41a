import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { plansApi } from "../../api/plans.ts";
import { UserFacingError } from "../../api/user-facing-error.ts";
import { refreshResources } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { PLAN_NAMES } from "../usage/measures.tsx";

export const usePlans = (isSold: boolean) =>
  useQuery({ queryKey: ["plans"], queryFn: plansApi.list, enabled: isSold });

const messageFor = (problem: unknown) =>
  problem instanceof UserFacingError ? problem.message : "Something went wrong. Try again.";

/** Redirects to a Stripe page. `isLeaving` until it has loaded, so that the button cannot be pressed twice. */
export function useStripeRedirect() {
  const [isLeaving, setLeaving] = useState(false);
  const leave = async (page: () => Promise<{ url: string }>): Promise<void> => {
    setLeaving(true);
    try {
      window.location.assign((await page()).url);
    } catch (problem) {
      setLeaving(false);
      toast({ kind: "refused", text: messageFor(problem) });
      await refreshResources("plans", "usage");
    }
  };
  // After the browser's back button, the page is restored in the state in which it was left.
  useEffect(() => {
    const back = () => setLeaving(false);
    window.addEventListener("pageshow", back);
    return () => window.removeEventListener("pageshow", back);
  }, []);
  return { isLeaving, leave };
}

/** After the return from Stripe (`?paid`, `?changed`), syncs the plan. True until the sync has finished. */
export function useStripeReturn(): boolean {
  const [from] = useState(() => new URLSearchParams(window.location.search));
  const [isAsking, setAsking] = useState(from.has("paid") || from.has("changed"));
  useEffect(() => {
    if (!from.has("paid") && !from.has("changed")) return;
    window.history.replaceState(window.history.state, "", window.location.pathname);
    plansApi
      .sync()
      .then(({ plan_tier, is_subscribed }) => {
        if (from.has("paid") && is_subscribed)
          toast({ text: `You’re now on the ${PLAN_NAMES[plan_tier]} plan` });
      })
      .catch((problem: unknown) => toast({ kind: "refused", text: messageFor(problem) }))
      .then(() => refreshResources("plans", "usage"))
      .finally(() => setAsking(false));
  }, [from]);
  return isAsking;
}
