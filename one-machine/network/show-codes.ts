import { setTimeout as sleep } from "node:timers/promises"
import { toString } from "qrcode"
import { z } from "zod"
import { networkUnreachable } from "#core/error.ts"
import { readQr } from "#simulator/phone/qr-image.ts"
import { Unexpected } from "../api-client.ts"

const patienceMs = 5 * 60_000
const lookAgainMs = 2000

const Status = z.object({ status: z.string(), phone: z.string() })

interface Options {
  /** Makes a customer's call and returns a successful answer. @throws Unexpected */
  api: (method: string, path: string) => Promise<Response>
  ref: string
  print: (text: string) => void
  signal: AbortSignal
}

/** Shows a bridge's QR codes in a terminal, each as it replaces the last, until a phone is linked. */
export async function showCodes({ api, ref, print, signal }: Options): Promise<void> {
  const until = performance.now() + patienceMs
  let shown = ""
  let warned = false
  while (!signal.aborted && performance.now() < until) {
    try {
      const { status, phone } = Status.parse(
        await (await api("GET", `/instances/${ref}/proxy/status`)).json(),
      )
      if (status === "connected") return print(`${ref} is linked to ${phone}.`)
      const picture = await api("GET", `/instances/${ref}/proxy/qr`)
      const code = readQr(Buffer.from(await picture.arrayBuffer()))
      if (code !== undefined && code !== shown) print(await toString(code, { type: "terminal", small: true }))
      shown = code ?? shown
    } catch (error) {
      if (signal.aborted) return
      // There is no code while the session starts (503), or between the scan and the connection (409).
      if (!(error instanceof Unexpected)) throw error
      const isUnreachable = error.message.includes(networkUnreachable().message)
      if (isUnreachable && !warned) print(networkUnreachable().message)
      warned ||= isUnreachable
    }
    await sleep(lookAgainMs, undefined, { signal }).catch(() => "stopped while asleep")
  }
}
