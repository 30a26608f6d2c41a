import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { randomId } from "../../api/random-id.ts";

/** Runs a query once per mount and name, whether it succeeds or fails. */
export function useQueryOnce<Result>(
  name: string,
  read: (signal: AbortSignal) => Promise<Result>,
  enabled = true,
) {
  const [id] = useState(randomId);
  return useQuery({
    queryKey: [name, id],
    queryFn: ({ signal }) => read(signal),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
}
