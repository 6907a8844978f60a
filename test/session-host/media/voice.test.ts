import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { toVoice } from "#session-host/media/voice.ts"

/**
 * Conversion itself is shown only where it is possible; the rest holds everywhere. `.ci/run` says which it
 * was.
 */
const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0

const folder = mkdtempSync(join(tmpdir(), "voice-test-"))
let count = 0

/** A file of these bytes in a folder of its own. */
function aFile(bytes: string | Buffer): string {
  const own = join(folder, String(count++))
  mkdirSync(own)
  writeFileSync(join(own, "plain"), bytes)
  return join(own, "plain")
}

/** Three seconds of sound, the first silent, in this container. */
function sound(name: string, ...more: string[]): string {
  const path = join(folder, name)
  const tone = "aevalsrc='if(lt(t,1),0,sin(2*PI*440*t))':d=3"
  execFileSync("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", tone, ...more, path])
  return path
}

test("without ffmpeg it says that it cannot convert, and leaves nothing", async () => {
  const { PATH } = process.env
  process.env.PATH = mkdtempSync(join(tmpdir(), "empty-"))
  onTestFinished(() => void (process.env.PATH = PATH))
  const path = aFile("RIFF")
  await expect(toVoice(path, "an account")).rejects.toMatchObject({
    code: "conversion_unavailable",
    status: 422,
  })
  expect(readdirSync(join(path, ".."))).toEqual(["plain"])
})

test.runIf(hasFfmpeg)(
  "a sound in any container, and that of a video, becomes Opus in Ogg with its length and waveform",
  async () => {
    const picture = ["-f", "lavfi", "-i", "color=c=blue:s=64x64:d=3"]
    for (const path of [
      sound("a.mp3"),
      sound("a.m4a"),
      sound("a.wav", "-ar", "8000", "-ac", "2"),
      sound("a.flac"),
      sound("a.ogg", "-c:a", "libvorbis"),
      sound("a.mp4", ...picture, "-pix_fmt", "yuv420p"),
    ]) {
      const voice = await toVoice(path, "an account")
      expect([path, voice.seconds]).toEqual([path, 3])
      const ogg = readFileSync(voice.path)
      expect([path, ogg.subarray(0, 4).toString(), ogg.includes("OpusHead")]).toEqual([path, "OggS", true])
      const values = [...voice.waveform]
      expect(values).toHaveLength(64)
      // The first second is silent.
      expect(Math.max(...values.slice(0, 20))).toBeLessThan(5)
      expect(Math.min(...values.slice(25, 60))).toBeGreaterThan(80)
    }
  },
)

test.runIf(hasFfmpeg)("what is no sound, or only names one elsewhere, is refused", async () => {
  const wav = sound("secret.wav")
  for (const bytes of [
    "no sound at all",
    "",
    Buffer.alloc(100_000, 0xff),
    readFileSync(wav).subarray(0, 30),
    `ffconcat version 1.0\nfile '${wav}'\n`,
    `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:3,\nfile://${wav}\n#EXT-X-ENDLIST\n`,
    `#EXTM3U\n#EXTINF:3,\nhttp://127.0.0.1:1/a.ts\n#EXT-X-ENDLIST\n`,
  ])
    await expect(toVoice(aFile(bytes), "an account")).rejects.toMatchObject({
      code: "media_type_mismatch",
      status: 422,
    })
})

test.runIf(hasFfmpeg)("a small file that holds many hours is refused", async () => {
  const path = join(folder, "long.flac")
  const silence = ["-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "20000"]
  execFileSync("ffmpeg", ["-v", "error", ...silence, path])
  await expect(toVoice(path, "an account")).rejects.toMatchObject({ code: "payload_too_large", status: 413 })
})

/** A program called ffmpeg, which does this instead of converting. */
function insteadOfFfmpeg(script: string): void {
  const { PATH } = process.env
  const bin = mkdtempSync(join(tmpdir(), "bin-"))
  writeFileSync(join(bin, "ffmpeg"), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  process.env.PATH = `${bin}:${PATH}`
  onTestFinished(() => void (process.env.PATH = PATH))
}

test.for([
  ["kill -9 $$", "session_unavailable", 503],
  ["kill -TERM $$", "session_unavailable", 503],
  ["kill -XFSZ $$", "payload_too_large", 413],
  ["exit 255", "payload_too_large", 413],
  ["exit 1", "media_type_mismatch", 422],
  // This is more than any pipe holds, and it is not read.
  ["head -c 10000000 /dev/zero; head -c 10000000 /dev/zero >&2; exit 1", "media_type_mismatch", 422],
] as const)("a conversion that ends with `%s` is %s", async ([script, code, status]) => {
  insteadOfFfmpeg(script)
  await expect(toVoice(aFile("RIFF"), "an account")).rejects.toMatchObject({ code, status })
})

test("a conversion that the machine cannot start is to be tried again", async () => {
  // Longer than the kernel takes an argument: a refusal that a test can bring about, as it cannot a lack of
  // processes.
  await expect(toVoice(`/${"x".repeat(200_000)}`, "an account")).rejects.toMatchObject({
    code: "session_unavailable",
    status: 503,
  })
})

test.runIf(process.platform === "linux")(
  "short of memory, the kernel ends a conversion before its session host",
  async () => {
    const said = join(mkdtempSync(join(tmpdir(), "oom-")), "said")
    insteadOfFfmpeg(`cat /proc/self/oom_score_adj >${said}; exit 1`)
    await expect(toVoice(aFile("RIFF"), "an account")).rejects.toThrow("there is no sound")
    expect(readFileSync(said, "utf8")).toBe("1000\n")
  },
)

test.runIf(existsSync("/proc/self/autogroup"))(
  "a conversion gives way to session hosts, which Linux counts as another group of processes",
  async () => {
    const said = join(mkdtempSync(join(tmpdir(), "nice-")), "said")
    insteadOfFfmpeg(`sed 's/.*nice/group/' /proc/self/autogroup >${said}; nice >>${said}; exit 1`)
    const ours = readFileSync("/proc/self/autogroup", "utf8")
    await expect(toVoice(aFile("RIFF"), "an account")).rejects.toThrow("there is no sound")
    expect(readFileSync(said, "utf8")).toBe("group 10\n10\n")
    expect(readFileSync("/proc/self/autogroup", "utf8")).toBe(ours)
  },
)
