import { createConnection, type Socket } from "node:net"
import { connect as connectByTls } from "node:tls"
import { Unusable } from "#one-machine/backup/unusable.ts"

/** A Redis of another program, of which hashes are read. */
export interface Redis {
  /** Where it is, for a person, without a password. */
  place: string
  /** The names of the hashes that match. */
  keys: (pattern: string) => AsyncIterable<string>
  /** The fields of a hash, with their values. */
  fields: (hash: string) => AsyncIterable<[field: string, value: string]>
  field: (hash: string, field: string) => Promise<string | undefined>
  /** @throws Unusable unless nobody else is connected to this database */
  mustRest: () => Promise<void>
  close: () => Promise<void>
}

export function isRedis(where: string): boolean {
  return /^rediss?:\/\//.test(where)
}

/** How many answers are asked for at once. */
const atOnce = "500"

/** @throws Unusable when it cannot be reached */
export async function openRedis(address: string): Promise<Redis> {
  const url = new URL(address)
  const [host, port, db] = [url.hostname, Number(url.port || 6379), url.pathname.slice(1) || "0"]
  const place = `${url.protocol}//${url.host}/${db}`
  const socket =
    url.protocol === "rediss:"
      ? connectByTls({ host, port, servername: host })
      : createConnection({ host, port })
  const ask = asking(socket, place)
  const pages = async function* (command: string[], ...how: string[]) {
    for (let cursor = "0"; ;) {
      const [next, page] = (await ask([...command, cursor, ...how, "COUNT", atOnce])) as [string, string[]]
      yield page
      cursor = next
      if (cursor === "0") return
    }
  }
  if (url.password)
    await ask(["AUTH", ...(url.username ? [url.username] : []), decodeURIComponent(url.password)])
  await ask(["SELECT", db])
  return {
    place,
    async *keys(pattern) {
      for await (const page of pages(["SCAN"], "MATCH", pattern, "TYPE", "hash")) yield* page
    },
    async *fields(hash) {
      for await (const page of pages(["HSCAN", hash]))
        for (let at = 0; at + 1 < page.length; at += 2) yield [page[at]!, page[at + 1]!]
    },
    field: async (hash, field) => (await ask(["HGET", hash, field]))?.toString(),
    async mustRest() {
      const own = String(await ask(["CLIENT", "ID"]))
      const clients = String(await ask(["CLIENT", "LIST"])).split("\n")
      const others = clients.filter((one) => one.includes(` db=${db} `) && !one.startsWith(`id=${own} `))
      if (others.length > 0)
        throw new Unusable(
          `${place} is in use by ${others.length} other connections: stop the old gateway first`,
        )
    },
    close: async () => void socket.destroy(),
  }
}

/** What Redis answers: RESP2, the form that every version speaks. */
type Answer = string | number | null | Answer[] | RedisError
class RedisError extends Error {}

/** Asks one question after the other. */
function asking(socket: Socket, place: string): (command: string[]) => Promise<Answer> {
  const waiting: PromiseWithResolvers<Answer>[] = []
  let read: Buffer = Buffer.alloc(0)
  const fail = (error: Error) => {
    for (const one of waiting.splice(0))
      one.reject(new Unusable(`${place} does not answer: ${error.message}`))
  }
  socket.on("data", (bytes: Buffer) => {
    read = Buffer.concat([read, bytes])
    for (let parsed = answerIn(read, 0); parsed; parsed = answerIn(read, 0)) {
      read = read.subarray(parsed.end)
      const { value } = parsed
      if (value instanceof RedisError)
        waiting.shift()?.reject(new Unusable(`${place} refuses: ${value.message}`))
      else waiting.shift()?.resolve(value)
    }
  })
  socket.on("error", fail)
  socket.on("close", () => fail(new Error("it has closed the connection")))
  return async (command) => {
    const answered = Promise.withResolvers<Answer>()
    waiting.push(answered)
    const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`)
    socket.write(`*${command.length}\r\n${parts.join("")}`)
    return await answered.promise
  }
}

/** The answer that begins here, and where it ends; undefined if it is not whole yet. */
function answerIn(bytes: Buffer, from: number): { value: Answer; end: number } | undefined {
  const lineEnd = bytes.indexOf("\r\n", from)
  if (lineEnd < 0) return undefined
  const [kind, line, after] = [
    String.fromCharCode(bytes[from]!),
    bytes.toString("utf8", from + 1, lineEnd),
    lineEnd + 2,
  ]
  const length = Number(line)
  if (kind === "-") return { value: new RedisError(line), end: after }
  if (kind === ":") return { value: length, end: after }
  if (kind !== "$" && kind !== "*") return { value: line, end: after }
  if (length < 0) return { value: null, end: after }
  if (kind === "$") {
    const end = after + length + 2
    return bytes.length < end ? undefined : { value: bytes.toString("utf8", after, end - 2), end }
  }
  const all: Answer[] = []
  let end = after
  while (all.length < length) {
    const next = answerIn(bytes, end)
    if (!next) return undefined
    all.push(next.value)
    end = next.end
  }
  return { value: all, end }
}
