import { BufferJSON, type LTHashState } from "@whiskeysockets/baileys"

/**
 * How far a collection of the account's settings was read, as text: its version and hash, then a line for each of its
 * entries. An address book of 50,000 has 50,000.
 */
export function appStateToText({ indexValueMap, ...about }: LTHashState): string {
  const lines = [JSON.stringify(about, BufferJSON.replacer)]
  for (const [index, { valueMac }] of Object.entries(indexValueMap))
    lines.push(`${index} ${Buffer.from(valueMac).toString("base64")}`)
  return lines.join("\n")
}

/** Read from that text again, or from the JSON that release 0.1 kept. */
export function appStateFromText(text: string): LTHashState {
  const [about = "", ...lines] = text.split("\n")
  const state: LTHashState = { indexValueMap: {}, ...JSON.parse(about, BufferJSON.reviver) }
  for (const line of lines) {
    const [index = "", valueMac = ""] = line.split(" ")
    state.indexValueMap[index] = { valueMac: Buffer.from(valueMac, "base64") }
  }
  return state
}
