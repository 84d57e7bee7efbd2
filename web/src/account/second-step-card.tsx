import { useQuery } from "@tanstack/react-query";
import { LifeBuoy, Mail, Smartphone } from "lucide-react";
import { useState } from "react";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";
import { AppSetup } from "./app-setup.tsx";
import { refreshFactors, secondFactors } from "./own-account.ts";
import { Chip, Row } from "./row.tsx";

const text = accountWords;

type Question = "app" | "emailCodes" | "recovery";

const questions = {
  app: { title: text.appOffTitle, hint: text.appOffHint, action: text.turnOff },
  emailCodes: { title: text.emailCodesOffTitle, hint: text.emailCodesOffHint, action: text.turnOff },
  recovery: { title: text.recoveryNewTitle, hint: text.recoveryNewHint, action: text.recoveryNew },
} as const;

/** Below this, it is time for new recovery codes. */
const fewCodes = 4;

/** What a sign-in by password needs besides: authenticator app, email codes, and the recovery codes for both. */
export function SecondStepCard({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const user = useUser();
  const { data, error } = useQuery(secondFactors);
  const [asked, setAsked] = useState<Question | null>(null);
  const [settingUp, setSettingUp] = useState(false);

  const turnOnEmail = useAction(async () => {
    const { recoveryCodes } = await client.twoFactor.enableEmail.mutate({});
    toast({ title: text.emailCodesOn });
    if (recoveryCodes) onCodes(recoveryCodes);
    await refreshFactors();
  });
  const goOn = useAction(async (question: Question) => {
    if (question === "recovery") onCodes((await client.twoFactor.createRecoveryCodes.mutate({})).recoveryCodes);
    else if (question === "app") await client.twoFactor.disableTotp.mutate({});
    else await client.twoFactor.disableEmail.mutate({});
    if (question !== "recovery") toast({ title: question === "app" ? text.appOff : text.emailCodesOff });
    await refreshFactors();
  });

  const reachable = user.email !== null && user.emailVerified;
  const left = data?.recoveryCodesLeft ?? 0;
  const protectedAccount = data !== undefined && (data.totp || data.email || data.passkeys.length > 0);
  const answered = (codes: readonly string[]) => {
    setSettingUp(false);
    onCodes(codes);
  };
  return (
    <Card title={text.secondStep} hint={text.secondStepHint} flush>
      <div className={styles["messages"]}>
        <Failure error={error ?? turnOnEmail.error ?? goOn.error} />
      </div>
      <ul className={styles["list"]} aria-label={text.secondStep} aria-busy={data === undefined}>
        <Row
          icon={<Smartphone aria-hidden />}
          title={text.app}
          chips={<State on={data?.totp} />}
          facts={text.appHint}
          actions={
            data === undefined ? null : data.totp ? (
              <Button
                kind="danger"
                aria-label={text.turnOffOf(text.app)}
                pending={goOn.pending}
                onClick={() => setAsked("app")}
              >
                {text.turnOff}
              </Button>
            ) : (
              <Button aria-expanded={settingUp} onClick={() => setSettingUp((before) => !before)}>
                {text.appSetUp}
              </Button>
            )
          }
        >
          {settingUp ? <AppSetup onDone={answered} onCancel={() => setSettingUp(false)} /> : null}
        </Row>
        <Row
          icon={<Mail aria-hidden />}
          title={text.emailCodes}
          chips={<State on={data?.email} />}
          facts={reachable || data?.email ? text.emailCodesHint : text.emailCodesMissing}
          actions={
            data === undefined ? null : data.email ? (
              <Button
                kind="danger"
                aria-label={text.turnOffOf(text.emailCodes)}
                pending={goOn.pending}
                onClick={() => setAsked("emailCodes")}
              >
                {text.turnOff}
              </Button>
            ) : (
              <Button
                aria-label={text.turnOnOf(text.emailCodes)}
                disabled={!reachable}
                pending={turnOnEmail.pending}
                onClick={() => void turnOnEmail.run()}
              >
                {text.turnOn}
              </Button>
            )
          }
        />
        <Row
          icon={<LifeBuoy aria-hidden />}
          title={text.recovery}
          chips={
            protectedAccount ? <Chip kind={left < fewCodes ? "warn" : "plain"}>{text.recoveryLeft(left)}</Chip> : null
          }
          facts={protectedAccount ? text.recoveryHint : text.recoveryNone}
          actions={
            protectedAccount ? (
              <Button pending={goOn.pending} onClick={() => setAsked("recovery")}>
                {text.recoveryNew}
              </Button>
            ) : null
          }
        />
      </ul>
      {asked ? (
        <AskFirst
          title={questions[asked].title}
          action={questions[asked].action}
          onClose={() => setAsked(null)}
          onConfirm={() => void goOn.run(asked)}
        >
          {questions[asked].hint}
        </AskFirst>
      ) : null}
    </Card>
  );
}

function State({ on }: { on: boolean | undefined }) {
  return on === undefined ? null : <Chip kind={on ? "good" : "plain"}>{on ? text.on : text.off}</Chip>;
}
