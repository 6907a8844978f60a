import { z } from "zod"
import type { apiClient } from "#one-machine/api-client.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import type { Evidence, Kind } from "./evidence.ts"

const Page = z.array(z.object({ message_id: z.string() }))

/** The ids of the messages that a bridge has kept of each of its chats, the oldest first. */
export async function transcriptsOf(
  { bridge, contact, group }: LinkedBridge,
  api: ReturnType<typeof apiClient>,
): Promise<string[][]> {
  const chat = async (name: string) => {
    const ids: string[] = []
    let after: string | null = ""
    do {
      const query = new URLSearchParams({ limit: "100", ...(after && { after }) })
      const page = await api("GET", `/instances/${bridge}/proxy/chats/${name}/messages?${query.toString()}`)
      ids.push(...Page.parse(await page.json()).map(({ message_id }) => message_id))
      after = page.headers.get("x-next-after")
    } while (after)
    return ids.toReversed()
  }
  return await Promise.all([contact, group].map(chat))
}

/**
 * Everything that was written to a bridge or sent by it is kept once, and of each chat in the order in which
 * it came.
 */
export function judgeTranscripts(
  bridge: string,
  { kept, ids, late, produced, sent }: Evidence,
): { kind: Kind; what: string }[] {
  const chats = kept.get(bridge) ?? []
  const times = new Map<string, number>()
  for (const id of chats.flat()) times.set(id, (times.get(id) ?? 0) + 1)
  // Votes and answers are no messages.
  const came = (produced.get(bridge) ?? []).filter((text) => text.startsWith("in "))
  const due = [
    ...came.map((text) => [text, ids.get(text)] as const),
    ...sent.flatMap((one) =>
      one.bridge === bridge && one.status === 200 ? [[one.text, one.messageId] as const] : [],
    ),
  ]
  const uncounted = due.flatMap(([text, id]) => {
    const count = times.get(id ?? "") ?? 0
    if (count === 1) return []
    const kind = count === 0 ? ("lost" as const) : ("duplicated" as const)
    return [{ kind, what: `${bridge}: ${text} is kept ${count} times` }]
  })
  const place = new Map(came.flatMap((text, i) => (late.has(text) ? [] : [[ids.get(text), i] as const])))
  const unordered = chats.flatMap((chat) => {
    const places = chat.flatMap((id) => place.get(id) ?? [])
    return places.flatMap((at, i) =>
      i === 0 || at > places[i - 1]! ? [] : [`${came[at]} is kept behind ${came[places[i - 1]!]}`],
    )
  })
  return [
    ...uncounted,
    ...unordered.map((what) => ({ kind: "reordered" as const, what: `${bridge}: ${what}` })),
  ]
}
