import "#test/support/store.ts"
import { execFileSync, spawnSync } from "node:child_process"
import { hash, randomInt } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sharp from "sharp"
import { expect, onTestFinished, test } from "vitest"
import { ApiError } from "#core/error.ts"
import { kindOf, typeOf } from "#session-host/media/kind-and-content-type.ts"
import { makeVideo, readPlayed } from "#session-host/media/played.ts"
import { mp3, mp4, ogg, wav } from "#test/support/media-files.ts"

/** First pictures and waveforms are shown only where they are possible. `.ci/run` says which it was. */
const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0

const folder = mkdtempSync(join(tmpdir(), "played-test-"))
let count = 0

function aFile(bytes: Buffer): string {
  const own = join(folder, String(count++))
  mkdirSync(own)
  writeFileSync(join(own, "plain"), bytes)
  return join(own, "plain")
}

/** What phones show of a file, or the code of its refusal. */
async function played(bytes: Buffer, mimetype?: string) {
  const said = { mimetype: mimetype ?? "application/octet-stream", says: "it", isWanted: true, name: "" }
  const type = await typeOf(bytes, said)
  const file = { path: aFile(bytes), kind: kindOf(type, false), mimetype: type }
  return await readPlayed(file, "an account").catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    return error.code
  })
}

/** A file that ffmpeg makes of invented sounds and pictures. */
function made(name: string, ...args: string[]): Buffer {
  const path = join(folder, name)
  execFileSync("ffmpeg", ["-v", "error", "-y", ...args, path])
  return readFileSync(path)
}
const tone = ["-f", "lavfi", "-i", "sine=440:d=3"]
const pictures = ["-f", "lavfi", "-i", "testsrc=s=320x240:d=3"]

const video = { kind: "vide", width: 320, height: 240 } as const
const sound = { kind: "soun" } as const

test("phones are told how long a sound or a video plays, and how large it is as it is shown", async () => {
  expect(await played(ogg("opus", 3))).toMatchObject({ kind: "voice", seconds: 3 })
  expect(await played(mp3(5))).toMatchObject({ kind: "audio", mimetype: "audio/mpeg", seconds: 5 })
  expect(await played(wav(2))).toMatchObject({ kind: "audio", seconds: 2 })
  expect(await played(mp4(4, sound), "audio/mp4")).toMatchObject({ kind: "audio", seconds: 4 })
  const size = { width: 320, height: 240 }
  expect(await played(mp4(3, video, sound))).toMatchObject({ kind: "video", seconds: 3, picture: size })
  expect(await played(mp4(3, sound, video), "video/quicktime")).toMatchObject({ seconds: 3, picture: size })
  const turned = await played(mp4(1, { ...video, isTurned: true }))
  expect(turned).toMatchObject({ seconds: 1, picture: { width: 240, height: 320 } })
})

test("a video without pictures goes as the sound that it is", async () => {
  const said = { kind: "audio", mimetype: "audio/mp4", seconds: 3 }
  expect(await played(mp4(3, sound))).toMatchObject(said)
  expect(await played(mp4(3, sound), "video/mp4")).toMatchObject(said)
})

const whole = mp4(3, video)
const cover = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(3000, 7)])

test.for<[string, Buffer, string?]>([
  ["an MP4 that was cut off", whole.subarray(0, whole.length - 100)],
  ["an MP4 that ends before its header", whole.subarray(0, 40)],
  ["an MP4 without a track", mp4(3)],
  ["a video of 0 seconds", mp4(0, video)],
  ["a sound of 0 seconds in an MP4", mp4(0, sound), "audio/mp4"],
  ["an MP4 of a box that is larger than any file", cover(Buffer.from("\0\0\0\x18ftypmp42", "latin1"))],
  ["a WAV of 0 seconds", wav(0)],
  ["Opus of 0 seconds", ogg("opus", 0)],
  ["Opus, and then noise", cover(ogg("opus", 0))],
  ["the beginning of an MP3, and then noise", cover(Buffer.from("ID3\x04\0\0\0\0\0\0"))],
  ["the beginning of a WebM, and then noise", cover(Buffer.from("1a45dfa3934282847765626d", "hex"))],
  ["the beginning of a FLAC", Buffer.from("fLaC")],
])("%s is refused: nothing plays", async ([, bytes, mimetype]) => {
  expect(await played(bytes, mimetype)).toBe("media_type_mismatch")
})

test("wherever a file is cut off or changed, it is sent or refused, at once", async () => {
  const seed = randomInt(2 ** 31)
  const random = (most: number, n: number) => hash("md5", `${seed} ${n}`, "buffer").readUInt32BE() % most
  const files = [ogg("opus", 2), mp3(1), wav(1), mp4(2, video, sound)]
  for (let n = 0; n < 40; n++) {
    const bytes = Buffer.from(files[n % files.length]!)
    const changed = Buffer.from(bytes.subarray(0, n % 3 === 0 ? random(bytes.length, n) : bytes.length))
    for (let i = 0; i < 5 && changed.length > 0; i++)
      changed[random(Math.min(600, changed.length), n * 100 + i)] = random(256, n * 1000 + i)
    const outcome = await played(changed).catch((error: unknown) => error)
    const isKnown = typeof outcome === "object" && !(outcome instanceof Error) ? true : outcome
    expect([seed, n, isKnown]).toEqual([seed, n, expect.toBeOneOf([true, "media_type_mismatch"])])
  }
})

test("what cannot be read here goes without what is shown of it", async () => {
  const { PATH } = process.env
  process.env.PATH = mkdtempSync(join(tmpdir(), "empty-"))
  onTestFinished(() => void (process.env.PATH = PATH))
  const amr = Buffer.concat([Buffer.from("#!AMR\n"), Buffer.alloc(3200, 4)])
  expect(await played(amr)).toMatchObject({ kind: "audio", mimetype: "audio/amr" })
})

test.runIf(hasFfmpeg)(
  "a voice note brings its waveform, a video its first picture, turned as it is shown",
  async () => {
    const voice = await played(made("a.ogg", ...tone, "-c:a", "libopus"))
    expect(voice).toMatchObject({ kind: "voice", seconds: 3, waveform: expect.any(Uint8Array) })
    for (const [name, ...args] of [
      ["a.mp4", ...tone, ...pictures, "-pix_fmt", "yuv420p"],
      ["silent.mov", ...pictures, "-pix_fmt", "yuv420p"],
      ["a.webm", ...tone, ...pictures],
      ["a.avi", ...pictures],
    ] as const) {
      const file = await played(made(name, ...args))
      expect([name, file]).toMatchObject([name, { kind: "video", picture: { width: 320, height: 240 } }])
      const { thumbnail } = (file as { picture: { thumbnail: Buffer } }).picture
      expect(await sharp(thumbnail).metadata()).toMatchObject({ format: "jpeg", width: 72, height: 54 })
    }
    const copy = ["-i", join(folder, "a.mp4"), "-c", "copy", "-metadata:s:v", "rotate=90"]
    const turned = await played(made("turned.mp4", ...copy))
    expect(turned).toMatchObject({ seconds: 3, picture: { width: 240, height: 320 } })
  },
)

test.runIf(hasFfmpeg)("an animated GIF becomes a video without sound, of an even size", async () => {
  const gif = aFile(made("a.gif", "-f", "lavfi", "-i", "testsrc=s=31x21:d=2:r=10"))
  const bytes = readFileSync(await makeVideo(gif, "an account"))
  expect(bytes.includes("avc1")).toBe(true)
  expect(bytes.includes("soun")).toBe(false)
  expect(await played(bytes)).toMatchObject({
    kind: "video",
    mimetype: "video/mp4",
    seconds: 2,
    picture: { width: 32, height: 22, thumbnail: expect.any(Buffer) },
  })
})
