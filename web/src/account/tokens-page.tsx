import type { RouterOutputs } from "@zonewright/client";
import { KeySquare } from "lucide-react";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import { AccountPage } from "./account-page.tsx";
import { CalendarFeeds } from "./calendar-feeds.tsx";
import { isPast } from "./expiry.ts";
import { FreshSecret } from "./fresh-secret.tsx";
import { NewToken } from "./new-token.tsx";
import { tokens } from "./own-account.ts";
import { Chip, Row } from "./row.tsx";
import { SecretsCard, UseFacts } from "./secrets-card.tsx";

const text = accountWords;

type Token = RouterOutputs["tokens"]["list"]["tokens"][number];
type CreatedToken = RouterOutputs["tokens"]["create"];

/** The tokens with which programs act as the user. */
export function TokensPage() {
  return (
    <AccountPage title={text.tokens}>
      <SecretsCard<Token, CreatedToken>
        query={tokens}
        says={{
          title: text.tokensTitle,
          hint: text.tokensHint,
          create: text.tokenNew,
          empty: text.tokensEmpty,
          emptyHint: text.tokensEmptyHint,
          deleteTitle: text.tokenDeleteTitle,
          deleteHint: text.tokenDeleteHint,
          deleted: text.tokenDeleted,
        }}
        nameOf={({ name }) => name}
        onDelete={async (id) => await client.tokens.delete.mutate({ id })}
        NewForm={NewToken}
        Fresh={FreshToken}
        Item={TokenRow}
      />
      <CalendarFeeds />
    </AccountPage>
  );
}

function FreshToken({ created: { name, token }, onDone }: { created: CreatedToken; onDone: () => void }) {
  return (
    <FreshSecret
      label={text.tokenSecret}
      title={text.tokenCreated(name)}
      hint={text.tokenOnce}
      secret={token}
      onDone={onDone}
    >
      <div>
        <span className={styles["hint"]}>{text.tokenUse}</span>
        <code>Authorization: Bearer {token.slice(0, 6)}…</code>
      </div>
    </FreshSecret>
  );
}

function TokenRow({ item, pending, onDelete }: { item: Token; pending: boolean; onDelete: () => void }) {
  const { name, permissions, domainIds, hostPattern, recordTypes } = item;
  return (
    <Row
      icon={<KeySquare aria-hidden />}
      title={name}
      chips={isPast(item.expiresAt) ? <Chip kind="bad">{text.expired}</Chip> : null}
      facts={
        <>
          <span className={styles["perms"]}>
            {permissions.length === 0 ? text.noPermission : permissions.map((each) => <code key={each}>{each}</code>)}
            {[...(hostPattern === null ? [] : [hostPattern]), ...(recordTypes ?? [])].map((each) => (
              <code key={each}>{each}</code>
            ))}
            {domainIds === null ? null : <Chip>{text.narrowed(domainIds.length)}</Chip>}
          </span>
          <UseFacts {...item} />
        </>
      }
      actions={
        <Button kind="danger" aria-label={text.tokenDelete(name)} disabled={pending} onClick={onDelete}>
          {words.ui.delete}
        </Button>
      }
    />
  );
}
