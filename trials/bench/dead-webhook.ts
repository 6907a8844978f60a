import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { stopListening, listen } from "#one-machine/listen.ts"
import type { Measured } from "./measure.ts"
import type { Network } from "./network.ts"
import type { Receiver } from "./receiver.ts"
import { startOurs } from "./sides/ours.ts"
import { inbound } from "./traffic/in.ts"

interface Input {
  dir: string
  network: Network
  receiver: Receiver
  messages: number
}

const perSecond = 10

/**
 * A bridge with five webhooks: how long its events take to four of them while the fifth works as well, and
 * while the fifth takes each POST and never answers.
 */
export async function measureDeadWebhook(input: Input): Promise<{ healthy: Measured; dead: Measured }> {
  const dir = join(input.dir, "webhooks")
  mkdirSync(dir)
  const silent = createServer(() => {})
  const silentUrl = `http://127.0.0.1:${await listen(silent)}/`
  const ours = await startOurs({ ...input, dir, name: "webhooks" })
  await ours.link(1, () => {})
  const [line] = ours.lines
  line!.further = [1, 2, 3].map((n) => `${line!.path}-${n}`)
  for (const path of line!.further) await ours.addWebhook(line!.ref, input.receiver.urlOf(path))
  const changeFifth = await ours.addWebhook(line!.ref, input.receiver.urlOf(`${line!.path}-fifth`))
  const receive = async (messages: number) =>
    await inbound({ ...input, side: ours, bridges: 1, messages, perSecond, progress: () => {} })

  await receive(Math.ceil(input.messages / 3))
  const healthy = await receive(input.messages)
  await changeFifth(silentUrl)
  const dead = await receive(input.messages)
  await ours.stop()
  await stopListening(silent)
  return { healthy, dead }
}
