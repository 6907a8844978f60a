import { randomUUID } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sharp from "sharp"
import { expect, onTestFinished, test } from "vitest"
import { ApiError } from "#core/error.ts"
import { kindOf, typeOf } from "#session-host/media/kind-and-content-type.ts"
import { readPicture } from "#session-host/media/picture.ts"
import { flatJpeg, hugeJpeg, hugePng, hugeWebp } from "#test/support/bombs.ts"

async function read(bytes: Buffer | string) {
  const path = join(tmpdir(), `picture-${randomUUID()}`)
  await writeFile(path, bytes)
  onTestFinished(() => rm(path))
  return await readPicture(path, "an account")
}

const small = sharp({ create: { width: 40, height: 30, channels: 3, background: "#369" } })
const [png, jpeg, webp] = await Promise.all([
  small.png().toBuffer(),
  small.jpeg().toBuffer(),
  small.webp().toBuffer(),
])

const aServerSays = (mimetype: string) => ({ mimetype, says: "the URL", isWanted: false, name: "" })

/** An animation of this many frames of 8 by 8, each in another colour. */
async function animation(frames: number): Promise<Buffer> {
  const pixels = Buffer.alloc(8 * 8 * 3 * frames)
  for (let i = 0; i < pixels.length; i++) pixels[i] = Math.floor(i / 192) % 256
  const raw = { width: 8, height: 8 * frames, channels: 3 as const, pageHeight: 8 }
  return await sharp(pixels, { raw }).webp({ lossless: true, effort: 0 }).toBuffer()
}

test("a picture has a size and a thumbnail that is a JPEG of our own", async () => {
  for (const picture of [png, jpeg, webp]) {
    const { width, height, thumbnail } = await read(picture)
    expect([width, height]).toEqual([40, 30])
    expect(thumbnail.subarray(0, 3)).toEqual(Buffer.of(0xff, 0xd8, 0xff))
  }
})

test("a picture that a turned camera took has the size at which it is shown", async () => {
  const turned = await small.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const { width, height, thumbnail } = await read(turned)
  expect([width, height]).toEqual([30, 40])
  const shown = await sharp(thumbnail).metadata()
  expect(shown.width).toBeLessThan(shown.height)
})

test("a small file that says it is a huge picture is refused for what it says", async () => {
  for (const bomb of [hugePng(png), hugeJpeg(jpeg)])
    await expect(read(bomb)).rejects.toMatchObject({ code: "payload_too_large" })
  // libvips does not even read the header of one like this.
  await expect(read(hugeWebp(await animation(2)))).rejects.toMatchObject({ code: "media_type_mismatch" })
})

test("a photograph of 48 megapixels is read by strips; one in several scans, which unfolds whole, is not", async () => {
  const photo = flatJpeg(8000, 6000, [[1, 2, 3]])
  expect(await read(photo)).toMatchObject({ width: 8000, height: 6000 })
  for (const whole of [flatJpeg(8000, 6000, [[1], [2], [3]]), flatJpeg(15_000, 15_000, [[1, 2, 3]])])
    await expect(read(whole)).rejects.toMatchObject({ code: "payload_too_large" })
})

test("a document may begin as it likes: what is said of it says what it is", async () => {
  for (const type of ["application/pdf", "application/zip", "text/plain"])
    expect(await typeOf(Buffer.from("<html>"), aServerSays(type))).toBe(type)
})

test.for([
  ["a.docx", "PK\x03\x04", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["Plan.XLSX", "PK\x03\x04", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["a.doc", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "application/msword"],
  ["a.zip", "PK\x03\x04", "application/zip"],
  ["a.pdf", "PK\x03\x04", "application/zip"],
])(
  "%s, which begins like many formats, is what its name says if nobody says more",
  async ([name, start, type]) => {
    const head = Buffer.from(start!.padEnd(600, "\0"), "latin1")
    for (const said of ["application/octet-stream", "application/zip"])
      expect(await typeOf(head, { ...aServerSays(said), name: name! })).toBe(type)
    expect(await typeOf(head, { ...aServerSays("text/csv"), name: name! })).toBe("text/csv")
  },
)

test("only one frame of an animation with a thousand is looked at", async () => {
  const { width, height, isAnimated, thumbnail } = await read(await animation(1000))
  expect([width, height, isAnimated]).toEqual([8, 8, true])
  expect((await sharp(thumbnail).metadata()).pages ?? 1).toBe(1)
})

test.for<[string, Buffer | string]>([
  ["cut off in its header", png.subarray(0, 20)],
  ["cut off in its pixels", jpeg.subarray(0, jpeg.length / 2)],
  ["a beginning and noise", Buffer.concat([png.subarray(0, 8), Buffer.alloc(500, 7)])],
  ["nothing", ""],
])("a picture that is %s is no picture, or half of one: no fault of ours", async ([, bytes]) => {
  const said = await read(bytes).then(
    () => "half a picture",
    (error: unknown) => (error instanceof ApiError ? error.code : error),
  )
  expect(said).toBeOneOf(["half a picture", "media_type_mismatch"])
})

test("bytes after a picture in its file do not reach the thumbnail", async () => {
  const { thumbnail } = await read(Buffer.concat([jpeg, Buffer.from("<script>alert(1)</script>")]))
  expect(thumbnail.includes("script")).toBe(false)
})

test.for([
  ["image/jpeg", "<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>"],
  ["image/png", "<svg xmlns='http://www.w3.org/2000/svg'/>"],
  ["image/webp", "%PDF-1.7"],
  ["image/png", "\u0089PNG\n\n"],
  ["image/jpeg", "MM\0*"],
])("what is called %s and begins otherwise (%j) never reaches the image library", async ([type, bytes]) => {
  const kind = await typeOf(Buffer.from(bytes!, "latin1"), aServerSays(type!)).then(
    (seen) => kindOf(seen, false),
    (error: unknown) => (error instanceof ApiError ? error.code : error),
  )
  expect(kind).toBeOneOf(["document", "media_type_mismatch"])
})
