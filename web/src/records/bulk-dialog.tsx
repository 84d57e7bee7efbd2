import { useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { formatNumber } from "../ui/format.ts";
import { recordsWords } from "../words/records.ts";
import { words } from "../words/words.ts";
import { useProviderKind } from "../zone/automatic-ttl.tsx";
import { readTtl } from "../zone/ttl.ts";
import { useRules } from "./fields/rules.ts";
import { understandValue } from "./fields/understand.ts";
import type { Row } from "./grid/rows.ts";

const text = recordsWords;

interface BulkDialogProps {
  field: "ttl" | "value";
  rows: readonly Row[];
  zone: { name: string; providerId: string };
  onSet: (changed: { ttl: number } | { value: string }) => void;
  onClose: () => void;
}

/** Gives all selected records one TTL, or one value. */
export function BulkDialog({ field, rows, zone, onSet, onClose }: BulkDialogProps) {
  const [typed, setTyped] = useState("");
  const kind = useProviderKind(zone);
  const ttlHint = typeof kind?.automaticTtl === "number" ? text.ttlOrAutomatic : text.ttlWrong;
  const { canonicalValue, checkFields } = useRules();
  const [fault, setFault] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const count = formatNumber(rows.length);
  const types = new Set(rows.map(({ fields }) => fields.recordType));
  const [recordType = "A"] = types;
  const mixed = field === "value" && types.size > 1;
  const finish = () => {
    if (field === "ttl") {
      const ttl = readTtl(typed, kind);
      if (ttl === null || ttl > 2_147_483_647) setFault(ttlHint);
      else onSet({ ttl });
      return;
    }
    const { value } = understandValue(recordType, typed, zone.name);
    const found = checkFields({ recordType, name: "@", value, ttl: null }, zone.name).value;
    if (found === null) onSet({ value: canonicalValue(recordType, value) });
    else setFault(found);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      initialFocus={input}
      title={field === "ttl" ? text.ttlTitle(count) : text.valueTitle(count)}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {words.ui.cancel}
          </Button>
          <Button kind="primary" type="submit" form="bulk-edit" disabled={mixed}>
            {text.set}
          </Button>
        </>
      }
    >
      <Form id="bulk-edit" onSubmit={() => !mixed && finish()}>
        <TextField
          ref={input}
          mono={field === "value"}
          label={field === "ttl" ? text.ttl : `${text.value} (${recordType})`}
          hint={mixed ? text.mixedTypes : field === "ttl" ? ttlHint : undefined}
          error={fault}
          value={typed}
          onValue={(value) => {
            setTyped(value);
            setFault(null);
          }}
        />
      </Form>
    </Dialog>
  );
}
