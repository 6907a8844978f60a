import { createServer, connect, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { z } from "zod"
import { tables } from "#core/store/tables.ts"
import type { DynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { listenForNewEvents as hear, noteRow } from "#one-machine/delivery/new-events.ts"
import { listen } from "#one-machine/listen.ts"

/** A row of the events table, as one process tells another: a line of DynamoDB's JSON. */
const Told = z.record(z.string(), z.record(z.string(), z.unknown()))

/**
 * Tells each client that connects of each row that this store writes of the events table. On one machine the
 * store shares a process with deliveries; here deliveries are killed, and the store is not.
 * @returns the port.
 */
export async function forwardEventRows(store: DynamoDb): Promise<number> {
  const told = new Set<Socket>()
  store.watch(tables.events, (item) => {
    for (const socket of told) socket.write(`${JSON.stringify(item)}\n`)
  })
  const server = createServer((socket) => {
    told.add(socket)
    socket.on("close", () => told.delete(socket))
    socket.on("error", () => {
      // It was killed; `close` follows.
    })
  })
  return await listen(server)
}

/**
 * Lets deliveries of this process stay for the events that they are told of at that port, and take them from
 * there, as on one machine.
 * @param onTold called when one that is under way has been told of an event
 */
export function hearEventRows(port: number, onTold: () => void): void {
  hear()
  createInterface(connect(port, "127.0.0.1")).on("line", (line) => {
    if (noteRow(Told.parse(JSON.parse(line)))) onTold()
  })
}
