import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { account } from "../../api/account.ts";
import { CodeField, TextField } from "../../kit/field.tsx";

export const useSecondFactor = () => useQuery({ queryKey: ["second-factor"], queryFn: account.secondFactor });

/** What the user must enter before a security change; see useProofFields. */
export type OwnerProof = { password: string; current_code?: string };

/**
 * The password and, with two-factor authentication, a code: a session alone cannot change how to sign in. `fields` are
 * the inputs to render, `proof` is what was entered.
 */
export function useProofFields({ label = "Password", autoFocus = false } = {}) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const needsCode = useSecondFactor().data?.enabled ?? false;
  const fields: ReactNode = (
    <>
      <TextField
        label={label}
        type="password"
        autoComplete="current-password"
        autoFocus={autoFocus}
        value={password}
        onChange={setPassword}
      />
      {needsCode && <CodeField value={code} onChange={setCode} />}
    </>
  );
  const proof: OwnerProof = { password, ...(needsCode && { current_code: code }) };
  const clear = () => {
    setPassword("");
    setCode("");
  };
  return { fields, proof, isGiven: password !== "" && (!needsCode || code !== ""), clear };
}
