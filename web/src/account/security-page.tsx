import { useState } from "react";
import { accountWords } from "../words/account.ts";
import { AccountPage } from "./account-page.tsx";
import { IdentitiesCard } from "./identities-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { SecondStepCard } from "./second-step-card.tsx";

/** Every way into the account, and what protects it. */
export function SecurityPage() {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <AccountPage title={accountWords.security}>
      <PasswordCard />
      <PasskeysCard onCodes={setCodes} />
      <SecondStepCard onCodes={setCodes} />
      <IdentitiesCard />
      {codes ? <RecoveryCodes codes={codes} onDone={() => setCodes(null)} /> : null}
    </AccountPage>
  );
}
