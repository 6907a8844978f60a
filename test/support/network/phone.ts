import type { NetworkClient, ReadMessage } from "#one-machine/network/client.ts"

type Control = Pick<NetworkClient, "create" | "scan" | "typeCode" | "send" | "post" | "file" | "read">

/** A new phone of a simulated network, and its owner's actions. */
export async function aPhone(control: Control, name?: string, wanted?: string) {
  const phone = await control.create(name, wanted)
  const { number } = phone
  return {
    ...phone,
    scan: (qr: string, obstacle?: string) => control.scan(number, qr, obstacle),
    typeCode: (code: string) => control.typeCode(number, code),
    send: (...[to, text, more]: Written) => control.send(number, to, text, more),
    /** Sends anything but plain text. */
    post: (to: string, content: object) => control.post(number, to, content),
    /** The file of a message that it read. */
    file: async (id: string) => (await control.file(number, id)).data,
    /** Waits until `count` messages match. */
    read: (match: Match = {}): Promise<ReadMessage[]> => control.read(number, { wait: 10_000, ...match }),
  }
}

type Match = Omit<Parameters<NetworkClient["read"]>[1], "wait">
type Written = Parameters<NetworkClient["send"]> extends [string, ...infer Rest] ? Rest : never
