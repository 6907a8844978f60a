import { el } from "../wire/node.ts"
import { ready } from "./login.ts"
import type { Answer } from "./receive.ts"

/** The client is ready for what waits for it. Before the result, as the backlog may come first. */
export const active: Answer = (network, line) => {
  queueMicrotask(() => ready(network, line))
  return []
}

/** A/B properties. 10518 = false: no trusted-contact token is wanted on each message. */
export const props: Answer = () => [
  el("props", { protocol: "1", hash: "sim1", refresh: 86_400 }, [
    el("prop", { config_code: "10518", config_value: "false" }),
  ]),
]

export const blocklist: Answer = () => [el("list", { dhash: "none" })]

const everyone = ["last", "online", "profile", "status", "readreceipts", "groupadd", "calladd", "messages"]

export const privacy: Answer = () => [
  el(
    "privacy",
    {},
    everyone.map((name) => el("category", { name, value: "all" })),
  ),
]
