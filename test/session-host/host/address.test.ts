import { createServer } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { listen as listenLocally } from "#one-machine/listen.ts"
import { findAddresses } from "#session-host/host/address.ts"
import { listen } from "#session-host/server.ts"

/** Serves what ECS would say of a container. */
async function metadata(container: unknown) {
  const server = createServer((_request, response) => response.end(JSON.stringify(container)))
  const port = await listenLocally(server)
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${port}/v4/1`
}

test("a host is reached at this machine alone, unless it is told otherwise", async () => {
  expect(await findAddresses({})).toEqual({ reached: "127.0.0.1", bind: "127.0.0.1" })
  expect(await findAddresses({ HOST_ADDRESS: "10.0.0.7" })).toEqual({ reached: "10.0.0.7", bind: "10.0.0.7" })
})

test("a host may listen on another address than the one it announces", async () => {
  const at = await findAddresses({ HOST_ADDRESS: "127.0.0.2", HOST_BIND: "127.0.0.1" })
  const server = await listen(() => new Response("here"), { ...at, port: 0 })
  onTestFinished(() => server.close())
  const [address, port] = server.addr.split(":")
  expect(address).toBe("127.0.0.2")
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("here")
})

test("a task is reached at the address that ECS says it has", async () => {
  const uri = await metadata({
    DockerId: "x",
    Networks: [{ NetworkMode: "awsvpc", IPv4Addresses: ["10.0.1.23"], IPv4SubnetCIDRBlock: "10.0.1.0/24" }],
  })
  expect(await findAddresses({ ECS_CONTAINER_METADATA_URI_V4: uri })).toEqual({
    reached: "10.0.1.23",
    bind: "10.0.1.23",
  })
  expect(
    await findAddresses({
      ECS_CONTAINER_METADATA_URI_V4: uri,
      HOST_ADDRESS: "10.9.9.9",
      HOST_BIND: "0.0.0.0",
    }),
  ).toEqual({ reached: "10.9.9.9", bind: "0.0.0.0" })
})

test("a task without an address does not start", async () => {
  const uri = await metadata({ Networks: [] })
  await expect(findAddresses({ ECS_CONTAINER_METADATA_URI_V4: uri })).rejects.toThrow("no address")
})
