import { child, children, el } from "../wire/node.ts"
import type { Answer } from "./receive.ts"
import { badRequest } from "./refusal.ts"

/** The collections of app state a client asks for: nothing in them yet. */
export const sync: Answer = (_network, _line, iq) => {
  const asked = children(child(iq, "sync"))
  if (asked.length === 0) throw badRequest()
  const collections = asked.map(({ attrs }) =>
    el("collection", { name: attrs.name, version: attrs.version ?? "0", has_more_patches: "false" }),
  )
  return [el("sync", {}, collections)]
}
