import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { account } from "../../api/account.ts";
import { CodeField, TextField } from "../../kit/field.tsx";
import styles from "./settings.module.css";

/** Whether the account has a second factor, and how it is. */
export const useSecondFactor = () => useQuery({ queryKey: ["second-factor"], queryFn: account.secondFactor });

/** What the service asks of the owner before a change: see `proof` of `useProof`. */
export type Proof = { password: string; current_code?: string };

/**
 * The password and, for an account with a second factor, a code: a session alone does not change how people get into an
 * account. `fields` are to be shown in the form, `proof` is what was entered.
 */
export function useProof({ label = "Password", autoFocus = false } = {}) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const asksCode = useSecondFactor().data?.enabled ?? false;
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
      {asksCode && <CodeField value={code} onChange={setCode} />}
    </>
  );
  const proof: Proof = { password, ...(asksCode && { current_code: code }) };
  const clear = () => {
    setPassword("");
    setCode("");
  };
  return { fields, proof, isGiven: password !== "" && (!asksCode || code !== ""), clear };
}

/** Why a form was refused. */
export const Refusal = ({ children }: { children: string | undefined }) =>
  children === undefined ? null : (
    <p className={styles.problem} role="alert">
      {children}
    </p>
  );
