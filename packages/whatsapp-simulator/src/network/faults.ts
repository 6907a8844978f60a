import type { Node } from "../wire/node.ts"
import type { ConnectedDevice } from "./connected-device.ts"

/** The faults that the network can be told to have. */
export const faultKinds = [
  /** Messages are taken. Their acks are kept back until the fault is removed. */
  "hold_acks",
  /** Messages are taken and never acknowledged. */
  "lose_acks",
  /** Messages are refused with `code`. */
  "nack",
  /** The connection is cut when a receipt comes, and the receipt is ignored. */
  "cut_before_receipt",
  /** The connection is cut right after a receipt is taken. */
  "cut_after_receipt",
  /** Receipts and acks settle nothing: queued stanzas come again with each connection. */
  "unsettled",
  /** A queued stanza is written half, then the connection is cut. */
  "cut_mid_frame",
  /** A queued stanza is written twice. */
  "twice",
  /** A message comes as a placeholder without content: a client asks its phone for it. */
  "unavailable",
  /** The device's phone never answers what the device asks it. */
  "silent_phone",
  /**
   * A session that is connected and dead: what the device sends is dropped, and what is for it waits for the
   * next one.
   */
  "dead",
  /** A message comes as the placeholder of one that its phone alone shows, once. */
  "view_once",
  /** A message's ciphertexts come as garbage: a client asks its sender for it once more. */
  "unreadable",
  /** The ciphertexts of a message that the device has asked for again come as garbage, too. */
  "unreadable_again",
  /** The network sends no notice that a companion is linked or removed. */
  "silent_devices",
  /** Everything to the device is late by `ms`. */
  "delay",
  /** Everything to the device is kept back until the fault is removed, then comes at once, in order. */
  "hold",
  /** A new connection is answered with HTTP `code` instead of an upgrade. */
  "refuse_upgrade",
  /** A client is told that its version is too old (405): each, or those below `version`. */
  "outdated",
  /** A login is refused with `code`, and with 402 for `expire` seconds. */
  "refuse_login",
  /** Questions (iq) of the namespace `xmlns` are refused with `code`. */
  "refuse_iq",
  /** Questions of the namespace `xmlns` are never answered. */
  "ignore_iq",
  /** Answers to its questions about people name them by private id, with the number beside it. */
  "named_by_lid",
  /** A request for the device's keys is answered as if there were no such device (404). */
  "no_keys",
  /** A question about the devices of this one's owner is answered with an empty list. */
  "no_devices",
  /** The backlog comes in parts: a few, then as many as the device asks for, each time. */
  "batches",
  /**
   * A device that refuses a status (an ack with an error) gets it again at each connection, and nothing
   * behind it.
   */
  "stubborn_status",
  /**
   * A status comes as a `<message>`, as to all accounts before July 2026 and to those whose property
   * (WhatsApp Web, `status_e2ee_recv_over_status_stanza`) was off.
   */
  "status_as_message",
  /** A request for the device's keys is refused as not acceptable (406). */
  "not_acceptable",
  /** A request for the device's keys fails (503), as it may at any time. */
  "keys_fail",
  /** The device is not told that its backlog is over. */
  "no_offline",
  /** The backlog comes like new stanzas: nothing marks it `offline`. */
  "unmarked",
  /**
   * Histories and snapshots of settings come as files, as from the live network. It is no default because
   * Baileys 7.0.0-rc14 looks for them at mmg.whatsapp.net and nowhere else.
   */
  "files",
] as const

export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  id: number
  kind: FaultKind
  /** `number:device`, or `*` for every client. */
  device: string
  /** How often it still happens; null: until it is removed. */
  times: number | null
  /** The code of `nack`, `refuse_upgrade`, `refuse_login` and `refuse_iq`. */
  code: number
  /**
   * For `refuse_login`: how long logins are refused, in seconds, as the client is told; null: the client is
   * not told.
   */
  expire: number | null
  /** For `refuse_iq` and `ignore_iq`: the questions' namespace; null: any. */
  xmlns: string | null
  /** For `outdated`: the oldest version that is let in, such as `2.3000.1`; null: none is. */
  version: string | null
  /** For `delay`. */
  ms: number
}

/** The faults that are armed now. They do not survive the process. */
export type Faults = ReturnType<typeof create>

export function create() {
  let armed: Fault[] = []
  let held: { fault: number; line: Pick<ConnectedDevice, "send">; stanza: Node }[] = []
  let last = 0

  const remove = (id: number): boolean => {
    const before = armed.length
    armed = armed.filter((fault) => fault.id !== id)
    for (const { line, stanza } of held.filter(({ fault }) => fault === id)) line.send(stanza)
    held = held.filter(({ fault }) => fault !== id)
    return armed.length < before
  }
  return {
    list: () => armed,
    arm(fault: Omit<Fault, "id">): Fault {
      const made = { id: ++last, ...fault }
      armed.push(made)
      return made
    },
    /** False when there is no such fault. Stanzas that it held are sent now. */
    remove,
    clear: () => armed.forEach(({ id }) => remove(id)),
    /** The fault of this kind that the device meets now; it is used up by one. Our own phones meet none. */
    strike(kind: FaultKind, device: string, xmlns?: string): Fault | undefined {
      const fault = armed.find(
        (one) =>
          one.kind === kind &&
          one.times !== 0 &&
          (one.device === device || (one.device === "*" && !device.endsWith(":0"))) &&
          (one.xmlns === null || one.xmlns === xmlns),
      )
      if (!fault?.times) return fault
      fault.times--
      // A fault that holds stanzas gives them back when it is removed, so it stays.
      if (fault.times === 0 && !kind.startsWith("hold")) armed = armed.filter((one) => one !== fault)
      return fault
    },
    hold: (fault: Fault, line: Pick<ConnectedDevice, "send">, stanza: Node) => {
      held.push({ fault: fault.id, line, stanza })
    },
  }
}
