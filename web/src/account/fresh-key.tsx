import type { RouterOutputs } from "@zonewright/client";
import { useEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";
import { clients, configFor, type DnsClient } from "./key-configs.ts";
import secretsStyles from "./secrets.module.css";

const text = accountWords;

export type CreatedKey = RouterOutputs["tsigKeys"]["create"];

/** A new key with its secret, once, and what to give clients. */
export function FreshKey({ created, onDone }: { created: CreatedKey; onDone: () => void }) {
  const [chosen, setChosen] = useState<DnsClient>("nsupdate");
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  const config = configFor(chosen, created, location.hostname.replace(/^\[|\]$/g, ""));
  return (
    <section ref={box} className={secretsStyles["fresh"]} tabIndex={-1} aria-label={text.keyFresh}>
      <div>
        <strong>{text.keyCreated(created.name ?? created.keyName)}</strong>
        <span className={styles["hint"]}>{text.keyOnce}</span>
      </div>
      <div className={secretsStyles["secret"]}>
        <code aria-label={text.keySecret}>{created.secret}</code>
        <CopyButton text={created.secret} />
        <Button onClick={onDone}>{text.tokenDone}</Button>
      </div>
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
    </section>
  );
}
