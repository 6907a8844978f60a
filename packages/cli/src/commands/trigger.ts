import { setTimeout as sleep } from "node:timers/promises"
import { type BridgeClient, type EventType } from "../../../sdk-typescript/src/index.ts"
import { bridge, type Command, service, word } from "../command.ts"
import { told } from "../forward.ts"
import { Misused, Refused } from "../refused.ts"

/**
 * How to make an event of each type happen: what to send to which contact of the sandbox, who answers with
 * the event.
 */
const triggers = {
  message: { of: "Echo", send: (box, chat) => box.sendText({ chat, body: "Hello from `bridge trigger`" }) },
  poll_vote: {
    of: "Voter",
    send: (box, chat) => box.sendPoll({ chat, question: "Does it work?", options: ["Yes", "No"] }),
  },
  event_response: {
    of: "Voter",
    send: (box, chat) =>
      box.sendEvent({ chat, name: "A trial", start_time: Math.floor(Date.now() / 1000) + 3600 }),
  },
} satisfies {
  [Type in EventType]?: { of: string; send: (box: BridgeClient, chat: string) => Promise<unknown> }
}

/** The sandbox is made and linked when it is first named. */
const readyWithinMs = 60_000
const happensWithinMs = 30_000

export const trigger: Command = {
  takes: `<${Object.keys(triggers).join("|")}|test>`,
  says: "makes an event happen for real, in the sandbox (`listen -b sandbox` gets it); `test` goes to the bridge's webhook alone",
  options: ["bridge"],
  run: async (asked) => {
    const { words, options, print, stop } = asked
    const type = word(words, 0, "type")
    if (type === "test") {
      const attempt = await bridge(asked).testWebhook()
      print(
        `test  ${attempt.event_id}  ${attempt.status_code || attempt.error}  ${attempt.latency_ms} ms`,
        attempt,
      )
      return attempt.success ? 0 : 1
    }
    if (!isTrigger(type))
      throw new Misused(`there is no trigger for \`${type}\`: ${Object.keys(triggers).join(", ")}, test`)
    if (options.bridge !== undefined && options.bridge !== "sandbox")
      throw new Misused(
        "--bridge: only the sandbox has contacts who answer; `test` goes to the webhook of any bridge",
      )
    const box = service().bridge("sandbox")
    const { of, send } = triggers[type]
    const chat = await contact(box, of, AbortSignal.any([stop, AbortSignal.timeout(readyWithinMs)]))
    const [{ event_id: after } = { event_id: undefined }] = await box.listEvents({
      order: "newest",
      limit: 1,
    })
    await send(box, chat)
    const signal = AbortSignal.any([stop, AbortSignal.timeout(happensWithinMs)])
    const start = after === undefined ? { since: 0 } : { after }
    for await (const stored of box.events({ ...start, types: [type], signal })) {
      print(`${type}  ${stored.event_id}  ${told(stored.event)}`, stored)
      return 0
    }
    throw new Refused(
      stop.aborted
        ? "stopped"
        : `it was sent, and no ${type} came within 30 seconds: bridge logs --bridge sandbox`,
    )
  },
}

function isTrigger(type: string): type is keyof typeof triggers {
  return Object.hasOwn(triggers, type)
}

/** @returns the JID of this contact, who arrives a moment after the sandbox is linked. @throws Refused */
async function contact(box: BridgeClient, name: string, signal: AbortSignal): Promise<string> {
  while (!signal.aborted) {
    const found = (await box.listContacts()).find((one) => one.name === name)
    if (found) return found.jid
    await sleep(500, undefined, { signal }).catch(() => "said below")
  }
  throw new Refused(`the sandbox has no ${name} yet: try again`)
}
