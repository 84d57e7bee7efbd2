import type { RouterOutputs } from "@zonewright/client";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { client, issueOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import secretsStyles from "./secrets.module.css";
import { refreshFactors } from "./own-account.ts";
import { patiently } from "../ui/patiently.ts";

const text = accountWords;

const QrCode = lazy(patiently(async () => ({ default: (await import("./qr-code.tsx")).QrCode })));

interface AppSetupProps {
  /** The app is on; these are the new recovery codes. */
  onDone: (recoveryCodes: readonly string[]) => void;
  onCancel: () => void;
}

/** Sets up an authenticator app: the secret as a QR code and as text, and the first code. */
export function AppSetup({ onDone, onCancel }: AppSetupProps) {
  const [setup, setSetup] = useState<RouterOutputs["twoFactor"]["setupTotp"] | null>(null);
  const [code, setCode] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const started = useRef(false);

  const start = useAction(async () => setSetup(await client.twoFactor.setupTotp.mutate()));
  const enable = useAction(async () => {
    const { recoveryCodes } = await client.twoFactor.enableTotp.mutate({ code: code.trim() });
    toast({ title: text.appOn });
    onDone(recoveryCodes);
    await refreshFactors();
  });
  const { run } = start;
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    void run();
  }, [run]);
  useEffect(() => {
    if (setup) field.current?.focus();
  }, [setup]);

  if (!setup) {
    return start.error === null ? (
      <span role="status">{words.ui.loading}</span>
    ) : (
      <Failure error={start.error} action={<Button onClick={() => void run()}>{words.ui.retry}</Button>} />
    );
  }
  const issue = issueOf(enable.error, "code");
  return (
    <div className={secretsStyles["setup"]}>
      <Suspense fallback={<span className={secretsStyles["qr"]} />}>
        <QrCode content={setup.otpauthUrl} label={text.appQr} />
      </Suspense>
      <Form onSubmit={() => void enable.run()}>
        <p>{text.appScan}</p>
        <div>
          <span className={styles["hint"]}>{text.appSecret}</span>
          <div className={secretsStyles["secret"]}>
            <code>{setup.secret.replace(/.{4}(?=.)/g, "$& ")}</code>
            <CopyButton text={setup.secret} />
          </div>
          <a href={setup.otpauthUrl}>{text.appOpen}</a>
        </div>
        {issue ? null : <Failure error={enable.error} />}
        <TextField
          ref={field}
          label={text.appCode}
          mono
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          value={code}
          onValue={setCode}
          error={issue}
        />
        <div className={styles["buttons"]}>
          <Button type="submit" kind="primary" pending={enable.pending}>
            {text.turnOn}
          </Button>
          <Button kind="quiet" onClick={onCancel}>
            {words.ui.cancel}
          </Button>
        </div>
      </Form>
    </div>
  );
}
