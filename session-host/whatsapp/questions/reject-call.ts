import type { BinaryNode, WASocket } from "@whiskeysockets/baileys"
import { askByNode } from "./ask.ts"

/** How many calls that were offered on a connection are remembered. */
const rememberedMost = 200

/**
 * The callers of calls, as the network named them. A caller who is answered under another address hears
 * nothing.
 */
export function newCallers() {
  const callers = new Map<string, string>()
  return {
    /** Gets `<call>`. */
    onCall({ content }: BinaryNode) {
      if (!Array.isArray(content)) return
      for (const { attrs } of content) {
        const { "call-id": id, "call-creator": caller } = attrs
        if (!id || !caller) continue
        callers.delete(id)
        callers.set(id, caller)
      }
      const [oldest] = callers.keys()
      if (callers.size > rememberedMost && oldest !== undefined) callers.delete(oldest)
    },
    callerOf: (id: string): string | undefined => callers.get(id),
  }
}

/**
 * Rejects a call. The request leaves out the caller's token: with the token, the call rings on (whatsmeow
 * 1182).
 * @throws NoAnswer
 */
export async function rejectCall(
  sock: Pick<WASocket, "query">,
  call: { id: string; caller: string; me: string },
): Promise<void> {
  const reject = { "call-id": call.id, "call-creator": call.caller, count: "0" }
  await askByNode(sock, {
    tag: "call",
    attrs: { from: call.me, to: call.caller },
    content: [{ tag: "reject", attrs: reject }],
  })
}
