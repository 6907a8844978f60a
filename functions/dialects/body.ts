import type { Context } from "hono"
import { ApiError, invalid, rateLimited } from "#core/error.ts"
import { Slots } from "#core/platform/slots.ts"
import { bodyOf, jsonOf, mustBePlain } from "../http/json-body.ts"
import type { GivenFile } from "../http/own-api.ts"

/**
 * Other gateways take files within the body: one of 16 MB fits in, as base64. On Lambda a body ends at 6 MB.
 */
const maxBytes = 24_000_000
/**
 * A longer body, or one of unknown length, waits for one of few places. Without its long texts, of which one
 * is a file, no body may be longer: millions of small values would occupy the process for a minute.
 */
const smallBytes = 800 * 1024
/** From how many bytes on a text is long. */
const longText = 1000
/** How many parts a form may have. */
const mostParts = 100
const places = new Slots({ most: 4, each: 2 }, { ms: 10_000, refusal: () => rateLimited(3) })

interface Given {
  /** The fields of the object, or of the form. */
  fields: Record<string, unknown>
  file: GivenFile | undefined
}

/** Works with the body of a call: JSON, or a form. @throws ApiError */
export async function withBody<Result>(
  c: Context,
  accountId: string,
  work: (given: Given) => Promise<Result>,
): Promise<Result> {
  mustBePlain(c.req.header("content-encoding"))
  // Without either of the two headers there is no body (RFC 9112, 6.3).
  const unsaid = c.req.header("transfer-encoding") === undefined ? 0 : Infinity
  const isSmall = Number(c.req.header("content-length") ?? unsaid) <= smallBytes
  const read = async () => await work(await parsed(Buffer.from(await bodyOf(c, maxBytes)), c))
  return isSmall ? await read() : await places.use(read, accountId)
}

const forms = /^(?:multipart\/form-data|application\/x-www-form-urlencoded) *(?:;|$)/i

async function parsed(bytes: Buffer, c: Context): Promise<Given> {
  if (bytes.byteLength === 0) return { fields: {}, file: undefined }
  const type = c.req.header("content-type") ?? ""
  if (forms.test(type)) return await ofForm(bytes, type)
  mustHaveFewValues(bytes)
  const { value } = jsonOf(bytes)
  if (typeof value === "object" && value !== null) return { fields: { ...value }, file: undefined }
  throw new ApiError("invalid_request", "the body is neither an object of JSON nor a form")
}

/** @throws ApiError `payload_too_large` for JSON that is large without its long texts. */
function mustHaveFewValues(json: Buffer): void {
  let few = 0
  for (let at = 0; at < json.length;) {
    const start = json.indexOf('"', at)
    const end = start < 0 ? json.length : endOfText(json, start)
    const text = end - start
    few += start < 0 ? json.length - at : start - at + (text < longText ? text : 0)
    if (few > smallBytes) throw new ApiError("payload_too_large", "only the file in a body may be this large")
    at = end
  }
}

/** Where the text of JSON that begins at this quotation mark has ended. */
function endOfText(json: Buffer, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end
    while (json[before - 1] === 0x5c) before--
    // An even number of backslashes are themselves, and escape no quotation mark.
    if ((end - before) % 2 === 0) return end + 1
  }
  return json.length
}

/**
 * The bytes of a file in base64, with or without `data:…;base64,` before it, or padding behind it.
 * @param path the field that has it
 * @throws ApiError `invalid_request`
 */
export function bytesIn(given: string, path: string): Uint8Array<ArrayBuffer> {
  const base64 = given.replace(/^data:[^,]*,/, "").replaceAll(/\s/g, "")
  if (!/^[\w+/-]+={0,2}$/.test(base64)) throw invalid([{ path, message: "is neither a URL nor base64" }])
  return new Uint8Array(Buffer.from(base64, "base64"))
}

async function ofForm(bytes: Buffer, type: string): Promise<Given> {
  if (/^multipart/i.test(type) ? hasManyParts(bytes, type) : bytes.byteLength > smallBytes)
    throw new ApiError("payload_too_large", "only the file in a form may be this large")
  const answer = new Response(new Uint8Array(bytes), { headers: { "content-type": type } })
  const form = await answer.formData().catch(() => {
    throw new ApiError("invalid_request", "the body is not the form that its Content-Type says")
  })
  const fields: Record<string, unknown> = {}
  let file: GivenFile | undefined
  for (const [name, value] of form)
    if (typeof value === "string") fields[name] = value
    else file ??= { type: value.type, name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) }
  return { fields, file }
}

/** Whether a form has too many parts: its boundary stands before each, and at the end. */
function hasManyParts(form: Buffer, type: string): boolean {
  const [, boundary = ""] = /boundary="?([^";]+)/i.exec(type) ?? []
  let at = -1
  for (let parts = 0; parts <= mostParts; parts++) {
    at = form.indexOf(`--${boundary}`, at + 1)
    if (at < 0) return false
  }
  return true
}
