import { createSocket } from "node:dgram"
import { once } from "node:events"
import { isIPv4 } from "node:net"
import ipaddr from "ipaddr.js"

/**
 * What a name leads to: addresses, or nothing for a name that does not exist. A name that is `silent` is
 * never answered.
 */
export type Found = string[] | "silent"

const types = { 1: "A", 28: "AAAA" } as const
/** The codes of RFC 1035, 4.1.1. */
const noSuchName = 3

/** A name server on this machine. It answers as `find` says; the caller must stop it. */
export async function startNameServer(find: (name: string, type: "A" | "AAAA") => Found | undefined) {
  const asked: string[] = []
  const socket = createSocket("udp4")
  socket.on("message", (query, { port, address }) => {
    const { name, type, question } = questionIn(query)
    asked.push(name)
    const found = find(name, type)
    if (found !== "silent") socket.send(answer(query, question, type, found), port, address)
  })
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  return {
    /** As in `DNS_SERVERS`. */
    address: `127.0.0.1:${socket.address().port}`,
    /** The name of each question, in order; it grows. Each look-up asks two: for IPv4 and IPv6. */
    asked,
    stop: async () => {
      const closed = once(socket, "close")
      socket.close()
      await closed
    },
  }
}

/** RFC 1035, 4.1.2: a name is a list of labels, each after its length. */
function questionIn(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = types[query.readUInt16BE(at + 1) as keyof typeof types]
  return { name: labels.join("."), type, question: query.subarray(12, at + 5) }
}

function answer(query: Buffer, question: Buffer, type: "A" | "AAAA", found: string[] | undefined): Buffer {
  const fitting = (found ?? []).filter((one) => isIPv4(one) === (type === "A"))
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (found ? 0 : noSuchName), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(fitting.length, 6)
  const records = fitting.map((address) => {
    const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
    const record = Buffer.alloc(12)
    // The name is that of the question.
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type === "A" ? 1 : 28, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(bytes.length, 10)
    return Buffer.concat([record, bytes])
  })
  return Buffer.concat([header, question, ...records])
}
