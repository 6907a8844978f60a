import type { Entry } from "#one-machine/network/client.ts"
import { startNameServer } from "#test/support/name-server.ts"
import { silence } from "#test/support/service/start-receiver.ts"
import { followNetworkLog } from "../cluster/follow-network-log.ts"
import { type LinkedBridge, startLinkedCluster } from "../cluster/linked-cluster.ts"

/** How long a drill waits for what must come, with production's timing. */
export const withinMs = 180_000

/**
 * The whole service as processes, with some linked bridges, and everything that can be observed about them.
 */
export async function startDrilled(input: { bridges: number; beat: number; dir: string }) {
  const dead = new Map<string, "receiver" | "name">()
  const names = await startNameServer((name) =>
    dead.get(name.split(".")[0]!) === "name" ? "silent" : ["127.0.0.1"],
  )
  const options = { ...input, nameServer: names.address }
  const { cluster, receiver, network, lines, apis, apiKey, stop } = await startLinkedCluster(options, {
    dir: input.dir,
    usually: ({ bridge }) => (dead.get(bridge) === "receiver" ? silence : 200),
    hostOf: (bridge) => `${bridge}.example`,
  })
  const seen: Entry[] = []
  const log = followNetworkLog(network, (entry) => seen.push(entry))
  let written = 0
  return {
    cluster,
    receiver,
    lines,
    beat: input.beat,
    /** The stanzas that the network saw, in order; it grows. */
    seen,
    /** Sets whether a bridge's receiver leaves everything unanswered, or its name gets no answer. */
    setDead: (bridge: string, what: "receiver" | "name" | undefined) =>
      void (what ? dead.set(bridge, what) : dead.delete(bridge)),
    /** The bridge's contact writes to it. Resolves when the network has the message. */
    async write({ contact, owner }: LinkedBridge): Promise<{ id: string; text: string; at: number }> {
      const text = `in ${++written}`
      const at = Date.now()
      return { ...(await network.send(contact, owner, text)), text, at }
    },
    /** Sends through the API, of which no process is killed. @returns the HTTP status */
    async send({ bridge, contact }: LinkedBridge): Promise<number> {
      const answer = await fetch(`${apis()[0]}/api/instances/${bridge}/proxy/send/text`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ chat: contact, body: "out" }),
      })
      await answer.text()
      return answer.status
    },
    stop: async () => {
      await log.stop()
      await stop()
      await names.stop()
    },
  }
}
export type Service = Awaited<ReturnType<typeof startDrilled>>
