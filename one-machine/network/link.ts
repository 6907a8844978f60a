import { z } from "zod"
import { Unexpected, type apiClient, patiently } from "../api-client.ts"

type Api = ReturnType<typeof apiClient>

/** Links a bridge to a simulated phone by its QR code; resolves when it is connected. @throws Unexpected */
export async function link(
  ref: string,
  {
    api,
    scan,
    signal,
  }: { api: Api; scan: (png: Uint8Array<ArrayBuffer>) => Promise<unknown>; signal: AbortSignal },
): Promise<void> {
  await patiently(signal, async () => {
    const qr = await api("GET", `/instances/${ref}/proxy/qr`)
    await scan(new Uint8Array(await qr.arrayBuffer())).catch(throwRepeatable)
  })
  await untilConnected(ref, { api, signal })
}

/**
 * Makes a failed scan worth repeating: the code may have been replaced before it was scanned. @throws
 * Unexpected
 */
export function throwRepeatable(cause: unknown): never {
  if (!(cause instanceof Unexpected)) throw cause
  throw new Unexpected(cause.message, { cause })
}

/** Resolves when a bridge is on the network. @throws Unexpected */
export async function untilConnected(
  ref: string,
  { api, signal }: { api: Api; signal: AbortSignal },
): Promise<void> {
  await patiently(signal, async () => {
    const answer = await api("GET", `/instances/${ref}/proxy/status`)
    const { status } = z.object({ status: z.string() }).parse(await answer.json())
    if (status !== "connected") throw new Unexpected(`${ref} is ${status}`)
  })
}
