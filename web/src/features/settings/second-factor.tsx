import { useState } from "react";
import { encode } from "uqr";
import { account, type NewSecondFactor } from "../../api/account.ts";
import { Button } from "../../kit/button.tsx";
import { CopyText } from "../../kit/copy.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, FormError, SubmitOrCancel } from "../../kit/form.tsx";
import { SecretDialog } from "../../kit/secret-dialog.tsx";
import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { useSave } from "../../kit/use-save.ts";
import { refreshResources } from "../../state/queries.ts";
import { type OwnerProof, useProofFields, useSecondFactor } from "./proof.tsx";
import styles from "./settings.module.css";

const refreshFactor = () => refreshResources("second-factor", "security-events");

/** A QR code, rendered locally so that the secret never leaves the browser. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className={styles.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code for the app">
      <path d={path.join("")} />
    </svg>
  );
}

type CodesProps = { codes: string[]; onClose: () => void };

const Codes = ({ codes, onClose }: CodesProps) => (
  <SecretDialog
    title="Your recovery codes"
    label="the recovery codes"
    secret={codes.join("\n")}
    done="I’ve saved them"
    onClose={onClose}
  >
    Each code signs you in once if you don’t have your authenticator app. Store them somewhere safe. They
    won’t be shown again.
  </SecretDialog>
);

type AskProps = {
  title: string;
  verb: string;
  act: (proof: OwnerProof) => Promise<unknown>;
  onClose: () => void;
};

/** Asks for the password and, if two-factor authentication is on, a code. */
function Ask({ title, verb, act, onClose }: AskProps) {
  const { fields, proof, isGiven } = useProofFields({ autoFocus: true });
  const { isBusy, problem, run } = useSave();
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={() => run(() => act(proof))}>
        {fields}
        <FormError>{problem}</FormError>
        <SubmitOrCancel verb={verb} onCancel={onClose} isDisabled={isBusy || !isGiven} />
      </Form>
    </Dialog>
  );
}

type SetUpProps = { setup: NewSecondFactor; onDone: (codes: string[]) => void; onClose: () => void };

function SetUp({ setup, onDone, onClose }: SetUpProps) {
  const [code, setCode] = useState("");
  const { isBusy, problem, run } = useSave("Two-factor authentication is on");
  const confirm = () => run(async () => onDone((await account.confirmSecondFactor(code)).recovery_codes));
  return (
    <Dialog title="Turn on two-factor authentication" isOpen onClose={onClose}>
      <p>
        Scan this with an authenticator app, or enter the secret there. Then enter the code that it shows.
      </p>
      <QrCode text={setup.otpauth_url} />
      <CopyText label="the secret" text={setup.secret} />
      <Form onSubmit={confirm}>
        <TextField
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          problem={problem}
        />
        <SubmitOrCancel verb="Turn on" onCancel={onClose} isDisabled={isBusy || !code} />
      </Form>
    </Dialog>
  );
}

type Step = "begin" | "renew" | "remove" | { setup: NewSecondFactor } | { codes: string[] };
type StepProps = { step: Step; go: (step?: Step) => void };

function Steps({ step, go }: StepProps) {
  const close = () => go();
  if (step === "begin")
    return (
      <Ask
        title="Turn on two-factor authentication"
        verb="Continue"
        act={async ({ password }) => go({ setup: await account.startSecondFactor(password) })}
        onClose={close}
      />
    );
  if (step === "renew")
    return (
      <Ask
        title="Create new recovery codes"
        verb="Create new codes"
        act={async (proof) => go({ codes: (await account.renewRecoveryCodes(proof)).recovery_codes })}
        onClose={close}
      />
    );
  if (step === "remove")
    return (
      <Ask
        title="Turn off two-factor authentication"
        verb="Turn off"
        act={(proof) => account.removeSecondFactor(proof).then(close)}
        onClose={close}
      />
    );
  if ("setup" in step) return <SetUp setup={step.setup} onDone={(codes) => go({ codes })} onClose={close} />;
  return <Codes codes={step.codes} onClose={close} />;
}

export function SecondFactor() {
  const [step, setStep] = useState<Step>();
  const { data, error, refetch } = useSecondFactor();
  const go = (next?: Step) => {
    setStep(next);
    if (!next || typeof next === "object") refreshFactor();
  };
  return (
    <Section
      id="second-factor"
      title="Two-factor authentication"
      lead="Signing in with your password also requires a code from an app on your phone."
    >
      {error && <Problem problem={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {data?.created_at && (
        <p>
          On since <Moment at={data.created_at} />, with {data.recovery_codes_left} recovery codes left.
        </p>
      )}
      {data && (
        <div className="button-row">
          {!data.enabled && <Button onPress={() => setStep("begin")}>Turn on…</Button>}
          {data.enabled && <Button onPress={() => setStep("renew")}>New recovery codes…</Button>}
          {data.enabled && (
            <Button kind="danger" onPress={() => setStep("remove")}>
              Turn off…
            </Button>
          )}
        </div>
      )}
      {step && <Steps step={step} go={go} />}
    </Section>
  );
}
