import type { RouterOutputs } from "@zonewright/client";
import { KeySquare } from "lucide-react";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import { AccountPage } from "./account-page.tsx";
import styles from "./account.module.css";
import { isPast } from "./expiry.ts";
import { FreshKey, type CreatedKey } from "./fresh-key.tsx";
import { NewKey } from "./new-key.tsx";
import { keys } from "./own-account.ts";
import { Ago, Chip, Row } from "./row.tsx";
import { SecretsCard, UseFacts } from "./secrets-card.tsx";

const text = accountWords;

type Key = RouterOutputs["tsigKeys"]["list"]["keys"][number];

const titleOf = ({ name, keyName }: Key) => name ?? keyName;

/** The keys with which DNS clients act as the user. */
export function KeysPage() {
  return (
    <AccountPage title={text.keys}>
      <SecretsCard<Key, CreatedKey>
        query={keys}
        says={{
          title: text.keysTitle,
          hint: text.keysHint,
          create: text.keyNew,
          empty: text.keysEmpty,
          emptyHint: text.keysEmptyHint,
          deleteTitle: text.keyDeleteTitle,
          deleteHint: text.keyDeleteHint,
          deleted: text.keyDeleted,
        }}
        nameOf={titleOf}
        onDelete={async (id) => await client.tsigKeys.delete.mutate({ id })}
        NewForm={NewKey}
        Fresh={FreshKey}
        Item={KeyRow}
      />
    </AccountPage>
  );
}

function KeyRow({ item, pending, onDelete }: { item: Key; pending: boolean; onDelete: () => void }) {
  const { keyName, domainName, hostPattern, recordTypes, access, lastError, lastErrorAt } = item;
  return (
    <Row
      icon={<KeySquare aria-hidden />}
      title={titleOf(item)}
      chips={
        <>
          <Chip>{text.keyAccesses[access]}</Chip>
          {isPast(item.expiresAt) ? <Chip kind="bad">{text.expired}</Chip> : null}
        </>
      }
      facts={
        <>
          <span className={styles["perms"]}>
            <code>{keyName}</code>
            <code>{domainName}</code>
            <code>{hostPattern}</code>
            {recordTypes.length === 0 ? text.keyAllTypes : recordTypes.map((type) => <code key={type}>{type}</code>)}
          </span>
          <UseFacts {...item} from={item.lastUsedFrom} />
          {lastError === null || lastErrorAt === null ? null : (
            <span className={styles["refusal"]}>
              {text.keyRefused} <Ago date={lastErrorAt} />: {lastError}
            </span>
          )}
        </>
      }
      actions={
        <Button kind="danger" aria-label={text.keyDelete(titleOf(item))} disabled={pending} onClick={onDelete}>
          {words.ui.delete}
        </Button>
      }
    />
  );
}
