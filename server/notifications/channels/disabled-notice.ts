import type { TypedNotice } from "../notify.ts";

/** Returns the notice to administrators about a channel that the service disabled. */
export function disabledNotice(
  { id, name, channel }: { id: string; name: string; channel: string },
  reason: string,
): TypedNotice<"channel.disabled"> {
  return {
    event: "channel.disabled",
    title: `The channel ${name} was disabled`,
    content: `Deliveries failed. ${reason} Correct the problem, then enable the channel again.`,
    level: "error",
    metadata: { channelId: id, channelName: name, channel },
    to: { administrators: true },
  };
}
