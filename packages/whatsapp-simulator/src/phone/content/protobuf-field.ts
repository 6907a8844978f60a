import protobuf from "protobufjs/minimal.js"

/** A field of a protobuf message, for fields that Baileys' protocol lacks: bytes, a text or a message. */
export function field(number: number, content: Uint8Array): Buffer {
  const writer = protobuf.Writer.create().uint32((number << 3) | 2)
  return Buffer.from(writer.bytes(content).finish())
}
