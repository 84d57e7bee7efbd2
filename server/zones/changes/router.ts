import { answerOf, passingLarge } from "../../api/large-answers.ts";
import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { zoneHistory } from "./history.ts";
import { history, historyInput } from "./schemas.ts";

const tag = "DNS records";

/** What was changed in a zone. Part of `records`, as clients know it. */
export const historyRouter = router({
  history: may("records:read", {
    method: "GET",
    path: "/domains/{id}/history",
    operationId: "listHistory",
    tag,
    summary: "List a domain's change history",
    description: "Newest first: what changed, by whom and when.",
  })
    .input(historyInput)
    .output(passingLarge(history))
    .query(async ({ ctx, input }) => await answerOf(history, await zoneHistory(ctx.em, ctx.caller, input))),
});
