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

/**
 * The field that begins at `start`; undefined if its end has not come yet.
 * @throws Error if no field can begin there
 */
function fieldAt(message: Uint8Array, start: number): Field | undefined {
  const tag = varintAt(message, start)
  if (!tag) return undefined
  const number = Math.floor(tag.value / 8)
  const size = sizeAt(message, tag.end, tag.value % 8)
  if (!size) return undefined
  const end = size.from + size.length
  if (end > message.length) return undefined
  const bytes = message.subarray(size.holdsBytes ? size.from : end, end)
  return { number, bytes, whole: message.subarray(start, end) }
}

/** Where the content of a field of this type begins, and how long it is. */
function sizeAt(message: Uint8Array, at: number, type: number) {
  switch (type) {
    case 0: {
      const varint = varintAt(message, at)
      return varint && { from: at, length: varint.end - at, holdsBytes: false }
    }
    case 1:
      return { from: at, length: 8, holdsBytes: false }
    case 2: {
      const length = varintAt(message, at)
      return length && { from: length.end, length: length.value, holdsBytes: true }
    }
    case 5:
      return { from: at, length: 4, holdsBytes: false }
    default:
      throw new Error(`no field has the type ${type}`)
  }
}

/**
 * The number that begins at `start`. Of a large number only the length is exact, and nothing else of it is
 * used.
 */
function varintAt(message: Uint8Array, start: number): { value: number; end: number } | undefined {
  let value = 0
  for (let at = start; at < message.length; at++) {
    const byte = message[at]! // within
    value += (byte & 0x7f) * 2 ** (7 * (at - start))
    if (byte < 0x80) return { value, end: at + 1 }
    if (at - start === 9) throw new Error("a number of more than ten bytes")
  }
  return undefined
}
