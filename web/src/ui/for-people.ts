/**
 * What only a program can follow: a call to repeat, a field to send, a path. Whole sentences of the service, because messages also quote what others
 * wrote: nobody may hide a part of a message by writing a record or a comment.
 */
const forPrograms = [
  String.raw`(?:Request one with|Records are changed by a request:) POST /api/domains/[\w-]+/change-requests\.`,
  String.raw`(?:To [a-z ]+, |Review the plan, then )repeat the call with (?:(?:force|unlock): true|the header x-confirm-delete: true)\.`,
  String.raw`To override it, send \`override: true\` and a reason in \`message\`\.`,
  String.raw`Moving it with force: true abandons the change\.`,
  String.raw`Confirm with \`force: true\`\.`,
  String.raw`Reconcile it with force: true to delete them, or set \`onDrift\` to \`report\`\.`,
  "Send the order of day and month in `dateOrder`\\.",
  "Set (?:its|their) `registrarConfigId` to null first\\.",
  "Read it again, then approve its new `changesHash`\\.",
].join("|");

/** Advice stands at the end, after what is the matter. */
const advice = new RegExp(`(?<=[.!?])(?: (?:${forPrograms}))+$`);

/** Returns a message of the service without the sentences that tell a program what to send. Where nothing would be left, it stays. */
export function forPeople(message: string): string {
  return message.replace(advice, "");
}
