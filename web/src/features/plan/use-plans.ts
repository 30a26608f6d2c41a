import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Explained } from "../../api/explained.ts";
import { plansApi } from "../../api/plans.ts";
import { refresh } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { PLANS } from "../usage/measures.tsx";

/** The plans, and which one there is. */
export const usePlans = (isSold: boolean) =>
  useQuery({ queryKey: ["plans"], queryFn: plansApi.list, enabled: isSold });

const wordsFor = (problem: unknown) =>
  problem instanceof Explained ? problem.message : "This did not work: try again";

/** Leaves for a page of Stripe's. `isLeaving` until it is there, so that nobody goes twice. */
export function useLeaving() {
  const [isLeaving, setLeaving] = useState(false);
  const leave = async (page: () => Promise<{ url: string }>): Promise<void> => {
    setLeaving(true);
    try {
      window.location.assign((await page()).url);
    } catch (problem) {
      setLeaving(false);
      toast({ kind: "refused", text: wordsFor(problem) });
      await refresh("plans", "usage");
    }
  };
  // Whoever comes back by the browser's button finds the page as it was left.
  useEffect(() => {
    const back = () => setLeaving(false);
    window.addEventListener("pageshow", back);
    return () => window.removeEventListener("pageshow", back);
  }, []);
  return { isLeaving, leave };
}

/** Whoever comes back from a page of Stripe's (`?paid`, `?changed`) has what they have chosen. True until that is known. */
export function useReturn(): boolean {
  const [from] = useState(() => new URLSearchParams(window.location.search));
  const [isAsking, setAsking] = useState(from.has("paid") || from.has("changed"));
  useEffect(() => {
    if (!from.has("paid") && !from.has("changed")) return;
    window.history.replaceState(window.history.state, "", window.location.pathname);
    plansApi
      .sync()
      .then(({ plan_tier, is_subscribed }) => {
        if (from.has("paid") && is_subscribed) toast({ text: `You have the ${PLANS[plan_tier]} plan now` });
      })
      .catch((problem: unknown) => toast({ kind: "refused", text: wordsFor(problem) }))
      .then(() => refresh("plans", "usage"))
      .finally(() => setAsking(false));
  }, [from]);
  return isAsking;
}
