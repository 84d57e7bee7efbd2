import { anyPage, pageIfAsked, pageOfAll, success } from "../../api/schemas.ts";
import { admin } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import {
  channel,
  channelIdInput,
  channelList,
  channelTest,
  createChannelInput,
  deliveriesInput,
  deliveryList,
  updateChannelInput,
} from "./schemas.ts";
import type { Channels } from "./service.ts";

const tag = "Notification channels";

export function createChannelsRouter({ channels }: { channels: Channels }) {
  return router({
    list: admin({
      method: "GET",
      path: "/notifications/configs",
      operationId: "listChannels",
      tag,
      summary: "List notification channels",
    })
      .input(anyPage)
      .output(channelList)
      .query(async ({ ctx, input }) => {
        const all = await channels.list(ctx.em);
        return { ...all, configs: pageOfAll(all.configs, input) };
      }),

    create: admin({
      method: "POST",
      path: "/notifications",
      operationId: "createChannel",
      tag,
      summary: "Add a notification channel",
      description:
        "Each of its events is delivered at least once. Failed deliveries are retried for two days, then the channel is disabled.",
      status: 201,
      errors: [409],
    })
      .input(createChannelInput)
      .output(channel)
      .mutation(({ ctx, input }) => channels.create(ctx.em, ctx.caller, input)),

    update: admin({
      method: "PUT",
      path: "/notifications/configs/{id}",
      operationId: "updateChannel",
      tag,
      summary: "Change a notification channel",
      description:
        "`config` replaces all settings; a secret that is omitted, empty or masked keeps its value. Disabling a channel drops its pending deliveries.",
      example: { events: ["domain.expiring", "domain.expired"], enabled: true },
      errors: [409],
    })
      .input(updateChannelInput)
      .output(channel)
      .mutation(({ ctx, input: { id, ...patch } }) => channels.update(ctx.em, ctx.caller, id, patch)),

    delete: admin({
      method: "DELETE",
      path: "/notifications/configs/{id}",
      operationId: "deleteChannel",
      tag,
      summary: "Delete a notification channel",
    })
      .input(channelIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await channels.delete(ctx.em, ctx.caller, input.id);
        return { success: true as const };
      }),

    test: admin({
      method: "POST",
      path: "/notifications/configs/{id}/test",
      operationId: "testChannel",
      tag,
      summary: "Send a test message to a channel",
      description:
        "Sends it immediately and waits for the outcome, even if the channel is disabled. A failure returns `success: false`, not an error.",
      costly: true,
    })
      .input(channelIdInput)
      .output(channelTest)
      .mutation(({ ctx, input }) => channels.test(ctx.em, input.id)),

    deliveries: admin({
      method: "GET",
      path: "/notifications/configs/{id}/deliveries",
      operationId: "listDeliveries",
      tag,
      summary: "List a channel's recent deliveries",
      description:
        "The latest fifty, with their outcome. Deliveries are stored for two weeks. `state=failed` finds those that were abandoned, however many were delivered since.",
    })
      .input(deliveriesInput.extend(pageIfAsked))
      .output(deliveryList)
      .query(async ({ ctx, input }) => {
        const all = await channels.deliveries(ctx.em, input);
        return { ...all, deliveries: pageOfAll(all.deliveries, input) };
      }),
  });
}
