import { route } from "../../api/route.ts";
import { nothing, success } from "../../api/schemas.ts";
import { admin, router } from "../../api/trpc.ts";
import {
  channel,
  channelIdInput,
  channelList,
  channelTest,
  createChannelInput,
  deliveryList,
  updateChannelInput,
} from "./schemas.ts";

const tag = "Notification channels";

export const channelsRouter = router({
  list: admin
    .meta(
      route.admin({
        method: "GET",
        path: "/notifications/configs",
        operationId: "listChannels",
        tag,
        summary: "List the notification channels",
      }),
    )
    .input(nothing)
    .output(channelList)
    .query(({ ctx }) => ctx.services.channels.list(ctx.em)),

  create: admin
    .meta(
      route.admin({
        method: "POST",
        path: "/notifications",
        operationId: "createChannel",
        tag,
        summary: "Add a notification channel",
        description:
          "It is told of each of its events at least once: an event that cannot be delivered is tried again for two days, then the channel is disabled.",
        status: 201,
        errors: [409],
      }),
    )
    .input(createChannelInput)
    .output(channel)
    .mutation(({ ctx, input }) => ctx.services.channels.create(ctx.em, ctx.caller, input)),

  update: admin
    .meta(
      route.admin({
        method: "PUT",
        path: "/notifications/configs/{id}",
        operationId: "updateChannel",
        tag,
        summary: "Change a notification channel",
        description:
          "`config` replaces all settings; a secret that is left out, empty or masked stays. To disable a channel gives up what waits for it.",
        example: { events: ["domain.expiring", "domain.expired"], enabled: true },
        errors: [409],
      }),
    )
    .input(updateChannelInput)
    .output(channel)
    .mutation(({ ctx, input: { id, ...patch } }) => ctx.services.channels.update(ctx.em, ctx.caller, id, patch)),

  delete: admin
    .meta(
      route.admin({
        method: "DELETE",
        path: "/notifications/configs/{id}",
        operationId: "deleteChannel",
        tag,
        summary: "Delete a notification channel",
      }),
    )
    .input(channelIdInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.channels.delete(ctx.em, ctx.caller, input.id);
      return { success: true as const };
    }),

  test: admin
    .meta(
      route.admin({
        method: "POST",
        path: "/notifications/configs/{id}/test",
        operationId: "testChannel",
        tag,
        summary: "Send a sample to a channel",
        description:
          "Sends it now and waits for the answer, also when the channel is disabled. What fails is an answer, not an error.",
        costly: true,
      }),
    )
    .input(channelIdInput)
    .output(channelTest)
    .mutation(({ ctx, input }) => ctx.services.channels.test(ctx.em, input.id)),

  deliveries: admin
    .meta(
      route.admin({
        method: "GET",
        path: "/notifications/configs/{id}/deliveries",
        operationId: "listDeliveries",
        tag,
        summary: "List what a channel was told of late",
        description: "The last fifty, with what became of them. They are kept for two weeks.",
      }),
    )
    .input(channelIdInput)
    .output(deliveryList)
    .query(({ ctx, input }) => ctx.services.channels.deliveries(ctx.em, input.id)),
});
