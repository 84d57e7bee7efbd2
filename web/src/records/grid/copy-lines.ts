import { copyText } from "../../ui/copy.ts";
import { formatNumber } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";
import { recordsWords } from "../../words/records.ts";
import { words } from "../../words/words.ts";
import { withRules } from "../fields/rules.ts";
import type { Row } from "./rows.ts";

const failed = () => toast({ title: words.ui.copyFailed });

/** Copies records as lines of a zone file. */
export function copyLines(chosen: readonly Row[]): void {
  withRules(({ zoneFileLine }) => {
    const lines = chosen.map(({ record, fields }) =>
      zoneFileLine({ ...fields, ttl: fields.ttl ?? record?.ttl ?? 3600 }),
    );
    void copyText(`${lines.join("\n")}\n`).then((copied) =>
      copied ? toast({ title: recordsWords.copied(formatNumber(lines.length)) }) : failed(),
    );
  }, failed);
}
