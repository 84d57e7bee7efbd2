import type { RouterOutputs } from "@zonewright/client";
import { CalendarDays } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { client, issueOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import { FreshSecret } from "./fresh-secret.tsx";
import { feeds, refresh } from "./own-account.ts";
import { Ago, Chip, Row } from "./row.tsx";
import { SecretsCard } from "./secrets-card.tsx";
import { domainIdOf, UnknownDomain, wordsOf } from "./token-limits.tsx";

const text = accountWords.feeds;

type Feed = RouterOutputs["feeds"]["list"]["feeds"][number];
type CreatedFeed = RouterOutputs["feeds"]["create"];

/** The addresses to which calendar programs of the user subscribe. */
export function CalendarFeeds() {
  return (
    <SecretsCard<Feed, CreatedFeed>
      query={feeds}
      says={text.card}
      nameOf={({ name }) => name}
      onDelete={async (id) => await client.feeds.delete.mutate({ id })}
      NewForm={NewFeed}
      Fresh={FreshFeed}
      Item={FeedRow}
    />
  );
}

interface NewFeedProps {
  onCreated: (feed: CreatedFeed) => void;
  onCancel: () => void;
}

function NewFeed({ onCreated, onCancel }: NewFeedProps) {
  const [name, setName] = useState("");
  const [domains, setDomains] = useState("");
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const create = useAction(async () => {
    const domainIds = await Promise.all(wordsOf(domains).map(domainIdOf));
    onCreated(await client.feeds.create.mutate({ name: name.trim(), ...(domainIds.length > 0 && { domainIds }) }));
    await refresh(feeds);
  });
  const issues = {
    name: issueOf(create.error, "name"),
    domains: create.error instanceof UnknownDomain ? create.error.message : issueOf(create.error, "domainIds"),
  };
  return (
    <Form className={styles["quietForm"]} onSubmit={() => void create.run()}>
      {(issues.name ?? issues.domains) ? null : <Failure error={create.error} />}
      <TextField
        ref={first}
        label={text.name}
        hint={text.nameHint}
        placeholder={text.nameExample}
        value={name}
        onValue={setName}
        error={issues.name}
      />
      <TextField
        label={accountWords.narrowDomains}
        hint={text.domainsHint}
        placeholder="example.com"
        value={domains}
        onValue={setDomains}
        error={issues.domains}
      />
      <div className={styles["buttons"]}>
        <Button type="submit" kind="primary" pending={create.pending}>
          {text.create}
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          {words.ui.cancel}
        </Button>
      </div>
    </Form>
  );
}

function FreshFeed({ created: { name, url }, onDone }: { created: CreatedFeed; onDone: () => void }) {
  return (
    <FreshSecret
      label={text.fresh}
      title={text.created(name)}
      hint={text.once}
      secret={url}
      secretLabel={text.address}
      onDone={onDone}
    >
      <p>
        <a href={url.replace(/^https?:/, "webcal:")}>{text.subscribe}</a>
      </p>
    </FreshSecret>
  );
}

function FeedRow({ item, pending, onDelete }: { item: Feed; pending: boolean; onDelete: () => void }) {
  const { name, domainIds, createdAt, lastUsedAt } = item;
  return (
    <Row
      icon={<CalendarDays aria-hidden />}
      title={name}
      chips={domainIds === null ? null : <Chip>{accountWords.narrowed(domainIds.length)}</Chip>}
      facts={
        <>
          <span>
            {accountWords.created} <Ago date={createdAt} />
          </span>
          <span>
            {lastUsedAt === null ? (
              text.neverFetched
            ) : (
              <>
                {text.lastFetched} <Ago date={lastUsedAt} />
              </>
            )}
          </span>
        </>
      }
      actions={
        <Button kind="danger" aria-label={text.revokeOne(name)} disabled={pending} onClick={onDelete}>
          {text.revoke}
        </Button>
      }
    />
  );
}
