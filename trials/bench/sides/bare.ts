import { join } from "node:path"
import { Pool } from "undici"
import { z } from "zod"
import { call } from "#one-machine/api-client.ts"
import { type Child, startChild } from "../../child.ts"
import type { Network } from "../network.ts"
import type { Receiver } from "../receiver.ts"
import { linkLines } from "./link-lines.ts"
import type { Line, Side } from "./side.ts"

interface Input {
  dir: string
  network: Network
  receiver: Receiver
  /** Tells several apart at network and receiver. */
  name?: string
}

/** Bare Baileys (`processes/bare.ts`): all sockets in one process. */
export async function startBare({ dir, network, receiver, name = "bare" }: Input): Promise<Side> {
  const lines: Line[] = []
  let child: Child
  let baseUrl = ""
  let pool: Pool

  async function start(): Promise<void> {
    const args = [network.url, join(dir, "bare.json")]
    child = await startChild(new URL("../processes/bare.ts", import.meta.url), {
      args,
      env: {},
      logFile: join(dir, "bare.log"),
    })
    baseUrl = z.object({ baseUrl: z.string() }).parse(child.ready).baseUrl
    pool = new Pool(baseUrl, { connections: 512, headersTimeout: 120_000 })
  }

  async function newBridge({ ref, owner, path }: Omit<Line, "device">): Promise<void> {
    const shown = await call(`${baseUrl}/${ref}/link`, "POST", { webhookUrl: receiver.urlOf(path) })
    const { qr } = z.object({ qr: z.string() }).parse(await shown.json())
    await network.control.scan(owner, qr)
    await call(`${baseUrl}/${ref}/open`, "POST", {})
  }

  await start()
  return {
    name: "bare",
    lines,
    start,
    link: async (count, progress) =>
      await linkLines(count, { side: name, network, lines, link: newBridge, progress }),
    async send({ ref, contact }, text) {
      const body = JSON.stringify({ chat: contact, body: text })
      const answer = await pool.request({ method: "POST", path: `/${ref}/send`, body })
      const said = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`a send was answered ${answer.statusCode}: ${said}`)
    },
    processes: async () => [{ role: "baileys", pid: child.pid }],
    stop: async () => {
      await pool.destroy()
      await child.stop()
    },
  }
}
