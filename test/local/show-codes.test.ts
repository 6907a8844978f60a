import "#test/support/store.ts"
import { toString } from "qrcode"
import { expect, test } from "vitest"
import { Unexpected } from "#local/api-client.ts"
import { showCodes } from "#local/show-codes.ts"
import { aCustomer, json } from "#test/support/customer.ts"
import { aHost, held } from "#test/support/host.ts"
import { aNetwork } from "#test/support/network.ts"
import { codeOf } from "#test/support/paired.ts"
import { until } from "#test/support/until.ts"

test("a terminal shows the code that links the bridge, once, and then to which phone it is linked", async () => {
  const network = await aNetwork()
  const customer = await aCustomer()
  await aHost(network)
  const id = String((await json(customer.post("/api/instances", { customer_ref: "shop" }))).id)
  await held(id)
  const printed: string[] = []
  const shown = showCodes({
    api: async (method, path) => {
      const answer = await customer.call(method, `/api${path}`)
      if (answer.ok) return answer
      throw new Unexpected(String(answer.status))
    },
    ref: "shop",
    print: (text) => void printed.push(text),
    signal: new AbortController().signal,
  })
  await until(async () => printed.length > 0)
  const code = await codeOf(id)
  expect(printed).toEqual([await toString(code, { type: "terminal", small: true })])
  const phone = await network.phone("Ada")
  await phone.scan(code)
  await shown
  expect(printed.slice(1)).toEqual([`shop is linked to ${phone.number}.`])
})
