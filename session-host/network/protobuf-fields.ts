import protobuf from "protobufjs/light.js"

/** A field of a protobuf message. */
export interface Field {
  number: number
  /** Its content, if it holds bytes, a text or a message; else empty. */
  bytes: Uint8Array
  /** The field as it stands in the message, its number included. */
  whole: Uint8Array
}

/** In bytes: no entry of an address book and no chat is larger than this. */
const largest = 64 * 1024 * 1024

/**
 * The fields of a protobuf message as it arrives, undecoded, so that a large message need not be decoded or
 * held in memory as a whole.
 * @throws Error if this is no protobuf message, and the errors of `chunks`
 */
export async function* fieldsInStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Field> {
  let rest: Uint8Array = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (let field = fieldAt(rest, at); field; field = fieldAt(rest, at)) {
      at += field.whole.length
      yield field
    }
    rest = rest.subarray(at)
    if (rest.length > largest) throw new Error(`a field of more than ${largest} bytes`)
  }
  if (rest.length > 0) throw new Error("a message that ends within a field")
}

/** The fields of a whole protobuf message. @throws Error if this is no protobuf message */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0
  for (let field = fieldAt(message, at); field; field = fieldAt(message, at)) {
    at += field.whole.length
    yield field
  }
  if (at < message.length) throw new Error("a message that ends within a field")
}

const nothing = new Uint8Array()

/**
 * The field that begins at `start`; undefined if its end has not come yet.
 * @throws Error if no field can begin there
 */
function fieldAt(message: Uint8Array, start: number): Field | undefined {
  const reader = protobuf.Reader.create(message)
  reader.pos = start
  try {
    const tag = reader.uint32()
    const type = tag & 7
    // The reader would take it for a group, which no message of the protocol has.
    if (type === 3) throw new Error("no field has the type 3")
    const bytes = type === 2 ? reader.bytes() : nothing
    if (type !== 2) reader.skipType(type)
    return { number: tag >>> 3, bytes, whole: message.subarray(start, reader.pos) }
  } catch (error) {
    // What the reader throws where the bytes end.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
