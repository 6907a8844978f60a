import { buildApp } from "fauxqs"

/**
 * A stand-in for S3 and SQS on 127.0.0.1, in memory. Any credentials will do. Rejects if the port is taken.
 * @param port any free one if absent
 */
export async function startFauxqs(port = 0): Promise<{ endpoint: string; close: () => Promise<void> }> {
  // Its own startFauxqs would listen on every address of the machine.
  const app = buildApp({ logger: false })
  const endpoint = await app.listen({ port, host: "127.0.0.1" })
  return { endpoint, close: () => app.close() }
}
