import type { RouterOutputs } from "@zonewright/client";
import { useEffect, useRef, useState } from "react";
import { client, issueOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card, Page } from "../ui/page.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";
import { callback, loopbackRequest } from "./loopback.ts";
import { Permissions } from "./permission-fields.tsx";
import type { Permission } from "./permissions.ts";

const text = accountWords;

/** Where a person approves the command line on their computer, which then gets a code and exchanges it for a token. */
export function AuthorizePage() {
  const { username } = useUser();
  const request = loopbackRequest(Object.fromEntries(new URLSearchParams(location.search)));
  const [isDone, setIsDone] = useState(false);
  if (request === null) {
    return (
      <Page title={text.programTitle}>
        <Notice kind="error">{text.programIncomplete}</Notice>
      </Page>
    );
  }
  const answer = (result: { code: string } | { error: string }) => {
    setIsDone(true);
    // Without a way back to a page whose code is used up.
    location.replace(callback(request, result));
  };
  const approve = async (permissions: Permission[]) => {
    const { codeChallenge } = request;
    const { code } = await client.auth.authorizeCli.mutate({ permissions, codeChallenge });
    answer({ code });
  };
  return (
    <Page title={text.programTitle}>
      <Card title={text.programAsks(username)}>
        {isDone ? (
          <Notice kind="success">{text.programDone}</Notice>
        ) : (
          <Grant
            caution={text.programYours}
            offered={request.permissions}
            onApprove={approve}
            onRefuse={() => answer({ error: "access_denied" })}
          />
        )}
      </Card>
    </Page>
  );
}

type Device = RouterOutputs["auth"]["findDevice"] & { userCode: string };

/** Where a person types the code of a device and approves it. The address never brings the code along: see decision 0097. */
export function DevicePage() {
  const { username } = useUser();
  const [device, setDevice] = useState<Device | null>(null);
  const [decision, setDecision] = useState<"approved" | "refused" | null>(null);
  if (decision !== null) {
    const again = () => {
      setDevice(null);
      setDecision(null);
    };
    return (
      <Page title={text.deviceTitle}>
        <Notice kind={decision === "approved" ? "success" : "info"} focusFor={decision}>
          {decision === "approved" ? text.deviceApproved : text.deviceRefused}
        </Notice>
        <div className={styles["buttons"]}>
          <Button onClick={again}>{text.deviceOther}</Button>
        </div>
      </Page>
    );
  }
  if (device === null) {
    return (
      <Page title={text.deviceTitle}>
        <Card title={text.deviceHint}>
          <DeviceCode onFound={setDevice} />
        </Card>
      </Page>
    );
  }
  const { userCode, ip, permissions: offered } = device;
  return (
    <Page title={text.deviceTitle}>
      <Card title={text.deviceAsks(ip, username)}>
        <Grant
          caution={text.deviceYours}
          offered={offered}
          onApprove={async (permissions) => {
            await client.auth.approveDevice.mutate({ userCode, permissions });
            setDecision("approved");
          }}
          onRefuse={async () => {
            await client.auth.refuseDevice.mutate({ userCode });
            setDecision("refused");
          }}
        />
      </Card>
    </Page>
  );
}

function DeviceCode({ onFound }: { onFound: (device: Device) => void }) {
  const [userCode, setUserCode] = useState("");
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const find = useAction(async () => onFound({ ...(await client.auth.findDevice.mutate({ userCode })), userCode }));
  const issue = issueOf(find.error, "userCode");
  return (
    <Form onSubmit={() => void find.run()}>
      {issue === null ? <Failure error={find.error} /> : null}
      <TextField
        ref={first}
        label={text.deviceCode}
        placeholder="BCDF-GHJK"
        mono
        autoCapitalize="characters"
        value={userCode}
        onValue={setUserCode}
        error={issue}
      />
      <div className={styles["buttons"]}>
        <Button type="submit" kind="primary" pending={find.pending}>
          {text.deviceFind}
        </Button>
      </div>
    </Form>
  );
}

interface GrantProps {
  /** When not to approve. */
  caution: string;
  /** Permissions that it asks for. */
  offered: readonly Permission[];
  onApprove: (permissions: Permission[]) => Promise<void>;
  onRefuse: () => Promise<void> | void;
}

/** Asks whether a program may act as the user, and what it may do. */
function Grant({ caution, offered, onApprove, onRefuse }: GrantProps) {
  const [chosen, setChosen] = useState(offered);
  const [lacksPermission, setLacksPermission] = useState(false);
  const approve = useAction(async () => await onApprove([...chosen]));
  const refuse = useAction(async () => await onRefuse());
  const toggle = (permission: Permission, checked: boolean) => {
    setChosen((before) => (checked ? [...before, permission] : before.filter((each) => each !== permission)));
    setLacksPermission(false);
  };
  const issue = issueOf(approve.error, "permissions");
  return (
    <Form
      onSubmit={() => {
        setLacksPermission(chosen.length === 0);
        if (chosen.length > 0) void approve.run();
      }}
    >
      <Notice kind="warning">{caution}</Notice>
      {issue === null ? <Failure error={approve.error ?? refuse.error} /> : null}
      <Permissions
        offered={offered}
        hint={text.programHint}
        chosen={chosen}
        problem={lacksPermission ? text.programPermission : issue}
        onToggle={toggle}
      />
      <span className={styles["hint"]}>{text.programGets}</span>
      <div className={styles["buttons"]}>
        <Button type="submit" kind="primary" pending={approve.pending}>
          {text.approve}
        </Button>
        <Button pending={refuse.pending} onClick={() => void refuse.run()}>
          {text.refuse}
        </Button>
      </div>
    </Form>
  );
}
