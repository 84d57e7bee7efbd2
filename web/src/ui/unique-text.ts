/** Returns 128 random bits as text. `crypto.randomUUID` exists only in secure contexts, so not on plain HTTP in a LAN. */
export const uniqueText = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
