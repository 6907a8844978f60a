import { buildMessage, toText } from "#session-host/content/compose.ts"
import { decode } from "#session-host/network/decode.ts"
import type { Network } from "../network/network.ts"
import { aPairedConnection } from "./recorded-connection.ts"
import { aVault, type VolatileVault } from "./vault.ts"

/** Ada's linked device, open, with her phone's history already behind it, and Bob, who writes to her. */
export async function aLinkedDevice(network: Network, vault: VolatileVault = aVault()) {
  const { control } = network
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const connection = await aPairedConnection({ url: network.url, vault, phone: ada })
  const device = `${ada.number}:1`
  await vault.takes(3)
  await control.settled(device, 5000)
  connection.happenings.length = 0
  vault.forgetTaken()
  return {
    ada,
    bob,
    vault,
    connection,
    /** `number:device`. */
    device,
    /**
     * The stanzas of that kind that the network received from this device about this message; waits for them
     * if told to.
     */
    heard: async (tag: string, id: string, wait = 0) =>
      (await control.log({ who: device, kind: "in", tag, attrs: { id }, wait })).map(
        ({ stanza }) => stanza!.attrs,
      ),
    /** How many messages Bob's phone could not read. */
    undecrypted: async () =>
      Object.values((await control.phone(bob.number)).not_decrypted).reduce((sum, n) => sum + n, 0),
  }
}

/** The texts of the messages that were received. */
export const texts = (vault: VolatileVault) =>
  vault.taken().flatMap(({ plaintext }) => decode(plaintext).conversation ?? [])

let messages = 0

/** A text to send, under an id of its own. */
export const outgoing = (chat: string, body: string) => ({
  messageId: `3EB0${(++messages).toString(16).padStart(6, "0").toUpperCase()}`,
  chat,
  message: buildMessage(toText(body)),
})
