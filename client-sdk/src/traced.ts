/**
 * Returns the same procedures with errors whose stack shows the failed call in the program: tRPC creates its errors in callbacks, far from
 * the call.
 */
export function traced<T extends object>(procedures: T): T {
  const known = new Map<string, unknown>();
  return new Proxy(procedures, {
    get(own, key) {
      if (typeof key === "symbol") return Reflect.get(own, key) as unknown;
      if (!known.has(key)) known.set(key, tracedMember(Reflect.get(own, key), key));
      return known.get(key);
    },
  });
}

function tracedMember(member: unknown, key: string): unknown {
  if (typeof member !== "function") return member;
  if (key !== "query" && key !== "mutate") return traced(member);
  const call = member as (...parameters: unknown[]) => Promise<unknown>;
  return (...parameters: unknown[]) => withCaller(call(...parameters));
}

async function withCaller<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    // Not every runtime can capture a stack again.
    if (error instanceof Error && "captureStackTrace" in Error) Error.captureStackTrace(error, withCaller);
    throw error;
  }
}
