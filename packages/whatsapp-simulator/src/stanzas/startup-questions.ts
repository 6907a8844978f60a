import type { ConnectedDevice } from "../network/connected-device.ts"
import type { Network } from "../network/network.ts"
import { child, children, el, type Node } from "../wire/node.ts"
import { activateAndGreet } from "./login.ts"

/** The client is ready for what waits for it, which comes right after the result. */
export function active(network: Network, line: ConnectedDevice): Node[] {
  queueMicrotask(() => activateAndGreet(network, line))
  return []
}

/**
 * A/B properties. 10518: whether trusted-contact tokens are to be shown with each message. 9435: whether the
 * account's chats were moved to private ids.
 */
export function props(network: Network, line: ConnectedDevice): Node[] {
  const { restricted, byNumber } = network.profiles.get(line.device.user)
  return [
    el("props", { protocol: "1", hash: restricted ? "sim2" : "sim1", refresh: 86_400 }, [
      el("prop", { config_code: "10518", config_value: String(restricted) }),
      ...(byNumber ? [] : [el("prop", { config_code: "9435", config_value: "true" })]),
    ]),
  ]
}

/** Which terms of service a client has still to show: none. */
export function terms(_network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  const asked = children(child(iq, "request"))
  return [
    el(
      "tos",
      { refresh: 86_400 },
      asked.map(({ attrs }) => el("notice", { id: attrs.id, state: "true" })),
    ),
  ]
}

/** Where to bring and fetch files. */
export function mediaConnection(network: Network): Node[] {
  return [
    el("media_conn", { auth: network.media.auth, ttl: 3600, auth_ttl: 21_600, max_buckets: 12 }, [
      el("host", { hostname: network.media.host, type: "primary", maxContentLengthBytes: 100_000_000 }),
    ]),
  ]
}
