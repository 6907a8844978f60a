import { proto } from "@whiskeysockets/baileys"
import { inMode } from "../network/addressing.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import { deviceName } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { devicesOf, notify } from "../network/notify.ts"
import { sealAndUpload } from "../phone/content/media.ts"
import { bytes, child, children, el, type Node } from "../wire/node.ts"
import { badRequest } from "./refusal.ts"

/** How many patches are answered at once, and how many bytes of them. */
const page = 100
const pageBytes = 2_000_000

/** The collections that there are. */
const names = new Set(["critical_block", "critical_unblock_low", "regular_high", "regular", "regular_low"])

/** Takes what a device changed in each collection, and gives what it has not seen. */
export function sync(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const asked = children(child(iq, "sync")).filter(({ tag }) => tag === "collection")
  if (asked.length === 0) throw badRequest()
  return [
    el(
      "sync",
      {},
      asked.map((collection) => synced(network, line, collection)),
    ),
  ]
}

function synced(network: Network, line: ConnectedDevice, asked: Node): Node {
  const { name = "", version: said, return_snapshot } = asked.attrs
  const pn = line.device.user
  const seen = Number(said ?? 0)
  const isSaid = return_snapshot === "true" || (return_snapshot === "false" && said !== undefined)
  if (!names.has(name) || !isSaid) return refused(name, 400, "bad-request")
  const sealed = bytes(child(asked, "patch"))
  if (sealed) {
    const patch = patchIn(sealed)
    if (!patch) return refused(name, 400, "bad-request")
    const current = network.appState.version(pn, name)
    if (seen !== current) return refused(name, 409, "conflict")
    network.store.atomically(() => take(network, line, name, current + 1, patch))
    return el("collection", { name, version: current + 1 })
  }
  const files = network.faults.strike("files", deviceName(line.device))
  const hasSnapshot = files && return_snapshot === "true"
  const snapshot = hasSnapshot ? network.appState.snapshot(pn, name) : undefined
  const from = snapshot?.version ?? seen
  const patches = fitting(network.appState.after(pn, name, from, page))
  const version = patches.at(-1)?.version ?? from
  const more = network.appState.version(pn, name) > version
  return el("collection", { name, version, has_more_patches: String(more) }, [
    ...(snapshot ? [el("snapshot", {}, external(network, snapshot.bytes))] : []),
    ...(patches.length > 0
      ? [
          el(
            "patches",
            {},
            patches.map(({ patch: one }) => el("patch", {}, files ? withFile(network, one) : one)),
          ),
        ]
      : []),
  ])
}

/** The patch, with its changes in a file. */
function withFile(network: Network, bytesOfPatch: Uint8Array): Uint8Array {
  const { mutations, ...patch } = proto.SyncdPatch.decode(bytesOfPatch)
  const file = Buffer.from(proto.SyncdMutations.encode({ mutations }).finish())
  const externalMutations = sealAndUpload(network, "md-app-state", "App State", file)
  return proto.SyncdPatch.encode({ ...patch, externalMutations }).finish()
}

/** As many patches as one answer holds, and one in any case. */
function fitting<Patch extends { patch: Buffer }>(patches: Patch[]): Patch[] {
  let bytes = 0
  return patches.filter(({ patch }, i) => (bytes += patch.length) <= pageBytes || i === 0)
}

/** The refusal of one collection. The others of the same question are answered. */
function refused(name: string, code: number, text: string): Node {
  return el("collection", { name, type: "error" }, [el("error", { code, text })])
}

/** A patch with what proves its content to other devices; undefined when that is missing. */
function patchIn(sealed: Buffer): proto.SyncdPatch | undefined {
  try {
    const patch = proto.SyncdPatch.decode(sealed)
    const { keyId, snapshotMac, patchMac } = patch
    return keyId?.id?.length && snapshotMac?.length === 32 && patchMac?.length === 32 ? patch : undefined
  } catch {
    return undefined
  }
}

/** Numbers a patch, whose content the network cannot read. */
function take(
  network: Network,
  line: ConnectedDevice,
  name: string,
  version: number,
  numbered: proto.SyncdPatch,
) {
  numbered.version = { version }
  network.appState.add(
    line.device.user,
    name,
    version,
    Buffer.from(proto.SyncdPatch.encode(numbered).finish()),
  )
  const user = network.directory.user(line.device.user)
  if (!user) return
  const content = [el("collection", { name, version })]
  for (const device of devicesOf(network, user.pn, line.device))
    notify(network, device, { from: inMode("pn", user), type: "server_sync", content })
}

/** A reference to content that is too large for a stanza. */
function external(network: Network, content: Uint8Array): Buffer {
  const sealed = sealAndUpload(network, "md-app-state", "App State", Buffer.from(content))
  const reference = { ...sealed, fileSizeBytes: sealed.fileLength }
  return Buffer.from(proto.ExternalBlobReference.encode(reference).finish())
}
