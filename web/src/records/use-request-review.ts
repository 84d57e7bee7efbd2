import { useNavigate } from "@tanstack/react-router";
import { client, queries } from "../api.ts";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { recordsWords } from "../words/records.ts";
import { changesOf, type Draft, type Edit } from "../zone/draft/draft.ts";
import type { RequestText } from "../zone/request-fields.tsx";

const text = recordsWords;

interface RequestOptions {
  domainId: string;
  draft: Draft;
  /** Ends the edits that were sent. */
  endSent: (sent: readonly Edit[]) => void;
  reverse: readonly string[];
  onRequested: () => void;
}

/** Sends a draft to those who may review it. Nothing changes in the zone. */
export function useRequestReview({ domainId, draft, endSent, reverse, onRequested }: RequestOptions) {
  const navigate = useNavigate();
  return useAction(async ({ title, note, applyAt }: RequestText, unlock: boolean) => {
    const { id, number } = await client.changeRequests.create.mutate({
      id: domainId,
      title: title.trim(),
      changes: changesOf(draft),
      reverse: [...reverse],
      ...(unlock && { unlock }),
      ...(note.trim() !== "" && { note: note.trim() }),
      ...(applyAt !== "" && { applyAt: new Date(applyAt) }),
    });
    endSent(draft.edits);
    onRequested();
    toast({
      title: text.requested(String(number)),
      action: { label: text.openRequest, run: () => void navigate({ to: "/requests/$id", params: { id } }) },
    });
    await queries.invalidateQueries({ queryKey: ["requests"] });
  });
}
