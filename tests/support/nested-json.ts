/** Lists within lists, as deep as asked. */
export function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}
