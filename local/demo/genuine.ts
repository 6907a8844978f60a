const snippet = new URL("../../docs/receivers/verify.js", import.meta.url)

/** Verifies a delivery as customers do, with the snippet that they are given. */
export const { isGenuine } = (await import(snippet.href)) as {
  isGenuine: (rawBody: Uint8Array, header: string | undefined, secret: string, nowSeconds?: number) => boolean
}
