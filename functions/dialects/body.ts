import type { Context } from "hono"
import { ApiError, invalid, rateLimited } from "#core/error.ts"
import { Slots } from "#core/platform/slots.ts"
import { bodyOf, jsonOf, mustBePlain } from "../http/json-body.ts"
import type { GivenFile } from "../http/own-api.ts"

/**
 * Other gateways take files within the body: one of 16 MB fits in, as base64. On Lambda a body ends at 6 MB.
 */
const maxBytes = 24_000_000
/** A longer body, or one of unknown length, waits for one of few places. */
const smallBytes = 800 * 1024
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
  const isSmall = c.req.method === "GET" || Number(c.req.header("content-length") ?? Infinity) <= smallBytes
  const read = async () => await work(await parsed(await bodyOf(c, maxBytes), c))
  return isSmall ? await read() : await places.use(read, accountId)
}

const forms = /^(?:multipart\/form-data|application\/x-www-form-urlencoded) *(?:;|$)/i

async function parsed(bytes: Uint8Array, c: Context): Promise<Given> {
  if (bytes.byteLength === 0) return { fields: {}, file: undefined }
  const type = c.req.header("content-type") ?? ""
  if (forms.test(type)) return await ofForm(bytes, type)
  const { value } = jsonOf(bytes)
  if (typeof value === "object" && value !== null) return { fields: { ...value }, file: undefined }
  throw new ApiError("invalid_request", "the body is neither an object of JSON nor a form")
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

async function ofForm(bytes: Uint8Array, type: string): Promise<Given> {
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
