import { Download } from "lucide-react";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { saveFile } from "../ui/save-file.ts";
import { accountWords } from "../words/account.ts";
import styles from "./secrets.module.css";

const text = accountWords;

/** New recovery codes, once. Only its button closes it: a stray click must not lose them. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { username } = useUser();
  const file = `${text.recoveryFileHead(location.origin, username)}\n\n${codes.join("\n")}\n`;
  return (
    <Dialog
      open
      onClose={() => undefined}
      title={text.recoveryTitle}
      description={text.recoveryOnce}
      footer={
        <>
          <CopyButton text={codes.join("\n")} label={text.recoveryCopied} />
          <Button onClick={() => saveFile(text.recoveryFile, file)}>
            <Download aria-hidden /> {text.recoveryDownload}
          </Button>
          <Button kind="primary" onClick={onDone}>
            {text.recoveryDone}
          </Button>
        </>
      }
    >
      <ul className={styles["codes"]} aria-label={text.recovery}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
