import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, expect, test } from "vitest"
import { controlApi } from "#simulator/control/api.ts"
import * as Network from "#simulator/network/network.ts"
import * as StanzaLog from "#simulator/network/stanza-log.ts"
import * as Store from "#simulator/storage/store.ts"
import * as Certificates from "#simulator/wire/certificates.ts"
import { connect, newDevice } from "../../support/network/baileys-client.ts"
import { aNetwork } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())
setDefaultCACertificates([...getCACertificates("default"), network.ca])

/** As public suites do: the address of the socket, with another scheme and path. */
const scanAt = (socketUrl: string) =>
  `${socketUrl.replace(/^ws/, "http").replace("/ws/chat", "")}/admin/mock-phone/scan-qr`

async function linked(socketUrl: string, pushName?: string) {
  const device = newDevice()
  const unlinked = connect({ url: socketUrl }, device, pushName ? { pushName } : {})
  const response = await fetch(scanAt(socketUrl), { method: "POST", body: await unlinked.qr() })
  expect(response.status).toBe(200)
  expect(await unlinked.closed()).toBe(515)
  return network.client(device)
}

test("a client that knows only the socket's address is linked under TLS by the mock phone", async () => {
  const client = await linked(network.tlsUrl)
  await expect(client.online()).resolves.toBe(true)
})

test("two clients of one push name are two devices of one phone; another name is another phone", async () => {
  const [one, two] = [await linked(network.url, "alpha"), await linked(network.url, "alpha")]
  const three = await linked(network.url, "beta")
  for (const client of [one, two, three]) await client.online()
  const [first, second, third] = [one, two, three].map(({ device }) => device.creds.me!.id)
  expect(first!.split(":")[0]).toBe(second!.split(":")[0])
  expect(first).not.toBe(second)
  expect(third!.split(":")[0]).not.toBe(first!.split(":")[0])
  await one.sock.sendMessage(third!.replace(/:\d+/, ""), { text: "hello beta" })
  await three.message("hello beta")
  await two.message("hello beta")
})

test("a text that is no code is refused", async () => {
  const response = await fetch(scanAt(network.url), { method: "POST", body: "hello" })
  expect(response.status).toBe(422)
})

test("the control API's document has every route there is, and nothing else", async () => {
  const document = (await network.call("GET", "/openapi.json")) as {
    openapi: string
    paths: Record<string, object>
  }
  expect(document.openapi).toBe("3.1.0")
  const told = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const store = Store.open()
  const app = controlApi(Network.create({ store, log: StanzaLog.create(), authority: Certificates.create() }))
  const page = new Set(["/", "/page.css", "/page.js", "/openapi.json"])
  const routes = app.routes
    .filter(({ method, path }) => method !== "ALL" && !page.has(path))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
  expect(told.toSorted()).toEqual([...new Set(routes)].toSorted())
  store.close()
})
