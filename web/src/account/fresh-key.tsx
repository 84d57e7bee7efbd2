import type { RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";
import { FreshSecret } from "./fresh-secret.tsx";
import { clients, configFor, type DnsClient } from "./key-configs.ts";
import secretsStyles from "./secrets.module.css";

const text = accountWords;

export type CreatedKey = RouterOutputs["tsigKeys"]["create"];

/** A new key with its secret, once, and what to give clients. */
export function FreshKey({ created, onDone }: { created: CreatedKey; onDone: () => void }) {
  const [chosen, setChosen] = useState<DnsClient>("nsupdate");
  const config = configFor(chosen, created, location.hostname.replace(/^\[|\]$/g, ""));
  return (
    <FreshSecret
      label={text.keyFresh}
      title={text.keyCreated(created.name ?? created.keyName)}
      hint={text.keyOnce}
      secret={created.secret}
      secretLabel={text.keySecret}
      onDone={onDone}
    >
      <div className={styles["segments"]} role="radiogroup" aria-label={text.keyClients}>
        {clients.map((each) => (
          <label key={each}>
            <input type="radio" name="dns-client" checked={chosen === each} onChange={() => setChosen(each)} />
            {each}
          </label>
        ))}
      </div>
      <div className={secretsStyles["config"]}>
        <pre aria-label={text.keyConfig(chosen)}>{config}</pre>
        <CopyButton text={`${config}\n`} label={text.keyCopyConfig} />
      </div>
      <span className={styles["hint"]}>{text.keyServerHint}</span>
    </FreshSecret>
  );
}
