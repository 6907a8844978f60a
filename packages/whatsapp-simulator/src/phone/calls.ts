import { inMode, type Mode } from "../network/addressing.ts"
import { el, type Node } from "../wire/node.ts"
import type { Handset } from "./handset.ts"
import { newId } from "./outgoing-messages.ts"

/** Which call, and how its caller is named. */
interface Call {
  id: string
  mode: Mode
}

/** A call's first step, to this address. */
export function callOffer(
  handset: Handset,
  to: string,
  call: Call & { video?: boolean; group?: string | undefined },
) {
  const { group, video } = call
  const attrs = { ...identified(handset, call), "group-jid": group, type: group && "group" }
  const media = [el("audio", { enc: "opus", rate: 16_000 }), ...(video ? [el("video")] : [])]
  return stanza(to, el("offer", attrs, media))
}

/** Any later step of it. */
export function callStep(
  handset: Handset,
  to: string,
  call: Call & { step: string; reason?: string | undefined },
) {
  return stanza(to, el(call.step, { ...identified(handset, call), reason: call.reason }))
}

function identified(handset: Handset, { id, mode }: Call) {
  return { "call-id": id, "call-creator": inMode(mode, handset.user()) }
}

function stanza(to: string, content: Node): Node {
  return el("call", { to, id: newId(), platform: "android", version: "2.26.1" }, [content])
}
