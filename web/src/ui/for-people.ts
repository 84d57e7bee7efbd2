/** What only a program can follow: a call to repeat, a field to send, a path. */
const forPrograms = /repeat the call|^(?:Confirm|Reconcile) .*\bforce: true|\/api\//;

/** Returns a message of the service without the sentences that tell a program what to send. Where nothing would be left, it stays. */
export function forPeople(message: string): string {
  const sentences = message.split(/(?<=[.!?]) (?=[A-Z])/);
  const kept = sentences.filter((sentence) => !forPrograms.test(sentence));
  return kept.length === 0 ? message : kept.join(" ");
}
