import "#test/support/store.ts"
import { toString } from "qrcode"
import { expect, test } from "vitest"
import { patiently, Unexpected } from "#one-machine/api-client.ts"
import { throwRepeatable } from "#one-machine/network/link.ts"
import { showCodes } from "#one-machine/network/show-codes.ts"
import { readQr } from "#simulator/phone/qr-image.ts"
import { until } from "#test/support/until.ts"
import { aNetwork, type Network } from "../support/network/network.ts"
import { aCustomer, json } from "../support/service/customer.ts"
import { aHost, held } from "../support/session/host.ts"
import { codeOf } from "../support/session/paired.ts"

/** The terminal of a new customer with an unlinked bridge on this network: everything it prints. */
async function aTerminal(network: Network, timing: { codeMs?: number } = {}) {
  const customer = await aCustomer()
  await aHost(network, { timing })
  const id = String((await json(customer.post("/api/instances", { customer_ref: "shop" }))).id)
  await held(id)
  const printed: string[] = []
  const refused: string[] = []
  const codes = new Set<string>()
  const shown = showCodes({
    api: async (method, path) => {
      const answer = await customer.call(method, `/api${path}`)
      if (answer.headers.get("content-type") === "image/png")
        codes.add(readQr(Buffer.from(await answer.clone().arrayBuffer()))!)
      if (answer.ok) return answer
      refused.push(await answer.text())
      throw new Unexpected(refused.at(-1))
    },
    ref: "shop",
    print: (text) => void printed.push(text),
    signal: new AbortController().signal,
  })
  /** The pictures of the codes that it was given: a busy session may replace one at once. */
  const pictures = async () =>
    await Promise.all([...codes].map(async (code) => await toString(code, { type: "terminal", small: true })))
  return { id, printed, refused, shown, pictures }
}

/** A code may be replaced before it is scanned. */
async function scan(phone: Awaited<ReturnType<Network["phone"]>>, id: string): Promise<void> {
  await patiently(
    AbortSignal.timeout(30_000),
    async () => await phone.scan(await codeOf(id)).catch(throwRepeatable),
  )
}

test("a terminal shows the code that links the bridge, once, and then to which phone it is linked", async () => {
  const network = await aNetwork()
  const { id, printed, shown, pictures } = await aTerminal(network)
  await until(async () => printed.length > 0)
  const phone = await network.phone("Ada")
  await scan(phone, id)
  await shown
  expect(printed).toEqual([...(await pictures()), `shop is linked to ${phone.number}.`])
})

test("a terminal says once that the network cannot be reached, and shows the code when it can", async () => {
  const network = await aNetwork()
  const reach = await network.fault({ kind: "refuse_upgrade" })
  const { id, printed, refused, shown, pictures } = await aTerminal(network, { codeMs: 500 })
  const inVain = () => refused.filter((answer) => answer.includes("cannot be reached")).length
  await until(async () => inVain() > 1)
  await reach()
  await until(async () => printed.length > 1)
  expect(printed[0]).toMatch(/^the network cannot be reached/)
  expect(printed[1]).toBe((await pictures())[0])
  await scan(await network.phone("Ada"), id)
  await shown
})
